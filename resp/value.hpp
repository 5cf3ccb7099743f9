// A whole reply as a tree that owns its bytes: for tests, tools and people. Load paths read nodes instead.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <respkit/resp/reply.hpp>

namespace respkit::resp {

struct value {
    resp::type type = resp::type::null;
    std::string text = {};          // payload of a scalar; a verbatim string keeps its "txt:"
    std::int64_t integer = 0;       // integers; booleans as 0 and 1
    bool null = false;              // also RESP2's "$-1" and "*-1", whose types stay bulk and array
    std::vector<value> items = {};  // elements; a map's keys and values in turn

    static value of(std::int64_t number) { return {.type = resp::type::integer, .integer = number}; }
    static value of(std::string bytes) { return {.type = resp::type::bulk, .text = std::move(bytes)}; }

    bool is_error() const { return resp::is_error(type); }
    friend bool operator==(value const&, value const&) = default;
};

// Collects nodes until a reply is whole. Attributes are dropped: no tool of ours reads them.
class value_builder {
public:
    // True with the node that completes a reply, which `take()` then gives.
    bool add(node const& n);
    value take();

private:
    void collapse(std::size_t depth);

    std::vector<value> open_;       // the path from the reply down to the newest element
    std::size_t attribute_ = none;  // depth of the attribute whose elements are being dropped
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
};

// The first reply in `bytes`, or nothing if it is not there whole. `consumed` is set to its length.
std::optional<value> parse_value(std::string_view bytes, std::size_t* consumed = nullptr);

}  // namespace respkit::resp
