// A rule, said in C++.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include <respkit/server/rule.hpp>

namespace respkit {

// What respkit::mock::on() returns. The rule is set when the statement ends, or by set(), which tells its
// number. What each word means is said in rule.hpp.
//
//     redis.on("GET").key("user:*").times(1).error("LOADING Redis is loading the dataset in memory");
//     redis.on("*").client("worker*").chance(0.1).delay(5ms, 20ms);
//     redis.on("SET").error("READONLY …").then().bulk("later").close();
class rule_builder {
public:
    using setter = std::function<std::uint64_t(rule)>;
    using duration = std::chrono::microseconds;

    rule_builder(std::string_view command, setter f);
    rule_builder(rule_builder const&) = delete;
    rule_builder& operator=(rule_builder const&) = delete;
    ~rule_builder() noexcept(false);

    // Which requests.
    rule_builder& key(std::string_view pattern) { return arg(1, pattern); }
    rule_builder& arg(std::size_t position, std::string_view pattern);
    rule_builder& client(std::string_view pattern);
    rule_builder& connection(std::uint64_t id);
    rule_builder& db(int number);

    // Which of those, and how often.
    rule_builder& nth(std::uint64_t n);
    rule_builder& chance(double share);     // 0.1: one in ten
    rule_builder& times(std::uint64_t n);   // at most
    rule_builder& expect(std::uint64_t n);  // at least

    // What happens.
    rule_builder& delay(duration d) { return delay(d, d); }
    rule_builder& delay(duration least, duration most);
    rule_builder& hold(duration d) { return hold(d, d); }
    rule_builder& hold(duration least, duration most);
    rule_builder& proceed() { return answer(action::outcome::proceed, {}); }
    rule_builder& error(std::string_view text) { return answer(action::outcome::error, text); }
    rule_builder& simple(std::string_view text) { return answer(action::outcome::simple, text); }
    rule_builder& bulk(std::string_view bytes) { return answer(action::outcome::bulk, bytes); }
    rule_builder& integer(std::int64_t n) { return answer(action::outcome::integer, std::to_string(n)); }
    rule_builder& nil() { return answer(action::outcome::nil, {}); }
    rule_builder& raw(std::string_view bytes) { return answer(action::outcome::raw, bytes); }
    rule_builder& no_reply() { return answer(action::outcome::no_reply, {}); }
    rule_builder& push(std::string_view frame);
    rule_builder& prefix(std::size_t bytes);
    rule_builder& split(std::size_t bytes, duration gap = duration{0});
    rule_builder& close();
    rule_builder& reset();
    // What follows is for the next request.
    rule_builder& then();

    std::uint64_t set();

private:
    rule_builder& answer(action::outcome what, std::string_view text);
    action& last() { return rule_.actions.back(); }

    rule rule_;
    setter set_;
    int unwinding_;
};

}  // namespace respkit
