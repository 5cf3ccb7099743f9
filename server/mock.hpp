// The embeddable server: a Redis inside your test or program.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <respkit/resp/value.hpp>
#include <respkit/server/clock.hpp>
#include <respkit/server/engine.hpp>

namespace respkit {

struct mock_options {
    std::string bind = "127.0.0.1";  // a literal address, IPv4 or IPv6
    std::uint16_t port = 0;          // 0: any free port
    bool tcp = true;                 // false: the unix socket only
    std::string unix_path = {};      // empty: no unix socket
    engine_options server = {};
};

// Processor time of the server's loop thread since it started.
struct cpu_time {
    std::chrono::nanoseconds user{0};
    std::chrono::nanoseconds system{0};
};

// Listens when the constructor returns; the destructor closes every connection, joins the loop thread and
// frees the port. Many can live in one process; they share nothing. Any thread may call any member.
//
//     respkit::mock redis;
//     redis.run({"SET", "greeting", "hello"});
//     auto link = redisConnect(redis.host().c_str(), redis.port());
class mock {
public:
    // Throws std::system_error naming the address if it cannot listen there.
    explicit mock(mock_options o = {});
    ~mock();
    mock(mock const&) = delete;
    mock& operator=(mock const&) = delete;

    std::string host() const;       // "127.0.0.1"
    int port() const;               // 0 without TCP
    std::string unix_path() const;  // "" without a unix socket
    std::string url() const;        // "redis://127.0.0.1:41733" or "unix:///path", the password in it

    // Runs a command as a client of its own would (db 0, RESP3) and returns the reply. Waits for the loop
    // thread. The connection behind it stays, so SELECT and HELLO last.
    resp::value run(std::initializer_list<std::string_view> words);
    resp::value run(std::span<std::string const> words);

    // Time may be moved from any thread: the server notices at once.
    class time_control {
    public:
        void advance(std::chrono::microseconds step);
        void set(clock::time_point t);
        void freeze();
        void resume();
        clock::time_point now() const;

    private:
        friend class mock;
        explicit time_control(mock& owner) : owner_(owner) {}
        mock& owner_;
    };
    time_control clock() { return time_control(*this); }

    // Asked of the loop thread itself, so that it covers exactly what that thread has done until now.
    cpu_time cpu() const;
    counters counts() const;
    std::map<std::string, std::uint64_t> unsupported() const;  // commands asked for that do not exist

private:
    class loop;
    std::unique_ptr<loop> loop_;
};

}  // namespace respkit
