#include <cmath>
#include <utility>

#include <respkit/server/blocking.hpp>
#include <respkit/server/instance.hpp>
#include <respkit/server/number.hpp>

namespace respkit {

std::optional<std::int64_t> read_timeout(call& c, std::size_t i) {
    auto const refuse = [&](std::string_view text) -> std::optional<std::int64_t> {
        c.reply.error(text);
        return {};
    };
    auto const seconds = parse_long_double(c[i]);
    if (!seconds) return refuse("ERR timeout is not a float or out of range");
    auto const milliseconds = std::ceil(*seconds * 1000);
    // What does not fit into Redis' integer turns negative there.
    if (milliseconds < 0 || milliseconds > static_cast<long double>(INT64_MAX))
        return refuse("ERR timeout is negative");
    if (milliseconds == 0) return 0;
    auto const later = static_cast<std::int64_t>(milliseconds);
    constexpr std::int64_t never = INT64_MAX - 1;
    return later < never - c.now() ? c.now() + later : never;
}

std::optional<std::int64_t> read_milliseconds(call& c, std::size_t i) {
    auto const n = c.integer(i, "ERR timeout is not an integer or out of range");
    if (!n) return {};
    if (*n < 0) {
        c.reply.error("ERR timeout is negative");
        return {};
    }
    return *n > INT64_MAX - c.now() ? 0 : c.now() + *n;
}

void take_or_wait(call& c, std::span<std::string_view const> keys, kind k, std::int64_t until,
                  serve_function serve) {
    for (auto const key : keys)
        if (serve(c, key)) return;
    if (c.who.executing) return c.reply.null_array();
    waiting what{.row = &c.row,
                 .words = {c.words.begin(), c.words.end()},
                 .db = c.db.number(),
                 .wanted = k,
                 .until = until,
                 .serve = serve,
                 .places = {}};
    c.server.waiting.enter(c.who, std::move(what), keys);
    c.server.observe_keys();
    if (until) c.db.shared().deadline_changed = true;
}

void instance::serve_waiting() {
    while (waiting.has_ready())
        for (auto const& [db, key] : waiting.take_ready()) serve(db, key);
    observe_keys();
}

// Everybody in line, as long as there is something to take; who waits for something else stays.
void instance::serve(int number, std::string_view key) {
    auto& db = database(number);
    auto* line = waiting.queue(number, key);
    if (!line) return;
    for (auto next = line->begin(); next != line->end();) {
        session& who = **next++;
        auto const* r = db.find(key);
        if (!r) return;
        if (who.waits->wanted != r->type()) continue;
        std::vector<std::string_view> const words(who.waits->words.begin(), who.waits->words.end());
        auto const serve = who.waits->serve;
        std::size_t const begin = replies_to(who).size();
        auto* const pusher = std::exchange(running, &who);
        bool const served = run(who, *who.waits->row, db, words, {replies_to(who), who.protocol},
                                [&](call& c) { return serve(c, key); });
        running = pusher;
        if (!served) continue;
        leave_waiting(who, begin);
        caches.tell_pending();
        if (!waiting.queue(number, key)) return;  // nobody is left, and the line is no more
    }
}

void instance::end_wait(session& who, wait_end how) {
    auto& out = replies_to(who);
    std::size_t const begin = out.size();
    resp::writer reply(out, who.protocol);
    if (how == wait_end::timed_out && who.waits->timed_out)
        who.waits->timed_out(reply);
    else if (how == wait_end::timed_out)
        reply.null_array();
    else
        reply.error("UNBLOCKED client unblocked via CLIENT UNBLOCK");
    leave_waiting(who, begin);
    observe_keys();
}

void instance::leave_waiting(session& who, std::size_t begin) {
    if (auto const call = std::exchange(who.call, 0))
        calls.answered(call, std::string_view(replies_to(who)).substr(begin));
    waiting.leave(who);
    who.request_done();
}

void instance::end_overdue_waits() {
    while (auto* who = waiting.overdue(shared.now)) end_wait(*who, wait_end::timed_out);
}

}  // namespace respkit
