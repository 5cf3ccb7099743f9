// The scripts that a server knows.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include <respkit/server/script.hpp>

namespace respkit {

struct call;

// Functions by the SHA-1 of the Lua text that they stand for. As in Redis, EVALSHA runs only what has been
// loaded since SCRIPT FLUSH: by being added, by SCRIPT LOAD or by EVAL.
class script_store {
public:
    // Knows the three scripts of redis-py's Lock; they are not loaded yet, as on a Redis that has just
    // started.
    script_store();

    // `body`: the Lua text, or its SHA-1 (40 hexadecimal digits). Returns the SHA-1.
    std::string add(std::string_view body, script_function f);

    struct script {
        script_function run;
        bool loaded = false;
    };
    // In whatever case; null if there is none.
    script* find(std::string_view sha);
    void flush();

private:
    std::map<std::string, script> by_sha_;
};

// Runs a script that is known, and replies. c's words are those of EVAL: something, numkeys, keys and
// arguments.
void run_script(call& c, std::string_view sha, bool read_only);

}  // namespace respkit
