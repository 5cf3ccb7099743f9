// Scripts: what EVAL and EVALSHA run. There is no Lua here; whoever writes a test says in C++ what a script
// does.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include <respkit/resp/value.hpp>

namespace respkit {

class instance;
class session;
struct call;

// Thrown out of a script, it is what the client is answered: "CODE and text".
struct script_error : std::runtime_error {
    using runtime_error::runtime_error;
    bool counted = false;  // a command has answered it: INFO has counted it
};

// What a script sees while it runs.
class script_call {
public:
    std::span<std::string_view const> const keys;  // KEYS
    std::span<std::string_view const> const args;  // ARGV

    // The line of the Lua text that errors name from now on.
    int line = 1;

    // As KEYS[i + 1] and ARGV[i + 1] given to redis.call: one that is missing ends the script.
    std::string_view key(std::size_t i) const { return word(keys, i); }
    std::string_view arg(std::size_t i) const { return word(args, i); }

    // redis.call and redis.pcall: run a command for the client who has called the script, in the database it
    // has selected, and return the reply as RESP2 has it. An error ends the script, with call(), and is
    // returned by pcall().
    resp::value call(std::span<std::string_view const> words);
    resp::value call(std::initializer_list<std::string_view> words) {
        return call(std::span(words.begin(), words.size()));
    }
    resp::value pcall(std::span<std::string_view const> words);
    resp::value pcall(std::initializer_list<std::string_view> words) {
        return pcall(std::span(words.begin(), words.size()));
    }

private:
    friend void run_script(respkit::call& c, std::string_view sha, bool read_only);
    script_call(std::span<std::string_view const> k, std::span<std::string_view const> a, instance& server,
                session& who, bool read_only)
        : keys(k), args(a), server_(server), who_(who), read_only_(read_only) {}
    static std::string_view word(std::span<std::string_view const> from, std::size_t i) {
        if (i < from.size()) return from[i];
        throw script_error("ERR Lua redis lib command arguments must be strings or integers");
    }

    instance& server_;
    session& who_;
    bool read_only_;
    bool answered_ = false;  // the last command has been run
};

// Returns the reply. It reaches the client as Lua's conversion would make it: true as 1 and false as null,
// other types as they are, spelled for the client's protocol. An exception ends the script with its text as
// the error.
using script_function = std::function<resp::value(script_call&)>;

}  // namespace respkit
