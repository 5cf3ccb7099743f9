#include <algorithm>
#include <stdexcept>
#include <tuple>

#include <respkit/resp/text.hpp>
#include <respkit/server/contents.hpp>
#include <respkit/server/loop.hpp>

namespace respkit {
namespace {

using resp::quote;

constexpr std::string_view none = "none";  // the type of a key that is not there

struct held {
    std::string_view type = none;
    std::vector<std::string> lines = {};
};

// f(keyspace&) on the loop thread, at its time.
template <class F>
auto look(loop& server, int number, F f) {
    return server.ask([&] {
        auto& inside = server.core.inside();
        int const count = server.core.options().databases;
        if (number < 0 || number >= count)
            throw std::out_of_range("respkit::mock: no database " + std::to_string(number) + ", only 0 to " +
                                    std::to_string(count - 1));
        inside.tick();
        return f(inside.database(number));
    });
}

// What f(record const&) makes of a key of this type.
template <class F>
auto read(loop& server, int number, std::string_view key, kind wanted, F f) {
    return look(server, number,
                [&](keyspace& db) -> std::optional<decltype(f(std::declval<record const&>()))> {
                    auto const* r = db.peek(key);
                    if (!r) return {};
                    if (r->type() != wanted)
                        throw std::runtime_error("respkit::mock: " + quote(key) + " holds a " +
                                                 std::string(name_of(r->type())) + ", not a " +
                                                 std::string(name_of(wanted)));
                    return f(*r);
                });
}

}  // namespace

std::optional<std::string> database::string(std::string_view key) const {
    return read(*loop_, number_, key, kind::string, contents::text);
}
std::vector<std::string> database::list(std::string_view key) const {
    return read(*loop_, number_, key, kind::list, contents::list).value_or(std::vector<std::string>());
}
std::set<std::string> database::set(std::string_view key) const {
    return read(*loop_, number_, key, kind::set, contents::set).value_or(std::set<std::string>());
}
std::map<std::string, std::string> database::hash(std::string_view key) const {
    return read(*loop_, number_, key, kind::hash, contents::hash)
        .value_or(std::map<std::string, std::string>());
}
database::scores database::zset(std::string_view key) const {
    return read(*loop_, number_, key, kind::sorted_set, contents::zset).value_or(scores());
}

std::optional<std::chrono::milliseconds> database::ttl(std::string_view key) const {
    return look(*loop_, number_, [&](keyspace& db) -> std::optional<std::chrono::milliseconds> {
        auto const* r = db.peek(key);
        auto const when = r ? db.deadline(*r) : std::nullopt;
        if (!when) return {};
        return std::chrono::milliseconds(*when - db.shared().now);
    });
}

std::string database::type(std::string_view key) const {
    return look(*loop_, number_, [&](keyspace& db) {
        auto const* r = db.peek(key);
        return std::string(r ? respkit::name_of(r->type()) : none);
    });
}

std::vector<std::string> database::keys(std::string_view pattern) const {
    return look(*loop_, number_, [&](keyspace& db) { return contents::keys(db, pattern); });
}

std::string database::dump() const {
    return look(*loop_, number_, [](keyspace& db) { return contents::dump(db); });
}

std::string database::name_of(std::string_view key) const {
    return quote(key) + " in database " + std::to_string(number_);
}

check database::expect_lines(std::string_view wanted, std::string_view key,
                             std::vector<std::string> const& expected) const {
    auto const [type, found] = look(*loop_, number_, [&](keyspace& db) {
        auto const* r = db.peek(key);
        return r ? held{respkit::name_of(r->type()), contents::lines(*r)} : held{};
    });
    // No container is empty: none is as good as no key.
    if (type == none && expected.empty()) return {};
    auto headline = name_of(key);
    if (type == wanted)
        headline = std::string(wanted) + ' ' + headline + " differs";
    else if (type == none)
        headline += " is missing, expected was a " + std::string(wanted);
    else
        headline += " holds a " + std::string(type) + ", expected was " +
                    (wanted == none ? "no such key" : "a " + std::string(wanted));
    auto difference = compare_lines(headline + " (- expected, + found)", expected, found);
    return difference && type != wanted ? check::failed(std::move(headline)) : difference;
}

check database::expect_string(std::string_view key, std::string_view expected) const {
    return expect_lines("string", key, contents::lines(std::string(expected)));
}
check database::expect_list(std::string_view key, std::vector<std::string> const& expected) const {
    return expect_lines("list", key, contents::lines(expected));
}
check database::expect_set(std::string_view key, std::set<std::string> const& expected) const {
    return expect_lines("set", key, contents::lines(expected));
}
check database::expect_hash(std::string_view key, std::map<std::string, std::string> const& expected) const {
    return expect_lines("hash", key, contents::lines(expected));
}
check database::expect_zset(std::string_view key, scores expected) const {
    std::sort(expected.begin(), expected.end(), [](auto const& a, auto const& b) {
        return std::tie(a.second, a.first) < std::tie(b.second, b.first);
    });
    return expect_lines("zset", key, contents::lines(expected));
}

check database::expect_ttl(std::string_view key, std::chrono::milliseconds expected,
                           std::chrono::milliseconds shorter_by) const {
    struct answer {
        bool there = false;
        std::optional<std::int64_t> left;
    };
    auto const [there, left] = look(*loop_, number_, [&](keyspace& db) {
        answer a;
        auto const* r = db.peek(key);
        a.there = r != nullptr;
        if (auto const when = r ? db.deadline(*r) : std::nullopt) a.left = *when - db.shared().now;
        return a;
    });
    if (left && *left <= expected.count() && *left >= (expected - shorter_by).count()) return {};
    auto const text = [](std::int64_t ms) { return std::to_string(ms) + " ms"; };
    auto message = name_of(key) + (left    ? " has " + text(*left) + " to live"
                                   : there ? std::string(" does not expire")
                                           : std::string(" is missing"));
    message += ", expected were " + text(expected.count());
    if (shorter_by.count()) message += " or up to " + text(shorter_by.count()) + " less";
    return check::failed(std::move(message));
}

check database::expect_missing(std::string_view key) const { return expect_lines(none, key, {}); }

}  // namespace respkit
