// One database of a mock, read by the test itself: no command is run, nothing is counted or recorded.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <respkit/server/check.hpp>

namespace respkit {

class loop;

// A handle that must not outlive its mock; any thread may call anything. What a key holds is empty (or
// nothing) if there is no such key; a key of another type throws std::runtime_error which names both types.
class database {
public:
    using scores = std::vector<std::pair<std::string, double>>;

    std::optional<std::string> string(std::string_view key) const;
    std::vector<std::string> list(std::string_view key) const;
    std::set<std::string> set(std::string_view key) const;
    std::map<std::string, std::string> hash(std::string_view key) const;
    scores zset(std::string_view key) const;  // the lowest score first

    std::optional<std::chrono::milliseconds> ttl(std::string_view key) const;  // nothing: it stays
    std::string type(std::string_view key) const;  // as TYPE names it: "list", "none"
    bool exists(std::string_view key) const { return type(key) != "none"; }
    std::vector<std::string> keys(std::string_view pattern = "*") const;  // sorted

    // All of it for people, sorted: every key with its type, its time to live and what it holds.
    std::string dump() const;

    // The same with a verdict; the message shows both sides, line by line.
    check expect_string(std::string_view key, std::string_view expected) const;
    check expect_list(std::string_view key, std::vector<std::string> const& expected) const;
    check expect_set(std::string_view key, std::set<std::string> const& expected) const;
    check expect_hash(std::string_view key, std::map<std::string, std::string> const& expected) const;
    check expect_zset(std::string_view key, scores expected) const;  // in any order
    // Time goes on while a test runs, unless it is frozen: what is left may be shorter by so much.
    check expect_ttl(std::string_view key, std::chrono::milliseconds expected,
                     std::chrono::milliseconds shorter_by = std::chrono::seconds(1)) const;
    check expect_missing(std::string_view key) const;

protected:
    friend class mock;
    database(loop& server, int number) : loop_(&server), number_(number) {}

private:
    std::string name_of(std::string_view key) const;
    check expect_lines(std::string_view type, std::string_view key,
                       std::vector<std::string> const& expected) const;

    loop* loop_;
    int number_;
};

}  // namespace respkit
