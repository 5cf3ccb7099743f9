// Reply bytes in, nodes out: what a client reads. RESP2 and RESP3, streamed types included.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <respkit/resp/protocol.hpp>

namespace respkit::resp {

// One element of a reply: a scalar with its value, or the head of an aggregate whose elements follow as
// nodes of their own.
struct node {
    resp::type type = resp::type::null;
    std::size_t depth = 0;     // 0: the reply itself (or an attribute before it)
    std::string_view text;     // scalars: the payload, pointing into the reader's input
    std::int64_t integer = 0;  // integers; booleans as 0 and 1
    std::size_t size = 0;      // aggregates: elements to come (a map counts its pairs), or streamed
    bool null = false;         // "_", and RESP2's "$-1" and "*-1" under the types bulk and array
    bool completes = false;    // with this node one whole top-level reply (or push) has been read

    // The `size` of an aggregate or string that is closed by `end` or an empty chunk instead of counted.
    static constexpr std::size_t streamed = static_cast<std::size_t>(-1);
};

// Reads one node at a time from the front of a buffer that somebody else owns.
//
//     got_node   drop step.consumed bytes, once done with node::text
//     need_more  call again with the same bytes and more behind them; nothing is scanned twice
//     invalid    step.why; the stream cannot be read any further
//
// Strict: what the RESP3 specification calls malformed is refused, also where common clients shrug, and so
// are pushes inside a reply. Integers may carry a '+' and leading zeros, as the specification allows.
// Nothing is allocated but one entry per open aggregate, at most limits::depth.
class reply_reader {
public:
    enum class status { got_node, need_more, invalid };
    struct step {
        status what;
        std::size_t consumed = 0;
        fault why = fault::none;
    };

    explicit reply_reader(limits l = {}) : limits_(l) {}

    step next(std::string_view in, node& out);

    // No reply is under way: the peer may rightly close here.
    bool between_replies() const {
        return open_.empty() && bulk_ == no_bulk && scanned_ == 0 && !attributed_;
    }

private:
    struct frame {
        resp::type type;
        std::size_t left;  // elements still to come; node::streamed if unknown
        bool odd = false;  // streamed map: a key waits for its value
    };

    step line(std::string_view in, node& out);
    step scalar(std::string_view line, node& out, std::size_t consumed);
    step length(std::string_view digits, std::string_view in, node& out, std::size_t header);
    step payload(std::string_view in, node& out);
    step open(node& out, std::size_t consumed);
    step close(node& out, std::size_t consumed);
    step finish(node& out, std::size_t consumed);
    step refuse(fault why) const { return {status::invalid, 0, why}; }
    fault place(type t) const;

    limits limits_;
    std::vector<frame> open_;
    bool attributed_ = false;     // an attribute has been read, what it describes has not
    std::size_t scanned_ = 0;     // no line end before here
    std::size_t bulk_ = no_bulk;  // length of the string whose header has been read but not consumed
    std::size_t header_ = 0;      // bytes of that header
    static constexpr std::size_t no_bulk = static_cast<std::size_t>(-1);
};

}  // namespace respkit::resp
