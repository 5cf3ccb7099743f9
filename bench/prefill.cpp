#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <respkit/bench/format.hpp>
#include <respkit/bench/prefill.hpp>
#include <respkit/resp/command.hpp>

namespace respkit::bench {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kinds{
    {{"mylist", "list"}, {"myset", "set"}, {"myhash", "hash"}, {"myzset", "zset"}}};

[[noreturn]] void refuse(std::string const& key, std::string const& said) {
    std::string mend = "; choose another database (--dbnum) or server";
    if (said.starts_with("OOM")) mend = "; raise its maxmemory, or fill less (-n, -r, -d)";
    if (said.starts_with("READONLY")) mend = "; it is a replica, name its primary (-h, -p)";
    if (said.starts_with("NOPERM")) mend = "; log in as another user (-a, --user)";
    throw prefill_error("cannot fill '" + key + "' before the test: " + said + mend);
}

std::int64_t number(client& server, std::string const& command, std::string const& key) {
    auto const reply = server.call({command, key});
    if (reply.is_error()) refuse(key, reply.text);
    return reply.integer;
}

// Sends variadic commands of many items, a few of them in flight at a time.
class filler {
public:
    filler(client& server, std::vector<std::string> head, std::size_t item_bytes,
           std::function<bool()> const& stop)
        : server_(server),
          head_(std::move(head)),
          most_(std::clamp<std::size_t>((std::size_t{1} << 20) / (item_bytes + 32), 1, 1000)),
          stop_(stop) {}

    // False: stop.
    template <class... Words>
    bool add(Words const&... words) {
        if (words_.empty()) words_ = head_;
        (words_.emplace_back(words), ...);
        return ++items_ < most_ || flush();
    }
    bool finish() {
        if (items_ && !flush()) return false;
        while (in_flight_) receive();
        return true;
    }

private:
    bool flush() {
        if (in_flight_ == 4) receive();
        server_.send(resp::command(std::span<std::string const>(words_)));
        ++in_flight_;
        words_.clear();
        items_ = 0;
        if (!stop_()) return true;
        while (in_flight_) receive();
        return false;
    }
    void receive() {
        auto const reply = server_.receive();
        --in_flight_;
        if (!reply.is_error()) return;
        while (in_flight_) server_.receive(), --in_flight_;
        refuse(head_.size() > 1 ? head_[1] : "key:", reply.text);
    }

    client& server_;
    std::vector<std::string> const head_;
    std::size_t const most_;
    std::function<bool()> const& stop_;
    std::vector<std::string> words_;
    std::size_t items_ = 0;
    int in_flight_ = 0;
};

[[noreturn]] void refuse_kind(std::string const& key, std::string const& is, std::string_view wanted) {
    throw prefill_error(
        fmt::format("key '{}' is a {}, and the test needs a {}; rename it, or choose another "
                    "database (--dbnum) or server",
                    key, is, wanted));
}

void check_kind(client& server, std::string const& key) {
    for (auto const& [name, kind] : kinds) {
        if (key != name) continue;
        auto const is = server.call({"TYPE", key});
        if (is.is_error() || is.text == "none" || is.text == kind) continue;
        refuse_kind(key, is.text, kind);
    }
}

// MSET would replace keys of any type: what is there must be a string.
void check_strings(client& server, std::vector<std::string> const& keys) {
    std::string questions;
    for (auto const& key : keys) questions += resp::command({"TYPE", key});
    server.send(questions);
    std::string const* wrong = nullptr;
    resp::value is;
    for (auto const& key : keys) {
        auto reply = server.receive();
        if (wrong || (!reply.is_error() && (reply.text == "none" || reply.text == "string"))) continue;
        wrong = &key;
        is = std::move(reply);
    }
    if (!wrong) return;
    if (is.is_error()) refuse(*wrong, is.text);
    refuse_kind(*wrong, is.text, "string");
}

void fill_list(client& server, std::string const& key, std::uint64_t wanted, std::string const& value,
               std::function<bool()> const& stop) {
    auto have = static_cast<std::uint64_t>(number(server, "LLEN", key));
    filler fill(server, {"RPUSH", key}, value.size(), stop);
    for (; have < wanted; ++have)
        if (!fill.add(value)) return;
    fill.finish();
}

// Members of names that no test uses. Those that are there already add nothing, so what counts is asked
// again.
void fill_members(client& server, workload const& w, std::uint64_t wanted,
                  std::function<bool()> const& stop) {
    bool const scored = w.needs == need::sorted_set;
    auto const& key = w.words[1];
    std::string const count = scored ? "ZCARD" : "SCARD";
    std::uint64_t next = 0;
    for (;;) {
        auto const have = static_cast<std::uint64_t>(number(server, count, key));
        if (have >= wanted) return;
        filler fill(server, {scored ? "ZADD" : "SADD", key}, 32, stop);
        for (auto missing = wanted - have; missing; --missing) {
            auto const member = fmt::format("prefill:{:012}", next++);
            if (!(scored ? fill.add("0", member) : fill.add(member))) return;
        }
        if (!fill.finish()) return;
    }
}

void fill_keys(client& server, workload const& w, plan const& p, std::function<bool()> const& stop) {
    auto const value = payload(p.data_size);
    std::uint64_t const wanted = p.keyspace ? p.keyspace : 1;
    if (wanted > most_keys_filled) return;
    for (std::uint64_t next = 0; next < wanted;) {
        std::vector<std::string> keys;
        for (; next < wanted && keys.size() < 1000; ++next)
            keys.push_back(p.keyspace ? fmt::format("key:{:012}", next) : w.words[1]);
        check_strings(server, keys);
        filler fill(server, {"MSET"}, value.size(), stop);
        for (auto const& key : keys)
            if (!fill.add(key, value)) return;
        if (!fill.finish()) return;
    }
}

}  // namespace

void prefill(client& server, workload const& w, plan const& p, std::uint64_t requests,
             std::function<bool()> const& stop) {
    if (w.words.size() > 1) check_kind(server, w.words[1]);
    switch (w.needs) {
        case need::nothing:
            return;
        case need::keys:
            return fill_keys(server, w, p, stop);
        case need::list:
            return fill_list(server, w.words[1], requests, payload(p.data_size), stop);
        case need::long_list:
            return fill_list(server, w.words[1], w.range, payload(p.data_size), stop);
        case need::set:
        case need::sorted_set:
            return fill_members(server, w, requests, stop);
    }
}

std::string left_behind(client& server, std::span<workload const> done, plan const& p) {
    std::vector<std::string> names;
    for (auto const& w : done) {
        if (w.words.size() < 2) continue;
        auto name = w.words[1];
        bool const drawn = p.keyspace && name.find(request::placeholder) != std::string::npos;
        if (drawn)
            name.replace(name.find(request::placeholder), request::digits,
                         "<12 digits below " + grouped(p.keyspace) + ">");
        else if (auto const there = server.call({"EXISTS", name}); there.is_error() || !there.integer)
            continue;
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace respkit::bench
