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
struct waiting;

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
    bool authenticated = true;
    std::string name;          // CLIENT SETNAME
    std::string library_name;  // CLIENT SETINFO
    std::string library_version;

    // What happens to the connection once the current command's reply is in the buffer.
    enum class ending { none, after_reply, at_once } closing = ending::none;

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

    std::unique_ptr<waiting> waits;  // blocked: no request runs until it has its reply

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
