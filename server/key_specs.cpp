#include <cstdlib>
#include <string>

#include <respkit/server/key_specs.hpp>

namespace respkit {
namespace {

using words = std::span<std::string_view const>;

bool names_keys(key_spec const& k) { return k.flags && !(k.flags & key_flag::not_key); }

// What SET does with its key depends on its options, and so with BITFIELD.
std::uint16_t actual_flags(command const& row, words w, std::uint16_t flags) {
    if (!(flags & key_flag::variable_flags)) return flags;
    auto const any = [&](std::size_t from, std::size_t step, auto const&... names) {
        for (std::size_t i = from; i < w.size(); i += step)
            if ((is_word(w[i], names) || ...)) return true;
        return false;
    };
    if (row.name == "set")
        return any(3, 1, "get") ? key_flag::rw | key_flag::access | key_flag::update
                                : key_flag::ow | key_flag::update;
    if (row.name == "bitfield")
        return any(2, 1, "set", "incrby") ? key_flag::rw | key_flag::access | key_flag::update
                                          : key_flag::ro | key_flag::access;
    return flags;
}

bool add(std::vector<found_key>& out, command const& row, key_spec const& k, words w) {
    auto const count = static_cast<std::int64_t>(w.size());
    std::int64_t first = k.begin;
    std::int64_t last = k.last < 0 ? count + k.last : first + k.last;
    if (k.counted) {
        if (first >= count) return false;
        // Redis reads it with C's atoi here: "1 " is 1, though the command itself refuses it.
        auto const n = std::strtol(std::string(w[static_cast<std::size_t>(first)]).c_str(), nullptr, 10);
        if (n < 0 || n > count) return false;
        last = first + n;
        ++first;
    } else if (k.last < 0 && k.limit) {
        last = first + (count - first) / k.limit + k.last;
    }
    if (first >= count || last >= count || last < first) return false;
    for (auto i = first; i <= last; i += k.step)
        out.push_back({static_cast<std::size_t>(i), actual_flags(row, w, k.flags)});
    return true;
}

// SORT's STORE stands anywhere behind the key; the last one counts.
void add_sort(std::vector<found_key>& out, words w) {
    std::size_t store = 0;
    for (std::size_t i = 2; i < w.size(); ++i) {
        if (is_word(w[i], "limit"))
            i += 2;
        else if (is_word(w[i], "get") || is_word(w[i], "by"))
            ++i;
        else if (is_word(w[i], "store") && i + 1 < w.size())
            store = i + 1;
    }
    if (store) out.push_back({store, key_flag::ow | key_flag::update});
}

}  // namespace

bool has_keys(command const& row) {
    for (auto const& k : row.keys)
        if (names_keys(k)) return true;
    return false;
}

std::optional<std::vector<found_key>> keys_of(command const& row, words w) {
    std::vector<found_key> out;
    for (auto const& k : row.keys)
        if (names_keys(k) && !k.unknown && !add(out, row, k, w)) return {};
    if (row.name == "sort") add_sort(out, w);
    return out;
}

}  // namespace respkit
