// Reads replies only as far as counting them needs: how many, of which kind.
//
// The common short shapes (+OK, :1, $3, $-1, and arrays) are read right here; everything else, elements of
// arrays too, goes through resp::reply_reader, node by node. Both are equally strict.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include <respkit/bench/workload.hpp>
#include <respkit/resp/reply.hpp>

namespace respkit::bench {

// What became of requests.
struct tally {
    std::uint64_t ok = 0;
    std::uint64_t nil = 0;
    std::uint64_t hits = 0;                       // among ok, where the test says what a hit is
    std::map<std::string, std::uint64_t> errors;  // error replies by their first word
    std::uint64_t error_replies = 0;              // all of them
    std::uint64_t protocol_errors = 0;
    std::uint64_t timeouts = 0;
    std::uint64_t disconnects = 0;
    std::string first_error;  // the text of one, for people

    std::uint64_t good() const { return ok + nil; }
    std::uint64_t replies() const { return ok + nil + error_replies; }
    std::uint64_t broken() const { return protocol_errors + timeouts + disconnects; }
    std::uint64_t failures() const { return error_replies + broken(); }
    tally& operator+=(tally const& other);
};

class reply_scanner {
public:
    reply_scanner(hit counts, std::size_t range) : counts_(counts), range_(range) {}

    struct result {
        std::size_t consumed = 0;
        std::size_t replies = 0;  // whole ones; pushes are none
        bool unasked = false;     // behind them comes a reply although `most` have been read
        resp::fault why = resp::fault::none;
    };
    // Reads at most `most` replies from the front of `in` and adds what they are to `into`.
    result scan(std::string_view in, std::size_t most, tally& into);

private:
    // What a reply has turned out to be.
    struct head {
        resp::type type = resp::type::null;
        bool null = false;
        std::size_t size = 0;
        std::string error;
    };

    bool quick(std::string_view in, std::size_t& at, tally& into);
    void array_is_whole(tally& into);
    void reply_is_whole(tally& into);

    hit counts_;
    std::size_t range_;
    resp::reply_reader reader_;
    bool inside_ = false;      // reader_ is in the middle of a reply, or of an element of an array read here
    bool begun_ = false;       // reader_ has looked at an element that is not all there yet
    bool attributed_ = false;  // what it reads has yet to begin, behind an attribute
    head head_;
    std::size_t elements_ = 0;  // of an array whose header was read here: still to come
    std::size_t length_ = 0;    // and how many it has in all
};

}  // namespace respkit::bench
