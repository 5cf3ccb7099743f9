// Flags and categories of commands in Redis' words.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include <respkit/server/command.hpp>

namespace respkit {

// In the order in which Redis lists them.
inline constexpr std::string_view flag_names[] = {"write",
                                                  "readonly",
                                                  "denyoom",
                                                  "admin",
                                                  "pubsub",
                                                  "noscript",
                                                  "blocking",
                                                  "loading",
                                                  "stale",
                                                  "skip_monitor",
                                                  "skip_slowlog",
                                                  "asking",
                                                  "fast",
                                                  "no_auth",
                                                  "may_replicate",
                                                  "no_mandatory_keys",
                                                  "no_async_loading",
                                                  "no_multi",
                                                  "movablekeys",
                                                  "allow_busy"};
inline constexpr std::string_view category_names[] = {
    "keyspace", "read",   "write",       "set",       "sortedset",  "list",        "hash",
    "string",   "bitmap", "hyperloglog", "geo",       "stream",     "pubsub",      "admin",
    "fast",     "slow",   "blocking",    "dangerous", "connection", "transaction", "scripting"};
inline constexpr std::string_view key_flag_names[] = {
    "RW",     "RO",     "OW",      "RM",         "access",        "update",
    "insert", "delete", "not_key", "incomplete", "variable_flags"};

// Its categories with those that follow from its flags (acl.c: setImplicitACLCategories).
std::uint32_t categories_of(command const& row);

}  // namespace respkit
