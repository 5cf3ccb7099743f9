#include <exception>
#include <limits>
#include <stdexcept>

#include <respkit/server/command.hpp>
#include <respkit/server/rule_builder.hpp>

namespace respkit {

rule_builder::rule_builder(std::string_view command, setter f)
    : set_(std::move(f)), unwinding_(std::uncaught_exceptions()) {
    rule_.command = lower_case(command);
}

rule_builder::~rule_builder() noexcept(false) {
    if (set_ && std::uncaught_exceptions() == unwinding_) set();
}

std::uint64_t rule_builder::set() {
    if (!set_) throw std::logic_error("respkit::rule_builder: this rule has been set");
    if (rule_.actions.size() > 1 && rule_.times == rule::always) rule_.times = rule_.actions.size();
    return std::exchange(set_, {})(std::move(rule_));
}

rule_builder& rule_builder::arg(std::size_t position, std::string_view pattern) {
    rule_.arguments.push_back({position, std::string(pattern)});
    return *this;
}
rule_builder& rule_builder::client(std::string_view pattern) {
    rule_.client = pattern;
    return *this;
}
rule_builder& rule_builder::connection(std::uint64_t id) {
    rule_.connection = id;
    return *this;
}
rule_builder& rule_builder::db(int number) {
    rule_.db = number;
    return *this;
}
rule_builder& rule_builder::nth(std::uint64_t n) {
    rule_.nth = n;
    return *this;
}
rule_builder& rule_builder::chance(double share) {
    rule_.chance = share;
    return *this;
}
rule_builder& rule_builder::times(std::uint64_t n) {
    rule_.times = n;
    return *this;
}
rule_builder& rule_builder::expect(std::uint64_t n) {
    rule_.expected = n;
    return *this;
}

rule_builder& rule_builder::delay(duration least, duration most) {
    last().before = {least, most};
    return *this;
}
rule_builder& rule_builder::hold(duration least, duration most) {
    last().after = {least, most};
    return *this;
}
rule_builder& rule_builder::answer(action::outcome what, std::string_view text) {
    bool const line = what == action::outcome::error || what == action::outcome::simple;
    if (line && text.find_first_of("\r\n") != text.npos)
        throw std::invalid_argument("a line end in a reply of one line: raw() sends any bytes");
    last().what = what;
    last().text = text;
    return *this;
}
rule_builder& rule_builder::push(std::string_view frame) {
    last().push = frame;
    return *this;
}
rule_builder& rule_builder::prefix(std::size_t bytes) {
    last().prefix = bytes;
    return *this;
}
rule_builder& rule_builder::split(std::size_t bytes, duration gap) {
    last().piece = bytes ? bytes : 1;
    last().gap = gap;
    return *this;
}
rule_builder& rule_builder::close() {
    last().then = action::ending::close;
    return *this;
}
rule_builder& rule_builder::reset() {
    last().then = action::ending::reset;
    return *this;
}
rule_builder& rule_builder::then() {
    rule_.actions.emplace_back();
    return *this;
}

}  // namespace respkit
