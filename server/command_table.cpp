#include <algorithm>
#include <bit>
#include <iterator>
#include <string>

#include <respkit/server/command_table.hpp>

namespace respkit {
namespace {

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

std::size_t hash_of(std::string_view name) {
    std::size_t h = name.size();
    for (char const c : name) h = (h ^ static_cast<unsigned char>(lower(c))) * 0x100000001b3ULL;
    return h ^ (h >> 29);
}

bool same(std::string_view word, std::string_view name) {
    if (word.size() != name.size()) return false;
    for (std::size_t i = 0; i < name.size(); ++i)
        if (lower(word[i]) != name[i]) return false;
    return true;
}

constexpr std::span<command const> (*families[])() = {
    string_commands,
    bit_commands,
    bitfield_commands,
    lcs_commands,
    list_commands,
    list_move_commands,
    set_commands,
    hash_commands,
    sorted_set_commands,
    sorted_set_range_commands,
    sorted_set_algebra_commands,
    sorted_set_pop_commands,
    stream_commands,
    key_commands,
    key_copy_commands,
    sort_commands,
    object_commands,
    transaction_commands,
    pubsub_commands,
    connection_commands,
    access_commands,
    admin_commands,
    diagnostic_commands,
    script_commands,
    function_commands,
    client_commands,
    server_commands,
    info_commands,
    introspection_commands,
    respkit_commands,
};

}  // namespace

// Redis compares C strings: a NUL ends the word.
bool is_word(std::string_view word, std::string_view name) {
    return same(word.substr(0, word.find('\0')), name);
}

std::string lower_case(std::string_view word) {
    std::string out(word);
    for (auto& c : out) c = lower(c);
    return out;
}

std::string full_name(command const& row) {
    if (row.container.empty()) return std::string(row.name);
    return std::string(row.container) + '|' + std::string(row.name);
}

command_table::command_table(emulation e) {
    auto const is_here = [&](command const& row) { return !row.since_7_2 || e == emulation::redis_7_2; };
    for (auto const family : families) std::ranges::copy_if(family(), std::back_inserter(rows_), is_here);
    for (auto& row : rows_) {
        row.number = size_++;
        if (!row.hidden) all_.push_back(&row);
        if (row.subcommands.empty()) continue;
        auto& subs = subcommands_.emplace_back();
        std::ranges::copy_if(row.subcommands, std::back_inserter(subs), is_here);
        for (auto& sub : subs) sub.number = size_++;
        row.subcommands = subs;
    }

    slots_.resize(std::bit_ceil(4 * rows_.size()));
    for (auto const& row : rows_) {
        std::size_t at = hash_of(row.name) & (slots_.size() - 1);
        while (slots_[at]) at = (at + 1) & (slots_.size() - 1);
        slots_[at] = &row;
    }
}

command const* command_table::find(std::string_view name) const {
    if (name.size() > longest_name) return nullptr;
    for (std::size_t at = hash_of(name) & (slots_.size() - 1); slots_[at];
         at = (at + 1) & (slots_.size() - 1))
        if (same(name, slots_[at]->name)) return slots_[at];
    return nullptr;
}

bool command_table::is_named(command const& row, std::string_view word) {
    return row.container.empty() && same(word, row.name);
}

command const* command_table::find_subcommand(command const& container, std::string_view name, emulation e) {
    for (auto const& row : container.subcommands)
        if (same(name, row.name) && (!row.since_7_2 || e == emulation::redis_7_2)) return &row;
    return nullptr;
}

}  // namespace respkit
