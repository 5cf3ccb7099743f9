#pragma once
// What the scripts of hiredis share: replies as text, and checks that are counted.
#include <cstdio>
#include <initializer_list>
#include <string>

#include <hiredis/hiredis.h>

inline int checks = 0;
inline int failures = 0;

inline void check(char const* what, std::string const& found, std::string const& expected) {
    ++checks;
    if (found == expected) return;
    ++failures;
    std::printf("FAIL %s: expected %s, found %s\n", what, expected.c_str(), found.c_str());
}

// Lists in brackets; a missing value is nil.
inline std::string text(redisReply const& r) {
    if (r.type == REDIS_REPLY_NIL) return "nil";
    if (r.type == REDIS_REPLY_INTEGER) return std::to_string(r.integer);
    if (r.type != REDIS_REPLY_ARRAY) return {r.str, r.len};
    std::string words;
    for (auto i = 0u; i < r.elements; ++i) words += (i ? " " : "") + text(*r.element[i]);
    return "[" + words + "]";
}

// Words in the order in which they are written, which `+` would not promise of the commands that they come
// from.
inline std::string joined(std::initializer_list<std::string> words) {
    std::string all;
    for (auto const& word : words) all += word;
    return all;
}

inline bool no_client_kill(std::string const& reply) {
    bool const lacks = reply.find("nknown subcommand") != std::string::npos;
    if (lacks) std::puts("SKIP reconnect: the server has no CLIENT KILL");
    return lacks;
}

// The script's exit code.
inline int finish() {
    std::printf("checks %d\n", checks);
    return failures > 0;
}
