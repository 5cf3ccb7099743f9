// Byte streams in every way they can arrive, and what the readers of resp/ make of them. Used by the tests
// and the fuzzer.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <respkit/resp/reply.hpp>
#include <respkit/resp/request.hpp>
#include <respkit/resp/text.hpp>
#include <respkit/resp/value.hpp>

namespace respkit::test {

// Hands `wire` to `use` in parts that end at `cuts` and at the end. Each time the bytes not yet consumed
// come again, in an allocation of their own and of exactly their size: whoever keeps a pointer from the last
// time, or reads past the end, is caught by AddressSanitizer. `use` returns how many bytes it consumed, or
// npos for "no more".
template <class Use>
void arrive(std::string_view wire, std::vector<std::size_t> cuts, Use use) {
    cuts.push_back(wire.size());
    std::string kept;
    std::size_t from = 0;
    for (auto const cut : cuts) {
        kept += wire.substr(from, cut - from);
        from = cut;
        std::unique_ptr<char[]> const exact(new char[kept.size()]);
        if (!kept.empty()) std::memcpy(exact.get(), kept.data(), kept.size());
        std::size_t const used = use(std::string_view(exact.get(), kept.size()));
        if (used == std::string_view::npos) return;
        kept.erase(0, used);
    }
}

// Cuts behind every `step` bytes.
inline std::vector<std::size_t> every(std::size_t step, std::size_t size) {
    std::vector<std::size_t> out;
    for (std::size_t at = step; at < size; at += step) out.push_back(at);
    return out;
}

// The words of each request, then how it ends: "[PING] [GET k] wait", "[PING] invalid: …", or nothing more
// if no bytes are left over.
inline std::string request_trace(std::string_view wire, std::vector<std::size_t> const& cuts,
                                 resp::limits const& l = {}, bool authenticated = true) {
    using status = resp::request_reader::status;
    resp::request_reader reader(l);
    reader.authenticated(authenticated);
    std::string out;
    bool waiting = false;
    arrive(wire, cuts, [&](std::string_view in) {
        std::size_t used = 0;
        for (;;) {
            auto const step = reader.next(in.substr(used));
            used += step.consumed;
            if (step.what == status::invalid) {
                out += "invalid: " + reader.complaint() + " ";
                waiting = false;
                return std::string_view::npos;
            }
            if (step.what == status::need_more) {
                waiting = used < in.size();
                return used;
            }
            out += '[';
            for (auto const& word : reader.words()) out += resp::quote(word).substr(1), out.back() = ' ';
            out.back() = ']';
            out += ' ';
        }
    });
    if (waiting) out += "wait ";
    if (!out.empty()) out.pop_back();
    return out;
}

// Every node of every reply, and the replies as people read them, separated by " | "; then "invalid: …" or
// "incomplete".
struct replies {
    std::string nodes, values;
    friend bool operator==(replies const&, replies const&) = default;
};

inline replies reply_trace(std::string_view wire, std::vector<std::size_t> const& cuts,
                           resp::limits const& l = {}) {
    using status = resp::reply_reader::status;
    resp::reply_reader reader(l);
    resp::value_builder builder;
    replies out;
    bool first = true;
    auto const add = [&](std::string const& text) {
        out.values += (std::exchange(first, false) ? "" : " | ") + text;
    };
    bool done = false;
    std::size_t left = 0;
    arrive(wire, cuts, [&](std::string_view in) {
        std::size_t used = 0;
        for (;;) {
            resp::node n;
            auto const step = reader.next(in.substr(used), n);
            if (step.what == status::invalid) {
                out.nodes += "invalid";
                add("invalid: " + std::string(resp::describe(step.why)));
                done = true;
                return std::string_view::npos;
            }
            if (step.what == status::need_more) {
                left = in.size() - used;
                return used;
            }
            used += step.consumed;
            out.nodes += std::to_string(n.depth) + static_cast<char>(n.type) + resp::quote(n.text) +
                         std::to_string(n.integer) + ',' + std::to_string(n.size) + (n.null ? "null" : "") +
                         (n.completes ? ";\n" : "\n");
            if (builder.add(n)) add(resp::print(builder.take()));
        }
    });
    if (!done && (left || !reader.between_replies())) add("incomplete");
    return out;
}

}  // namespace respkit::test
