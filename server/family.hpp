// What the rows of one family of commands have in common.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include <respkit/server/command.hpp>

namespace respkit {

// Called, it makes a row; with tips, as COMMAND INFO shows them, or without.
struct family {
    std::uint32_t categories;  // of category::
    std::string_view group;    // as COMMAND DOCS has it

    constexpr command operator()(std::string_view name, int arity, std::uint32_t flags,
                                 std::initializer_list<key_spec> keys, void (*run)(call&),
                                 std::initializer_list<std::string_view> tips, std::string_view since,
                                 std::string_view summary) const {
        command row{.name = name,
                    .arity = arity,
                    .flags = flags,
                    .categories = categories,
                    .run = run,
                    .since = since,
                    .group = group,
                    .summary = summary};
        std::copy(keys.begin(), keys.end(), row.keys);
        std::copy(tips.begin(), tips.end(), row.tips);
        return row;
    }
    constexpr command operator()(std::string_view name, int arity, std::uint32_t flags,
                                 std::initializer_list<key_spec> keys, void (*run)(call&),
                                 std::string_view since, std::string_view summary) const {
        return (*this)(name, arity, flags, keys, run, {}, since, summary);
    }
};

}  // namespace respkit
