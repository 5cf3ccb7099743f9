// Between a request and its command: the journal that writes it down, the rules that change what becomes
// of it.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <respkit/server/instance.hpp>

namespace respkit {
namespace {

using outcome = action::outcome;

void answer_otherwise(resp::writer& reply, std::string& out, action const& a) {
    switch (a.what) {
        case outcome::error:
            return reply.error(a.text);
        case outcome::simple:
            return reply.simple(a.text);
        case outcome::bulk:
            return reply.bulk(a.text);
        case outcome::integer:
            return reply.integer(resp::parse_integer(a.text).value_or(0));
        case outcome::nil:
            return reply.null();
        case outcome::raw:
            out += a.text;
            return;
        case outcome::no_reply:
        case outcome::proceed:
            return;
    }
}

bool shapes(action const& a) {
    return !a.after.none() || a.prefix != action::whole || a.piece != action::whole;
}

}  // namespace

void instance::interpose(session& who, std::span<std::string_view const> words) {
    // What runs the test is no part of it.
    if (who.in_house || is_word(words[0], "respkit")) return dispatch(who, words);
    auto const call =
        calls.on() ? calls.add(who, respkit::clock::time_point(std::chrono::microseconds(now_us)), words) : 0;
    auto const decision = rules.decide(who, words, shared.random);
    if (!decision) return perform(who, words, call, 0, {});
    action const what = *decision->what;
    if (what.before.none()) return perform(who, words, call, decision->rule, what);
    hold_up(who, {.until_us = now_us + draw(what.before, shared.random).count(),
                  .call = call,
                  .rule = decision->rule,
                  .words = {words.begin(), words.end()},
                  .what = what});
}

void instance::hold_up(session& who, stall s) {
    held_up.enter(who, std::move(s));
    shared.deadline_changed = true;
}

void instance::perform(session& who, std::span<std::string_view const> words, std::uint64_t call,
                       std::uint64_t rule, action const& what) {
    auto& out = who.output();
    std::size_t const begin = out.size();
    if (!who.silent()) out += what.push;
    std::size_t const reply = out.size();
    if (what.what == outcome::proceed) {
        dispatch(who, words);
    } else {
        auto& to = replies_to(who);
        resp::writer writer(to, who.protocol);
        answer_otherwise(writer, to, what);
        if (auto const error = writer.last_error(); !error.empty()) {
            count_error(error);
            if (who.multi) who.multi->poisoned = true;
        }
        ++counts.commands;
    }
    if (call) calls.answered(call, std::string_view(out).substr(reply), rule);
    if (who.rests()) {  // what it waits for comes as it is
        who.call = call;
        return;
    }
    if (who.closing != session::ending::none) return;
    if (!shapes(what)) return end_as(who, what.then);
    stall s{.until_us = now_us + draw(what.after, shared.random).count(), .rule = rule, .what = what};
    s.rest = out.substr(begin);
    s.rest.resize(std::min(s.rest.size(), what.prefix));
    out.resize(begin);
    hold_up(who, std::move(s));
    if (what.after.none()) wake(who);
}

void instance::end_as(session& who, action::ending how) {
    if (how == action::ending::close) who.closing = session::ending::after_reply;
    if (how == action::ending::reset) who.closing = session::ending::by_reset;
}

void instance::go_on(session& who) {
    auto& s = *who.stalled;
    if (s.until_us > now_us) return;
    if (!s.words.empty()) {
        auto const waited = std::move(*who.stalled);
        held_up.leave(who);
        std::vector<std::string_view> const words(waited.words.begin(), waited.words.end());
        return perform(who, words, waited.call, waited.rule, waited.what);
    }
    auto const size = std::min(s.rest.size(), s.what.piece);
    who.output().append(s.rest, 0, size);
    s.rest.erase(0, size);
    s.begun = true;
    if (s.rest.empty()) {
        auto const then = s.what.then;
        held_up.leave(who);
        return end_as(who, then);
    }
    held_up.again(who, now_us + s.what.gap.count());
    shared.deadline_changed = true;
    if (!s.what.gap.count()) wake(who);
}

void instance::dispatch_held(session& who) {
    auto const words = *std::exchange(who.held, {});
    std::vector<std::string_view> const views(words.begin(), words.end());
    auto const call = std::exchange(who.call, 0);
    std::size_t const begin = who.output().size();
    dispatch(who, views);
    if (who.rests())
        who.call = call;
    else if (call)
        calls.answered(call, std::string_view(who.output()).substr(begin));
}

void instance::wake_due() {
    while (auto* who = held_up.take_due(now_us)) wake(*who);
}

void instance::keep_vigil(session& who, condition c, std::int64_t until) {
    who.vigil = expected.keep(std::move(c), until, [this, &who](bool holds) {
        who.vigil = 0;
        resp::writer(replies_to(who), who.protocol).integer(holds);
        who.request_done();
    });
    shared.deadline_changed = true;
}

void instance::observe_requests() { interposed = calls.on() || !rules.empty(); }

}  // namespace respkit
