#include <algorithm>
#include <iterator>
#include <utility>

#include <respkit/resp/number.hpp>
#include <respkit/server/values/stream.hpp>

namespace respkit {
namespace {

using words_view = std::span<std::string_view const>;

// Seven bits a byte, the lowest first; all but the last have the eighth set.
void append_number(std::string& out, std::uint64_t n) {
    for (; n >= 0x80; n >>= 7) out += static_cast<char>(n | 0x80);
    out += static_cast<char>(n);
}

std::uint64_t read_number(char const*& at) {
    std::uint64_t n = 0;
    for (unsigned shift = 0;; shift += 7) {
        auto const byte = static_cast<unsigned char>(*at++);
        n |= std::uint64_t{byte & 0x7fu} << shift;
        if (byte < 0x80) return n;
    }
}

// Bytes of an element of Redis' listpack: what is stored, then its length as the way back.
std::size_t with_way_back(std::size_t stored) {
    return stored + (stored < 128         ? 1
                     : stored < 16383     ? 2
                     : stored < 2097151   ? 3
                     : stored < 268435455 ? 4
                                          : 5);
}

std::size_t weight_of(std::int64_t n) {
    auto const fits = [n](int bits) {
        return n >= -(std::int64_t{1} << bits) && n < std::int64_t{1} << bits;
    };
    if (n >= 0 && n < 128) return 2;
    return with_way_back(fits(12) ? 2 : fits(15) ? 3 : fits(23) ? 4 : fits(31) ? 5 : 9);
}

std::size_t weight_of(std::string_view text) {
    if (auto const n = resp::parse_integer(text)) return weight_of(*n);
    auto const head = text.size() < 64 ? 1u : text.size() < 4096 ? 2u : 5u;
    return with_way_back(head + text.size());
}

std::size_t payload_of(words_view words) {
    std::size_t sum = 0;
    for (auto const word : words) sum += word.size();
    return sum;
}

}  // namespace

std::optional<stream_id> stream_id::next() const {
    if (*this == greatest()) return {};
    return sequence == ~std::uint64_t{0} ? stream_id{ms + 1, 0} : stream_id{ms, sequence + 1};
}

std::optional<stream_id> stream_id::previous() const {
    if (*this == stream_id{}) return {};
    return sequence == 0 ? stream_id{ms - 1, ~std::uint64_t{0}} : stream_id{ms, sequence - 1};
}

std::string stream_id::text() const { return std::to_string(ms) + '-' + std::to_string(sequence); }

void stream_value::block::begin(stream_id id, words_view words) {
    constexpr std::size_t empty_listpack = 7;
    first = id;
    name_count = words.size() / 2;
    weight = empty_listpack + weight_of(1) + weight_of(0) + weight_of(static_cast<std::int64_t>(name_count));
    for (std::size_t i = 0; i < words.size(); i += 2) {
        packed::append(names, words[i]);
        weight += weight_of(words[i]);
    }
    weight += weight_of(0);
}

bool stream_value::block::has_names_of(words_view words) const {
    if (words.size() / 2 != name_count) return false;
    auto const* at = names.data();
    for (std::size_t i = 0; i < words.size(); i += 2) {
        auto const name = packed::read(at);
        if (name != words[i]) return false;
        at = name.data() + name.size();
    }
    return true;
}

void stream_value::block::append(stream_id id, words_view words) {
    auto const fields = words.size() / 2;
    bool const same = has_names_of(words);
    std::string entry;
    append_number(entry, id.ms - first.ms);
    append_number(entry, id.sequence);
    append_number(entry, same ? 0 : fields);
    for (std::size_t i = same ? 1 : 0; i < words.size(); i += same ? 2 : 1) packed::append(entry, words[i]);
    bytes += entry;  // all of it or nothing

    weight += weight_of(0) + weight_of(static_cast<std::int64_t>(id.ms - first.ms)) +
              weight_of(static_cast<std::int64_t>(id.sequence - first.sequence));
    if (!same) weight += weight_of(static_cast<std::int64_t>(fields));
    for (std::size_t i = same ? 1 : 0; i < words.size(); i += same ? 2 : 1) weight += weight_of(words[i]);
    weight += weight_of(static_cast<std::int64_t>(same ? fields + 3 : 2 * fields + 4));
    last = id;
    ++live;
}

stream_value::entry stream_value::block::read(char const*& at) const {
    entry e;
    e.id.ms = first.ms + read_number(at);
    e.id.sequence = read_number(at);
    e.size = read_number(at);
    if (e.size == 0) {
        e.size = name_count;
        e.names_ = names.data();
    }
    e.bytes_ = at;
    for (auto left = e.names_ ? e.size : 2 * e.size; left; --left) {
        auto const word = packed::read(at);
        at = word.data() + word.size();
    }
    return e;
}

bool stream_value::block::erase(stream_id id) {
    for (auto const* at = bytes.data(); at != end();) {
        auto const begin = static_cast<std::size_t>(at - bytes.data());
        auto const e = read(at);
        if (e.id < id) continue;
        if (e.id > id) return false;
        bytes.erase(begin, static_cast<std::size_t>(at - bytes.data()) - begin);
        --live;
        ++gone;
        return true;
    }
    return false;
}

void stream_value::block::drop(std::size_t count) {
    auto const* at = bytes.data();
    for (auto left = count; left; --left) read(at);
    bytes.erase(0, static_cast<std::size_t>(at - bytes.data()));
    live -= count;
    gone += count;
}

std::size_t stream_value::block::count_before(stream_id id) const {
    std::size_t count = 0;
    for (auto const* at = bytes.data(); at != end() && read(at).id < id;) ++count;
    return count;
}

// The one that holds `id`, if any does; else the first one behind it.
std::deque<stream_value::block>::const_iterator stream_value::block_of(stream_id id) const {
    return std::partition_point(blocks_.begin(), blocks_.end(), [&](block const& b) { return b.last < id; });
}

void stream_value::append(stream_id id, words_view words) {
    if (!blocks_.empty() && blocks_.back().takes(payload_of(words))) {
        blocks_.back().append(id, words);
    } else {
        block fresh;
        fresh.begin(id, words);
        fresh.append(id, words);
        if (!blocks_.empty()) blocks_.back().bytes.shrink_to_fit();
        blocks_.push_back(std::move(fresh));
    }
    last_id_ = id;
    ++size_;
}

bool stream_value::erase(stream_id id) {
    auto const at = blocks_.begin() + (block_of(id) - blocks_.cbegin());
    if (at == blocks_.end() || !at->erase(id)) return false;
    if (at->live == 0) blocks_.erase(at);
    --size_;
    return true;
}

std::size_t stream_value::trim(stream_trim const& t) {
    auto const before = size_;
    while (!blocks_.empty() && (t.by == stream_trim::id || size_ > t.most_entries)) {
        auto& oldest = blocks_.front();
        if (t.limit && before - size_ + oldest.live > t.limit) break;
        bool const whole =
            t.by == stream_trim::id ? oldest.last < t.first_kept : size_ - oldest.live >= t.most_entries;
        if (whole) {
            size_ -= oldest.live;
            blocks_.pop_front();
            continue;
        }
        if (t.roughly) break;
        auto const some =
            t.by == stream_trim::id ? oldest.count_before(t.first_kept) : size_ - t.most_entries;
        oldest.drop(some);
        size_ -= some;
        break;
    }
    return before - size_;
}

std::vector<stream_value::entry> stream_value::range(stream_id first, stream_id last,
                                                     std::size_t most) const {
    std::vector<entry> found;
    for (auto b = block_of(first); b != blocks_.end() && b->first <= last; ++b)
        for (auto const* at = b->bytes.data(); at != b->end();) {
            if (found.size() == most) return found;
            auto const e = b->read(at);
            if (e.id > last) return found;
            if (e.id >= first) found.push_back(e);
        }
    return found;
}

std::vector<stream_value::entry> stream_value::reverse_range(stream_id first, stream_id last,
                                                             std::size_t most) const {
    std::vector<entry> found;
    std::vector<entry> in_block;
    auto b = block_of(last);
    if (b != blocks_.end()) ++b;
    while (b != blocks_.begin() && found.size() < most) {
        --b;
        if (b->last < first) break;
        in_block.clear();
        for (auto const* at = b->bytes.data(); at != b->end();)
            if (auto const e = b->read(at); e.id >= first && e.id <= last) in_block.push_back(e);
        auto const take = std::min(in_block.size(), most - found.size());
        std::copy_n(in_block.rbegin(), take, std::back_inserter(found));
    }
    return found;
}

}  // namespace respkit
