// One client, as the commands see it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <respkit/resp/request.hpp>
#include <respkit/server/engine.hpp>

namespace respkit {

class instance;
struct command;
struct user;
struct waiting;
struct stall;

// What has been queued since MULTI.
struct transaction {
    struct request {
        command const* row;
        std::vector<std::string> words;
    };
    std::vector<request> queue;
    std::size_t bytes = 0;  // in the queue's words
    bool poisoned = false;  // a command was refused: EXEC will be
};

// How a client that keeps copies wants to be told of changes (CLIENT TRACKING).
struct tracker {
    std::uint64_t redirect = 0;  // the session that is told instead, by its number; 0: this one
    bool broadcast = false;      // of every change to a key that begins with one of `prefixes`
    bool opt_in = false;
    bool opt_out = false;
    bool noloop = false;   // not of its own changes
    bool caching = false;  // CLIENT CACHING has been said, for the command that follows
    bool broken = false;   // who was to be told has gone
    std::set<std::string, std::less<>> prefixes;
};

// What can be subscribed to.
enum class topic : std::uint8_t { channel, pattern, shard_channel };

class session {
public:
    session(std::uint64_t number, peer who, resp::limits l, std::function<void()> wake_up);
    ~session();

    instance* home = nullptr;  // the server it belongs to, which outlives it
    std::uint64_t const id;
    peer const end;
    resp::request_reader reader;
    resp::version protocol = resp::version::v2;
    int db = 0;
    user* account = nullptr;  // whom it acts for
    bool authenticated = true;
    std::string name;          // CLIENT SETNAME
    std::string library_name;  // CLIENT SETINFO
    std::string library_version;

    // What happens to the connection once the current command's reply is in the buffer.
    enum class ending { none, after_reply, by_reset, at_once } closing = ending::none;

    // Where to write to this client: behind the replies of the batch it is in, or, while others run, into
    // its outbox, of which it will be told.
    std::string& output();
    std::string* replies = nullptr;  // of the batch that is running
    std::string outbox;
    std::function<void()> const wake;                    // may be empty
    bool awake = false;                                  // about to be woken
    std::optional<std::int64_t> above_soft_limit_since;  // Unix milliseconds; of what it leaves unread

    // Transactions.
    std::optional<transaction> multi;
    bool executing = false;                             // in EXEC, where nobody waits
    std::vector<std::pair<int, std::string>> watching;  // database and key
    bool overtaken = false;                             // one of those keys has changed

    std::unique_ptr<waiting> waits;                // blocked: no request runs until it has its reply
    std::optional<std::vector<std::string>> held;  // the request that CLIENT PAUSE has held up
    std::unique_ptr<stall> stalled;                // held up by a rule
    std::uint64_t vigil = 0;                       // RESPKIT WAIT's, by its number; 0: none
    bool rests() const { return waits || held || stalled || vigil; }
    std::uint64_t call = 0;  // in the journal: the one that it waits in; 0: none

    // CLIENT REPLY: why replies go nowhere. What is pushed comes all the same.
    enum silence : std::uint8_t { off = 1, skip = 2, skip_next = 4 };
    std::uint8_t silences = 0;
    bool silent() const { return silences & (off | skip) || closing == ending::after_reply; }

    std::unique_ptr<tracker> tracks;  // CLIENT TRACKING ON
    bool monitors = false;            // MONITOR
    bool keeps_memory = false;        // CLIENT NO-EVICT ON
    bool in_house = false;            // the program's own: no rule and no journal sees it

    // A request has been dealt with: forgets what was said for that one alone.
    void request_done();

    // By topic. A client that has any is a subscriber.
    std::set<std::string, std::less<>> subscribed[3];
    auto& subscriptions(topic t) { return subscribed[static_cast<std::size_t>(t)]; }
    std::size_t subscriptions() const { return subscribed[0].size() + subscribed[1].size(); }
    bool subscriber() const { return topics != 0; }
    std::size_t topics = 0;  // all of them

    // For CLIENT LIST.
    std::int64_t since = 0;  // Unix milliseconds
    std::int64_t last_active = 0;
    command const* last_command = nullptr;
    std::size_t input_bytes = 0;  // of the batch that is running
};

}  // namespace respkit
