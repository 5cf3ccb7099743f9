// Names to rows.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <respkit/server/command.hpp>

namespace respkit {

class command_table {
public:
    explicit command_table(emulation e);
    command_table(command_table const&) = delete;

    // The command of that name, in whatever case; null if there is none.
    command const* find(std::string_view name) const;
    static command const* find_subcommand(command const& container, std::string_view name, emulation e);

    // Whether a top-level command is called `word`, in whatever case.
    static bool is_named(command const& row, std::string_view word);

    std::span<command const* const> all() const { return all_; }
    std::size_t size() const { return size_; }  // subcommands included: row.number is below

private:
    static constexpr std::size_t longest_name = 32;

    std::uint32_t size_ = 0;
    std::vector<command> rows_;  // copies, numbered
    std::vector<std::vector<command>> subcommands_;
    std::vector<command const*> all_;
    std::vector<command const*> slots_;  // open addressing; a power of two, less than half full
};

// Whether so many words are right for a row's arity.
inline bool arity_fits(int arity, std::size_t words) {
    return arity >= 0 ? words == static_cast<std::size_t>(arity) : words >= static_cast<std::size_t>(-arity);
}

// The whole name as errors and ACL spell it: "get", "client|setname".
std::string full_name(command const& row);

}  // namespace respkit
