// A peer that follows a script: what it expects to read, what it sends, when it hangs up.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace respkit {

// For the wire's own cases, where rules on a whole server are too much. One connection at a time, on
// 127.0.0.1; a line is a step:
//
//     EXPECT GET user:*        the next request: its words, as patterns; "..." stands for any more
//     SEND BULK "ann"          a reply: SIMPLE, ERROR, BULK, INTEGER text, NIL, or RAW bytes
//     SLEEP 50ms
//     CLOSE                    or RESET
//     EXPECT CLOSE             the client hangs up
//     EXPECT RECONNECT         … and comes again
//
// Words are quoted as in inline commands; empty lines and lines that begin with # are left out. A step that
// needs a connection waits for one.
class dialogue {
public:
    struct options {
        std::uint16_t port = 0;                    // 0: any free one
        std::chrono::milliseconds patience{5000};  // for each thing expected
    };

    // Listens when it returns. Throws std::invalid_argument, "NAME:LINE:COLUMN: why", or std::system_error.
    explicit dialogue(std::string_view script, std::string_view name, options o);
    explicit dialogue(std::string_view script, std::string_view name = "script")
        : dialogue(script, name, options{}) {}
    // Breaks off what has not been said.
    ~dialogue();
    dialogue(dialogue const&) = delete;
    dialogue& operator=(dialogue const&) = delete;

    int port() const;

    // Waits for the end of the script, or for the step at which the client went its own way: then the line
    // that says so ("script:3: expected GET user:*, got SET user:1 x"). Nothing if all went as written.
    std::optional<std::string> finish();

private:
    class thread;
    std::unique_ptr<thread> thread_;
};

}  // namespace respkit
