#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include <respkit/server/values/list.hpp>

namespace respkit {

namespace {

constexpr std::size_t smallest = 24;

std::uint32_t narrow(std::size_t n) { return static_cast<std::uint32_t>(n); }

}  // namespace

list_value::list_value(list_value const& other) : list_value(hash_seed{}) {
    for (auto* from = other.head_; from; from = from->next) {
        auto* c = allocate(from->used());
        std::memcpy(c->bytes(), from->bytes() + from->begin, from->used());
        c->count = from->count;
        c->end = narrow(from->used());
        link(c, tail_);
    }
    size_ = other.size_;
}

list_value::~list_value() {
    for (auto* c = head_; c;) std::free(std::exchange(c, c->next));
}

list_value::chunk* list_value::allocate(std::size_t capacity) {
    void* block = std::malloc(sizeof(chunk) + capacity);
    if (!block) throw std::bad_alloc();
    return new (block) chunk{nullptr, nullptr, 0, narrow(capacity), 0, 0};
}

// Null: becomes the head.
void list_value::link(chunk* c, chunk* after) {
    c->previous = after;
    c->next = after ? after->next : head_;
    (c->previous ? c->previous->next : head_) = c;
    (c->next ? c->next->previous : tail_) = c;
}

void list_value::unlink(chunk* c) {
    (c->previous ? c->previous->next : head_) = c->next;
    (c->next ? c->next->previous : tail_) = c->previous;
    std::free(c);
}

// The same entries in a block of another size, beginning elsewhere; `c` is gone.
list_value::chunk* list_value::resize(chunk* c, std::size_t capacity, std::size_t begin) {
    auto* fresh = allocate(capacity);
    fresh->count = c->count;
    fresh->begin = narrow(begin);
    fresh->end = narrow(begin + c->used());
    std::memcpy(fresh->bytes() + begin, c->bytes() + c->begin, c->used());
    link(fresh, c);
    unlink(c);
    return fresh;
}

// Sees to it that `n` bytes are free at one side of the entries, by growing the chunk or by moving them
// within it. Null if the chunk is full, or so nearly full that moving would have to be done again at once.
list_value::chunk* list_value::make_room(chunk* c, std::size_t n, bool front) {
    if ((front ? c->begin : c->capacity - c->end) >= n) return c;
    auto const used = c->used();
    if (used + n > limit) return nullptr;

    auto const spare = c->capacity - used;
    if (c->capacity < limit && (spare < n || spare < c->capacity / 2)) {
        auto const capacity = std::min(limit, std::max<std::size_t>(2 * c->capacity, used + n));
        auto const other_side =
            std::min<std::size_t>(front ? c->capacity - c->end : c->begin, capacity - used - n);
        return resize(c, capacity, front ? capacity - used - other_side : other_side);
    }
    if (spare < limit / 8) return nullptr;

    auto const other_side = (spare - n) / 2;
    auto const begin = front ? c->capacity - used - other_side : other_side;
    std::memmove(c->bytes() + begin, c->bytes() + c->begin, used);
    c->begin = narrow(begin);
    c->end = narrow(begin + used);
    return c;
}

// Writes an entry at one end of a chunk that has the room there.
void list_value::put(chunk* c, std::string_view value, bool front) {
    auto const n = narrow(packed::entry_size(value.size()));
    if (front) c->begin -= n;
    packed::write_entry(c->bytes() + (front ? c->begin : c->end), value);
    if (!front) c->end += n;
    ++c->count;
    ++size_;
}

void list_value::push(std::string_view value, bool front) {
    auto const n = packed::entry_size(value.size());
    auto* c = front ? head_ : tail_;
    if (c) c = make_room(c, n, front);
    if (!c) {
        c = allocate(std::max(n, head_ ? std::size_t{512} : smallest));
        if (front) c->begin = c->end = c->capacity;
        link(c, front ? nullptr : tail_);
    }
    put(c, value, front);
}

// A new chunk with one entry.
list_value::cursor list_value::insert_chunk(chunk* after, std::string_view value) {
    auto* c = allocate(std::max(packed::entry_size(value.size()), std::size_t{512}));
    link(c, after);
    put(c, value, false);
    return {c, c->begin};
}

// Cuts a chunk in two between entries; returns the second.
list_value::chunk* list_value::split(chunk* c, std::uint32_t at) {
    std::size_t const bytes = c->end - at;
    auto* second = allocate(bytes);
    std::memcpy(second->bytes(), c->bytes() + at, bytes);
    second->end = narrow(bytes);
    for (std::uint32_t p = 0; p != second->end; ++second->count)
        p += narrow(packed::entry_size(packed::read(second->bytes() + p).size()));
    c->end = at;
    c->count -= second->count;
    link(second, c);
    return second;
}

// Inserts so that the new entry begins at `at`, the beginning of an entry of c or its end.
list_value::cursor list_value::insert(chunk* c, std::uint32_t at, std::string_view value) {
    auto const n = narrow(packed::entry_size(value.size()));
    auto const front_bytes = at - c->begin;
    auto const back_bytes = c->end - at;
    bool const front = front_bytes < back_bytes;
    if (auto* roomy = make_room(c, n, front)) {
        char* const bytes = roomy->bytes();
        if (front) {
            std::memmove(bytes + roomy->begin - n, bytes + roomy->begin, front_bytes);
            roomy->begin -= n;
        } else {
            std::memmove(bytes + roomy->end - back_bytes + n, bytes + roomy->end - back_bytes, back_bytes);
            roomy->end += n;
        }
        at = roomy->begin + front_bytes;
        packed::write_entry(bytes + at, value);
        ++roomy->count;
        ++size_;
        return {roomy, at};
    }
    if (front_bytes == 0) return insert_chunk(c->previous, value);
    if (back_bytes == 0) return insert_chunk(c, value);

    auto* second = split(c, at);
    if (auto* roomy = make_room(c, n, false)) {
        put(roomy, value, false);
        return {roomy, roomy->end - n};
    }
    if (auto* roomy = make_room(second, n, true)) {
        put(roomy, value, true);
        return {roomy, roomy->begin};
    }
    return insert_chunk(second->previous, value);
}

list_value::cursor list_value::insert_before(cursor where, std::string_view value) {
    return insert(where.chunk_, where.at_, value);
}

list_value::cursor list_value::insert_after(cursor where, std::string_view value) {
    auto const n = narrow(packed::entry_size((*where).size()));
    return insert(where.chunk_, where.at_ + n, value);
}

void list_value::erase(cursor where) {
    auto* c = where.chunk_;
    auto const n = narrow(packed::entry_size((*where).size()));
    --size_;
    if (--c->count == 0) return unlink(c);
    if (where.at_ == c->begin) {
        c->begin += n;
        return;
    }
    std::memmove(where.entry(), where.entry() + n, c->end - where.at_ - n);
    c->end -= n;
}

void list_value::set(cursor where, std::string_view value) {
    if ((*where).size() == value.size()) return packed::write_entry(where.entry(), value);
    auto replaced = insert_before(where, value);
    replaced.next();
    erase(replaced);
}

void list_value::remove_front(std::size_t count) {
    size_ -= count;
    while (head_ && count >= head_->count) {
        count -= head_->count;
        unlink(head_);
    }
    if (!count) return;
    head_->count -= narrow(count);
    for (; count; --count)
        head_->begin += narrow(packed::entry_size(packed::read(head_->bytes() + head_->begin).size()));
}

void list_value::remove_back(std::size_t count) {
    size_ -= count;
    while (tail_ && count >= tail_->count) {
        count -= tail_->count;
        unlink(tail_);
    }
    if (!count) return;
    tail_->count -= narrow(count);
    for (; count; --count) tail_->end -= narrow(packed::size_before(tail_->bytes() + tail_->end));
}

// Removes matches from one chunk: not the first `keep` of them, and at most `most` of the others.
std::size_t list_value::filter(chunk* c, std::string_view value, std::size_t keep, std::size_t most) {
    std::size_t removed = 0;
    auto to = c->begin;
    for (auto from = c->begin; from != c->end;) {
        auto const entry = packed::read(c->bytes() + from);
        auto const n = narrow(packed::entry_size(entry.size()));
        if (removed < most && entry == value && !(keep && keep--)) {
            ++removed;
        } else {
            if (to != from) std::memmove(c->bytes() + to, c->bytes() + from, n);
            to += n;
        }
        from += n;
    }
    c->end = to;
    c->count -= narrow(removed);
    return removed;
}

std::size_t list_value::remove(std::string_view value, std::size_t most, bool from_back) {
    std::size_t removed = 0;
    auto* c = from_back ? tail_ : head_;
    while (c && removed < most) {
        std::size_t matches = 0;
        for (cursor e(c, c->begin); e && e.chunk_ == c; e.next()) matches += *e == value;
        auto const left = most - removed;
        if (matches) removed += filter(c, value, from_back && matches > left ? matches - left : 0, left);
        c = from_back ? c->previous : c->next;
    }
    size_ -= removed;
    if (removed == 0) return 0;

    // Only what was walked over: [first, stop).
    auto* first = !from_back ? head_ : c ? c->next : head_;
    auto* const stop = from_back ? nullptr : c;
    while (first != stop) tidy(std::exchange(first, first->next));
    return removed;
}

// After removals: gives memory back, by uniting the chunk with the one before or by making it smaller.
void list_value::tidy(chunk* c) {
    if (c->count == 0) return unlink(c);
    auto* before = c->previous;
    if (before && before->used() + c->used() <= limit / 2) {
        if (auto* roomy = make_room(before, c->used(), false)) {
            std::memcpy(roomy->bytes() + roomy->end, c->bytes() + c->begin, c->used());
            roomy->end += narrow(c->used());
            roomy->count += c->count;
            return unlink(c);
        }
    }
    if (c->used() < c->capacity / 4) resize(c, std::max(c->used(), smallest), 0);
}

list_value::cursor list_value::at(std::size_t index) const {
    if (index >= size_) return {nullptr, 0};
    auto* c = head_;
    if (index < size_ / 2) {
        for (; index >= c->count; c = c->next) index -= c->count;
    } else {
        auto behind = size_ - 1 - index;
        for (c = tail_; behind >= c->count; c = c->previous) behind -= c->count;
        index = c->count - 1 - behind;
    }
    if (index < c->count / 2) {
        cursor e(c, c->begin);
        for (; index; --index) e.next();
        return e;
    }
    cursor e(c, c->end);
    for (auto back = c->count - index; back; --back) e.previous();
    return e;
}

std::size_t list_value::footprint() const {
    std::size_t bytes = 0;
    for (auto const* c = head_; c; c = c->next) bytes += sizeof(chunk) + c->capacity;
    return bytes;
}

}  // namespace respkit
