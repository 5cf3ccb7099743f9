// The embeddable server: a Redis inside your test or program.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <respkit/resp/value.hpp>
#include <respkit/server/clock.hpp>
#include <respkit/server/database.hpp>
#include <respkit/server/engine.hpp>
#include <respkit/server/rule_builder.hpp>

namespace respkit {

struct mock_options {
    std::string bind = "127.0.0.1";      // a literal address, IPv4 or IPv6
    std::uint16_t port = 0;              // 0: any free port
    bool tcp = true;                     // false: the unix socket only, or nothing but connect_fd()
    std::string unix_path = {};          // empty: no unix socket
    std::vector<std::string> load = {};  // files of commands, see load()
    bool journal = true;                 // keep what is asked and answered, for calls()
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
//
// Reads and checks what its database 0 holds, as `database` has it.
class mock : public database {
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

    // A client's end of a connection that needs no port: a blocking stream socket, the caller's to close. For
    // redisConnectFd(), or assign() of an Asio local::stream_protocol::socket. Refused (std::system_error,
    // ECONNREFUSED) while the mock accepts nobody.
    int connect_fd();

    // Ends every connection; returns how many there were. run() is no client.
    std::size_t kill_clients();
    // New clients are refused, those connected stay, the port remains this server's.
    void stop_accepting();
    void accept_again();
    // As a Redis is restarted that keeps its data: clients are cut off, new ones refused for the downtime, by
    // this mock's clock; run_id is another, counters are zero, what CONFIG SET had set is forgotten. Returns
    // at once.
    void restart(std::chrono::microseconds downtime = {});

    // Another database than 0.
    database db(int number) { return database(*loop_, number); }
    std::string dump() const;  // every database that holds something; for people

    // Runs a file of commands, one a line in redis-cli's words and quotes, # begins a comment line. Throws
    // std::runtime_error "FILE:LINE: COMMAND: REPLY" at the first that is answered with an error.
    void load(std::string const& path);
    // Makes random picks and orders repeat from here on. There must be no keys yet.
    void seed(std::uint64_t number);
    // Back to the start, between two tests: no keys, configuration, counters and seed as they were, real time
    // again. Clients stay connected; new ones are accepted.
    void reset();

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

    // What is to happen to requests instead of, or besides, what Redis would do: see rule_builder.hpp and
    // rule.hpp. Rules are asked in the order in which they were set.
    //
    //     redis.on("GET").key("user:*").times(1).error("LOADING Redis is loading the dataset in memory");
    rule_builder on(std::string_view command);
    std::uint64_t add_rule(rule r);
    bool remove_rule(std::uint64_t id);
    void clear_rules();

    // What EVAL and EVALSHA run for a script: there is no Lua in here. See engine::add_script.
    std::string add_script(std::string body, script_function f);

    // What has gone otherwise than the rules say: a line for every rule that has acted less often than it is
    // expected to, and for every command asked for that this server does not have.
    std::vector<std::string> complaints() const;
    // f gets each of them when the server ends.
    void on_failure(std::function<void(std::string_view)> f);

    // The requests that have come, oldest first, as far as they are kept; run()'s are not among them.
    std::vector<recorded_call> calls(std::string_view command = "*") const;
    std::vector<recorded_call> calls(call_filter const& f) const;
    void clear_calls();

    // Wait until so many calls of the command have come, clients are blocked (BLPOP), have subscribed to the
    // channel, or are connected. False: not in time, which is real time.
    bool wait_calls(std::string_view command, std::size_t n = 1,
                    std::chrono::milliseconds longest = patience);
    bool wait_blocked(std::size_t n = 1, std::chrono::milliseconds longest = patience);
    bool wait_subscribed(std::string_view channel, std::size_t n = 1,
                         std::chrono::milliseconds longest = patience);
    bool wait_connected(std::size_t n = 1, std::chrono::milliseconds longest = patience);
    bool wait(condition c, std::chrono::milliseconds longest = patience);
    static constexpr std::chrono::milliseconds patience{5000};

    // LOADING, READONLY, MASTERDOWN, NOREPLICAS, OOM: commands are refused as a Redis in that state would.
    void pretend(server_state s);

    // Asked of the loop thread itself, so that it covers exactly what that thread has done until now.
    cpu_time cpu() const;
    counters counts() const;
    std::map<std::string, std::uint64_t> unsupported() const;  // commands asked for that do not exist

private:
    mock(std::unique_ptr<loop> server, int number);

    std::unique_ptr<loop> loop_;
};

}  // namespace respkit
