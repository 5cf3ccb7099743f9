#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include <respkit/server/values/score_tree.hpp>

namespace respkit {

namespace {

// Blocks of about 1 KiB.
constexpr std::uint32_t leaf_slots = 62;
constexpr std::uint32_t inner_slots = 31;

template <class Block>
Block* allocate(std::uint32_t capacity, std::size_t slot_size) {
    void* memory = std::malloc(sizeof(Block) + capacity * slot_size);
    if (!memory) throw std::bad_alloc();
    return new (memory) Block{0, capacity};
}

template <class Block, class Slot>
void put(Block* b, std::uint32_t at, Slot const& slot) {
    auto* const slots = b->slots();
    std::memmove(slots + at + 1, slots + at, (b->count - at) * sizeof(Slot));
    slots[at] = slot;
    ++b->count;
}

template <class Block>
void cut(Block* b, std::uint32_t at) {
    auto* const slots = b->slots();
    std::memmove(slots + at, slots + at + 1, (b->count - at - 1) * sizeof *slots);
    --b->count;
}

// Moves the slots from `at` on to the end of another block, which has the room.
template <class Block>
void move_tail(Block* from, std::uint32_t at, Block* to) {
    std::memcpy(to->slots() + to->count, from->slots() + at, (from->count - at) * sizeof *from->slots());
    to->count += from->count - at;
    from->count = at;
}

// Puts a slot into a full block by way of a second one, which is returned. Who appends leaves the first
// one full: ascending scores make full blocks.
template <class Block, class Slot>
Block* put_and_split(Block* b, std::uint32_t at, Slot const& slot) {
    auto* const second = allocate<Block>(b->capacity, sizeof(Slot));
    auto const kept = at == b->count ? at : b->count / 2;
    move_tail(b, kept, second);
    at <= kept && second->count ? put(b, at, slot) : put(second, at - kept, slot);
    return second;
}

}  // namespace

score_tree::node* score_tree::node::make(std::string_view member, double score) {
    void* block = std::malloc(sizeof(node) + member.size());
    if (!block) throw std::bad_alloc();
    auto* n =
        new (block) node{nullptr, 0, static_cast<std::uint32_t>(member.size()), score, nullptr, nullptr};
    if (!member.empty()) std::memcpy(n + 1, member.data(), member.size());
    return n;
}

void score_tree::node::destroy(node* n) { std::free(n); }

score_tree::~score_tree() { release(root_, height_); }

void score_tree::release(void* root, std::size_t height) {
    if (height) {
        auto* const b = static_cast<inner*>(root);
        for (std::uint32_t i = 0; i < b->count; ++i) release(b->slots()[i].child, height - 1);
    }
    std::free(root);
}

// Goes to the first element for which is_less is false; it must be true up to some point of the order. In
// the blocks above, goes_right tells whether to look into a block with this first element or before it.
// Needs a root. The place found may be the end of a leaf.
template <class Right, class Less>
void score_tree::descend(Right&& goes_right, Less&& is_less, path& to) const {
    void* at = root_;
    for (auto h = height_; h; --h) {
        auto* const b = static_cast<inner*>(at);
        auto* const slots = b->slots();
        auto const* const beyond = std::partition_point(slots + 1, slots + b->count,
                                                        [&](branch const& s) { return goes_right(s.first); });
        to.steps[h] = {b, static_cast<std::uint32_t>(beyond - slots - 1)};
        at = beyond[-1].child;
    }
    to.end = static_cast<leaf*>(at);
    auto* const places = to.end->slots();
    to.place =
        static_cast<std::uint32_t>(std::partition_point(places, places + to.end->count, is_less) - places);
}

// To the node itself, or to where it belongs.
void score_tree::descend(node const& n, path& to) const {
    auto const member = n.key();
    auto const is_less = [&](place const& p) {
        if (p.score != n.score) return p.score < n.score;
        return p.element != &n && p.element->key() < member;
    };
    descend([&](place const& p) { return p.element == &n || is_less(p); }, is_less, to);
}

void score_tree::link(node* n) noexcept {
    if (!root_) root_ = allocate<leaf>(4, sizeof(place));
    path way;
    descend(*n, way);
    auto* b = way.end;
    n->before = way.place ? b->slots()[way.place - 1].element : nullptr;
    n->after = n->before ? n->before->after : first_;
    (n->before ? n->before->after : first_) = n;
    (n->after ? n->after->before : last_) = n;

    place const fresh{n->score, n};
    for (std::size_t h = 1; h <= height_; ++h) {
        auto& slot = way.steps[h].at->slots()[way.steps[h].slot];
        ++slot.size;
        if (!n->before) slot.first = fresh;
    }
    if (b->count == b->capacity && b->capacity < leaf_slots) {  // a root that is still small
        auto* const bigger = allocate<leaf>(std::min(2 * b->capacity, leaf_slots), sizeof(place));
        move_tail(b, 0, bigger);
        std::free(b);
        root_ = b = bigger;
    }
    if (b->count < b->capacity) return put(b, way.place, fresh);
    auto* const second = put_and_split(b, way.place, fresh);
    split(way, {second->slots()[0], second, second->count});
}

// Enters a block that has been split off at the end of `way` into the block above, and so on upwards. All
// elements are in the table by then.
void score_tree::split(path const& way, branch fresh) {
    for (std::size_t h = 1; h <= height_; ++h) {
        auto* const b = way.steps[h].at;
        auto const slot = way.steps[h].slot;
        b->slots()[slot].size -= fresh.size;
        if (b->count < b->capacity) return put(b, slot + 1, fresh);
        auto* const second = put_and_split(b, slot + 1, fresh);
        fresh = {second->slots()[0].first, second, 0};
        for (std::uint32_t i = 0; i < second->count; ++i) fresh.size += second->slots()[i].size;
    }
    auto* const root = allocate<inner>(inner_slots, sizeof(branch));
    put(root, 0, branch{{first_->score, first_}, root_, 0});
    put(root, 1, fresh);
    root->slots()[0].size = size() - fresh.size;
    root_ = root;
    ++height_;
}

void score_tree::unlink(node* n) noexcept {
    path way;
    descend(*n, way);
    cut(way.end, way.place);
    (n->before ? n->before->after : first_) = n->after;
    (n->after ? n->after->before : last_) = n->before;
    for (std::size_t h = 1; h <= height_; ++h) --way.steps[h].at->slots()[way.steps[h].slot].size;
    settle(way);
}

// After a removal at the end of `way`: takes out what is empty, unites what is small, sets right what the
// blocks above know of those below.
void score_tree::settle(path const& way) {
    for (std::size_t h = 1; h <= height_; ++h) {
        auto* const parent = way.steps[h].at;
        auto const slot = way.steps[h].slot;
        auto& above = parent->slots()[slot];
        auto* const low = h == 1 ? static_cast<leaf*>(above.child) : nullptr;
        auto* const high = h == 1 ? nullptr : static_cast<inner*>(above.child);
        auto const count = low ? low->count : high->count;
        if (count == 0) {
            std::free(above.child);
            cut(parent, slot);
            continue;
        }
        above.first = low ? low->slots()[0] : high->slots()[0].first;
        if (count < (low ? leaf_slots : inner_slots) / 4) unite(parent, slot, h);
    }
    while (height_ && static_cast<inner*>(root_)->count <= 1) {
        auto* const root = static_cast<inner*>(root_);
        root_ = root->count ? root->slots()[0].child : nullptr;
        height_ = root_ ? height_ - 1 : 0;
        std::free(root);
    }
    if (root_ && height_ == 0 && static_cast<leaf*>(root_)->count == 0) {
        std::free(root_);
        root_ = nullptr;
    }
}

// Unites a small block with a neighbour, if the two leave half of one free.
void score_tree::unite(inner* parent, std::uint32_t slot, std::size_t height) {
    if (parent->count < 2) return;
    auto const left = slot + 1 < parent->count ? slot : slot - 1;
    auto& kept = parent->slots()[left];
    auto const& gone = parent->slots()[left + 1];
    auto const joined = [](auto* to, auto* from, std::uint32_t most) {
        if (to->count + from->count > most / 2) return false;
        move_tail(from, 0, to);
        return true;
    };
    if (!(height == 1
              ? joined(static_cast<leaf*>(kept.child), static_cast<leaf*>(gone.child), leaf_slots)
              : joined(static_cast<inner*>(kept.child), static_cast<inner*>(gone.child), inner_slots)))
        return;
    kept.size += gone.size;
    std::free(gone.child);
    cut(parent, left + 1);
}

void score_tree::insert(std::string_view member, double score) {
    auto* const n = node::make(member, score);
    nodes_.insert(n);
    link(n);
}

void score_tree::score(element e, double score) {
    auto* const n = e.node_;
    bool const stays = (!n->before || n->before->score < score) && (!n->after || n->after->score > score);
    if (!stays) {
        unlink(n);
        n->score = score;
        return link(n);
    }
    path way;
    descend(*n, way);
    n->score = way.end->slots()[way.place].score = score;
    for (std::size_t h = 1; h <= height_; ++h)
        if (auto& first = way.steps[h].at->slots()[way.steps[h].slot].first; first.element == n)
            first.score = score;
}

void score_tree::erase(element e) {
    unlink(e.node_);
    node::destroy(nodes_.take(nodes_.find(e.member(), e.node_->hash)));
}

score_tree::element score_tree::find(std::string_view member) const {
    auto** const link = nodes_.find(member);
    return element(link ? *link : nullptr);
}

score_tree::element score_tree::at(std::size_t rank) const {
    if (rank >= size()) return {};
    void* at = root_;
    for (auto h = height_; h; --h) {
        auto const* slot = static_cast<inner*>(at)->slots();
        for (; rank >= slot->size; ++slot) rank -= slot->size;
        at = slot->child;
    }
    return element(static_cast<leaf*>(at)->slots()[rank].element);
}

// Of the place at the end of `way`.
std::size_t score_tree::rank(path const& way) const {
    std::size_t rank = way.place;
    for (std::size_t h = 1; h <= height_; ++h)
        for (std::uint32_t i = 0; i < way.steps[h].slot; ++i) rank += way.steps[h].at->slots()[i].size;
    return rank;
}

std::size_t score_tree::rank(element e) const {
    path way;
    descend(*e.node_, way);
    return rank(way);
}

template <class Less>
std::size_t score_tree::count_while(Less&& is_less) const {
    if (!root_) return 0;
    path way;
    descend(is_less, is_less, way);
    return rank(way);
}

std::size_t score_tree::below(double score, bool inclusive) const {
    return count_while([&](place const& p) { return p.score < score || (inclusive && p.score == score); });
}

std::size_t score_tree::below(std::string_view member, bool inclusive) const {
    return count_while([&](place const& p) {
        auto const order = p.element->key().compare(member);
        return order < 0 || (inclusive && order == 0);
    });
}

}  // namespace respkit
