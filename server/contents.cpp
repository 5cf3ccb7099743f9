#include <algorithm>

#include <respkit/resp/text.hpp>
#include <respkit/server/contents.hpp>
#include <respkit/server/glob.hpp>
#include <respkit/server/number.hpp>
#include <respkit/server/values/hash.hpp>
#include <respkit/server/values/list.hpp>
#include <respkit/server/values/set.hpp>
#include <respkit/server/values/sorted_set.hpp>
#include <respkit/server/values/stream.hpp>

namespace respkit::contents {
namespace {

using resp::quote;

std::vector<std::string> stream_lines(record const& r) {
    auto const& s = *r.object<stream_value>();
    std::vector<std::string> out;
    for (auto const& e : s.range({}, stream_id::greatest(), s.size())) {
        auto line = e.id.text();
        e.for_each([&](std::string_view field, std::string_view value) {
            line += ' ' + quote(field) + ": " + quote(value);
        });
        out.push_back(std::move(line));
    }
    return out;
}

std::string seconds(std::int64_t milliseconds) {
    auto out = std::to_string(milliseconds / 1000);
    if (auto const rest = milliseconds % 1000) out += '.' + std::to_string(1000 + rest).substr(1);
    return out + " s";
}

}  // namespace

std::string text(record const& r) { return std::string(r.text()); }

std::vector<std::string> list(record const& r) {
    std::vector<std::string> out;
    for (auto c = r.object<list_value>()->first(); c; c.next()) out.emplace_back(*c);
    return out;
}

std::set<std::string> set(record const& r) {
    std::set<std::string> out;
    r.object<set_value>()->for_each([&](std::string_view member) { out.emplace(member); });
    return out;
}

std::map<std::string, std::string> hash(record const& r) {
    std::map<std::string, std::string> out;
    r.object<hash_value>()->for_each(
        [&](std::string_view field, std::string_view value) { out.emplace(field, value); });
    return out;
}

database::scores zset(record const& r) {
    database::scores out;
    for (auto e = r.object<sorted_set>()->first(); e; e = e.next())
        out.emplace_back(std::string(e.member()), e.score());
    return out;
}

std::vector<std::string> lines(std::string const& text) { return {quote(text)}; }

std::vector<std::string> lines(std::vector<std::string> const& list) {
    std::vector<std::string> out;
    for (auto const& element : list) out.push_back(quote(element));
    return out;
}

std::vector<std::string> lines(std::set<std::string> const& set) {
    return lines(std::vector<std::string>(set.begin(), set.end()));
}

std::vector<std::string> lines(std::map<std::string, std::string> const& hash) {
    std::vector<std::string> out;
    for (auto const& [field, value] : hash) out.push_back(quote(field) + ": " + quote(value));
    return out;
}

std::vector<std::string> lines(database::scores const& zset) {
    std::vector<std::string> out;
    for (auto const& [member, score] : zset)
        out.push_back(quote(member) + ": " +
                      format_double(score, emulation::redis_7_2));  // the shortest text
    return out;
}

std::vector<std::string> lines(record const& r) {
    switch (r.type()) {
        case kind::string:
            return lines(text(r));
        case kind::list:
            return lines(list(r));
        case kind::set:
            return lines(set(r));
        case kind::hash:
            return lines(hash(r));
        case kind::sorted_set:
            return lines(zset(r));
        case kind::stream:
            return stream_lines(r);
    }
    return {};
}

std::vector<std::string> keys(keyspace& db, std::string_view pattern) {
    std::vector<std::string> out;
    db.for_each([&](record const& r) {
        auto const when = db.deadline(r);
        if ((!when || !db.overdue(*when)) && glob_match(pattern, r.key())) out.emplace_back(r.key());
    });
    std::sort(out.begin(), out.end());
    return out;
}

std::string dump(keyspace& db) {
    auto const names = keys(db);
    std::string out = "db " + std::to_string(db.number()) + ", " + std::to_string(names.size()) +
                      (names.size() == 1 ? " key\n" : " keys\n");
    for (auto const& name : names) {
        auto const* r = db.peek(name);
        if (!r) continue;
        out += "  " + quote(name) + ' ' + std::string(name_of(r->type()));
        if (auto const when = db.deadline(*r)) out += ", expires in " + seconds(*when - db.shared().now);
        out += '\n';
        for (auto const& line : lines(*r)) out += "    " + line + '\n';
    }
    return out;
}

std::string dump(instance& server) {
    std::string out;
    for (auto const& db : server.databases)
        if (db->size()) out += dump(*db);
    return out.empty() ? "no keys\n" : out;
}

}  // namespace respkit::contents
