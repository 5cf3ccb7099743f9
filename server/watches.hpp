// Who watches which key (WATCH), to be told when it is no longer what it was.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <respkit/server/session.hpp>

namespace respkit {

class keyspace;

class watches {
public:
    explicit watches(std::size_t databases) : keys_(databases) {}

    bool empty() const { return pairs_ == 0; }

    void watch(session& who, int db, std::string_view key);
    void unwatch(session& who);  // everything

    // A key has changed / every key of a database goes / has been exchanged for those of another: overtaken
    // is who watches one that was there or is there now.
    void touched(int db, std::string_view key);
    void clearing(keyspace& db);
    void swapped(keyspace& a, keyspace& b);

private:
    using watchers = std::set<session*>;
    using by_key = std::map<std::string, watchers, std::less<>>;
    static void overtake(watchers const& all);

    std::vector<by_key> keys_;  // by database
    std::size_t pairs_ = 0;     // pairs of session and key
};

}  // namespace respkit
