// Request bytes in, words out: what a server reads. Arrays of bulk strings, and inline commands with Redis'
// quoting. Replies are another grammar with other limits and have a reader of their own (reply.hpp).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <respkit/resp/protocol.hpp>

namespace respkit::resp {

// Reads one request at a time from the front of a buffer that somebody else owns.
//
//     auto step = reader.next(in);
//     ready      words() is the request; step.consumed bytes belong to it and may be dropped afterwards
//     need_more  call again with the same bytes and more behind them (they may have moved); nothing is
//                scanned twice. consumed is 0, except that empty lines and empty arrays are always consumed
//     invalid    complaint() is what Redis 7.0 answers before it closes the connection
//
// Accepts and refuses exactly what Redis 7.0.15 does (networking.c: processInlineBuffer,
// processMultibulkBuffer), its indulgences included: the byte after a CR and the two after a bulk string
// are not looked at, and a NUL hides the rest of a header or inline line until the line is too long. One
// point is fixed where Redis depends on how the bytes arrive: a line may hold limits::line bytes before its
// end, never more.
class request_reader {
public:
    enum class status { ready, need_more, invalid };
    struct step {
        status what;
        std::size_t consumed;
    };

    explicit request_reader(limits l = {}) : limits_(l) {}

    step next(std::string_view in);

    // The words of the last ready request; at least one. They point into `in` (or, where quotes had to be
    // undone, into the reader) and die at the next call of next().
    std::span<std::string_view const> words() const { return words_; }

    // After invalid: the text behind "-ERR Protocol error: ".
    std::string complaint() const;

    // A peer that must still authenticate gets the small limits. Takes effect at the next header.
    void authenticated(bool yes) { authenticated_ = yes; }

    void bulk_limit(std::size_t bytes) { limits_.bulk = bytes; }

private:
    step first_part(std::string_view in, std::size_t begin);
    std::optional<step> count_header(std::string_view in);
    std::optional<step> inline_line(std::string_view in);
    bool split(std::string_view line);
    step array(std::string_view in);
    std::optional<step> bulk_header(std::string_view in);
    step wait_for_line(std::size_t scanned);
    step refuse(fault why);
    void rebase(char const* base);
    void forget();

    limits limits_;
    bool authenticated_ = true;
    fault why_ = fault::none;
    char unexpected_ = 0;  // the byte found where '$' was due

    // The request in progress; offsets count from the front of `in`.
    std::vector<std::string_view> words_;
    std::string unquoted_;        // what quoted inline words spell
    char const* base_ = nullptr;  // where `in` began when words_ were taken
    std::size_t at_ = 0;          // the next byte to interpret
    std::size_t scanned_ = 0;     // no line end before here
    std::size_t missing_ = 0;     // words still to come; 0 = between requests
    std::size_t bulk_ = no_bulk;  // length of the bulk string that begins at at_
    static constexpr std::size_t no_bulk = static_cast<std::size_t>(-1);
};

}  // namespace respkit::resp
