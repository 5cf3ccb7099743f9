#include "player.hpp"

#include <algorithm>
#include <utility>

#include "compare.hpp"
#include <respkit/server/command.hpp>

namespace respkit::differential {
namespace {

constexpr std::size_t most_steps = 64, most_bytes = 12000;  // of one burst; servers read 16 KiB at a time

bool is_scan(line const& l) { return l.compare == rule::scan || l.compare == rule::scan_pairs; }

std::size_t size_of(step const& s) {
    std::size_t out = 0;
    for (auto const& r : s.requests)
        for (auto const& word : r.words) out += word.size() + 8;
    return out;
}

std::string letter(std::size_t connection) {
    return connection ? std::string(1, static_cast<char>('a' + connection)) : std::string();
}

std::string joined(std::vector<link::message> const& all, bool pushes) {
    std::string out;
    for (auto const& each : all)
        if (each.push == pushes) out += each.bytes;
    return out;
}

std::string joined(std::vector<link::message> const& all) {
    std::string out;
    for (auto const& each : all) out += each.bytes;
    return out;
}

std::vector<std::string_view> replies(std::vector<link::message> const& all) {
    std::vector<std::string_view> out;
    for (auto const& each : all)
        if (!each.push) out.push_back(each.bytes);
    return out;
}

// All that an iteration brings, as one reply with the cursor 0.
std::optional<resp::value> iterate(link& on, peer const& at, request of) {
    auto const messages = on.messages();
    if (messages.size() != 1) return {};
    auto all = resp::parse_value(messages[0].bytes);
    auto const cursor = cursor_word(of);
    if (!all || all->items.size() != 2 || of.words.size() <= cursor || of.words[cursor] != "0") return all;
    for (int most = 10000; most > 0 && all->items[0].text != "0"; --most) {
        of.words[cursor] = all->items[0].text;
        std::string wire;
        at.encode(of.words, wire);
        on.forget();
        on.send(wire);
        if (!on.receive(1)) return {};
        auto more = resp::parse_value(on.messages()[0].bytes);
        if (!more || more->items.size() != 2) return more;
        all->items[0] = more->items[0];
        auto& into = all->items[1].items;
        into.insert(into.end(), more->items[1].items.begin(), more->items[1].items.end());
    }
    return all;
}

}  // namespace

player::player(peer& reference, peer& mock, ground const& g, listener seen)
    : reference_(reference), mock_(mock), seen_(std::move(seen)) {
    for (auto const& each : encoding_limits())
        if (std::find(g.limits.begin(), g.limits.end(), each.name) != g.limits.end())
            defaults_.insert(defaults_.end(), {std::string(each.name), std::string(each.usual)});
    defaults_.insert(defaults_.begin(), {"CONFIG", "SET", "notify-keyspace-events", ""});
}

std::optional<difference> player::play(script const& r, bool pipelined) {
    reference_.begin(r.connections, defaults_);
    mock_.begin(r.connections, defaults_);
    states_.assign(r.connections, {});
    difference_.reset();
    abandoned_ = false;
    transcript_.clear();
    recording_ = !pipelined;
    for (std::size_t at = 0; at < r.steps.size();) {
        auto const& next = r.steps[at];
        if (!fits(r, next)) {
            ++at;
            continue;
        }
        bool const single = alone(next);
        settled_ = single;
        auto const end = single ? at + 1 : reach(r, at, pipelined);
        if (!(single ? by_itself(r, at) : burst(r, at, end))) return difference_;
        if (abandoned_) return {};  // what the others hear has parted, too
        if (!everybody(r, end - 1)) return difference_;
        at = end;
    }
    return {};
}

// Who waits would have to answer later, and somebody must be left to wake them; what is pushed during
// EXEC tears its reply apart.
bool player::fits(script const& r, step const& s) const {
    auto const& now = states_[s.connection];
    if (now.waiting || now.over) return false;
    auto const speakers = states_.begin() + static_cast<std::ptrdiff_t>(r.speakers);
    auto const awake =
        std::count_if(states_.begin(), speakers, [](auto const& each) { return !each.waiting; });
    return std::none_of(s.requests.begin(), s.requests.end(), [&](auto const& each) {
        if (each.from->row == "multi") return now.subscribed;
        return each.from->apart ? now.multi : each.from->waits && !now.multi && awake < 2;
    });
}

bool player::alone(step const& s) const {
    if (states_[s.connection].subscribed) return true;
    for (auto const& each : s.requests)
        if (each.from->waits || is_scan(*each.from)) return true;
    return false;
}

std::size_t player::reach(script const& r, std::size_t first, bool pipelined) const {
    std::size_t end = first + 1;
    if (!pipelined) return end;
    for (std::size_t bytes = size_of(r.steps[first]); end < r.steps.size() && end - first < most_steps;
         ++end) {
        auto const& next = r.steps[end];
        bytes += size_of(next);
        if (next.connection != r.steps[first].connection || bytes > most_bytes || alone(next)) break;
    }
    return end;
}

std::vector<player::sent> player::send(script const& r, std::size_t first, std::size_t end) {
    auto const connection = r.steps[first].connection;
    std::vector<sent> all;
    std::string to_reference, to_mock;
    for (; first < end; ++first)
        for (auto const& each : r.steps[first].requests) {
            reference_.encode(each.words, to_reference);
            mock_.encode(each.words, to_mock);
            all.push_back({first, &each});
            if (!recording_) continue;
            transcript_.emplace_back();
            transcript_.back().connection = letter(connection);
            transcript_.back().words = each.words;
        }
    reference_[connection].send(to_reference);
    mock_[connection].send(to_mock);
    return all;
}

bool player::burst(script const& r, std::size_t first, std::size_t end) {
    auto const connection = r.steps[first].connection;
    auto const all = send(r, first, end);
    reference_[connection].receive(all.size());
    mock_[connection].receive(all.size());
    return compare(connection, all);
}

// Both at the same time.
void player::settle(int times) {
    while (times-- > 0) {
        reference_.ask();
        mock_.ask();
        reference_.hear();
        mock_.hear();
    }
}

void player::drain(std::size_t connection) {
    auto& a = reference_[connection];
    auto& b = mock_[connection];
    a.drain();
    b.drain();
    a.catch_up(b);
    b.catch_up(a);
}

// Nobody knows how many replies it will bring: what has come when the servers have settled is all, and what
// a busy machine then still owes to one side.
bool player::by_itself(script const& r, std::size_t at) {
    auto const connection = r.steps[at].connection;
    auto const all = send(r, at, at + 1);
    settle(2);
    drain(connection);
    auto& now = states_[connection];
    auto const& of = *all.back().what;
    if (of.from->waits && !of.from->apart && !now.multi && reference_[connection].quiet() &&
        mock_[connection].quiet())
        now.waiting = &of;
    else if (of.from->apart)
        now.subscribed = true;
    if (is_scan(*of.from) && !now.multi && agree_on_scan(connection, of)) return true;
    return compare(connection, all);
}

bool player::agree_on_scan(std::size_t connection, request const& of) {
    auto& a = reference_[connection];
    auto& b = mock_[connection];
    auto const begun = joined(a.messages());
    auto const x = iterate(a, reference_, of), y = iterate(b, mock_, of);
    if (!x || !y || x->is_error() || !same(of, *x, *y)) return false;
    ++compared_;
    seen_(of, begun);
    note(connection, begun);
    a.forget();
    b.forget();
    return true;
}

bool player::compare(std::size_t connection, std::vector<sent> const& all) {
    auto& a = reference_[connection];
    auto& b = mock_[connection];
    auto const expected = a.messages(), found = b.messages();
    note(connection, joined(expected));
    auto const wanted = replies(expected), got = replies(found);
    auto& now = states_[connection];
    for (std::size_t i = 0; i < std::max(wanted.size(), got.size()); ++i) {
        auto const& about = all[std::min(i, all.size() - 1)];
        if (i >= wanted.size() || i >= got.size() || !agree(now, *about.what, wanted[i], got[i]))
            return differ(about, connection, i < wanted.size() ? wanted[i] : "",
                          i < got.size() ? got[i] : "");
        if (abandoned_) return true;
    }
    auto const pushed = joined(expected, true), pushed_there = joined(found, true);
    if (!same_pushes(*all.back().what, pushed, pushed_there))
        return differ(all.back(), connection, pushed, pushed_there);
    if (a.closed != b.closed || a.broken != b.broken)
        return differ(all.back(), connection, a.closed ? "(closed)" : "", b.closed ? "(closed)" : "");
    now.over = a.closed || a.broken;
    a.forget();
    b.forget();
    return true;
}

// What a step has made others hear: woken clients, messages, notifications.
bool player::everybody(script const& r, std::size_t at) {
    auto const& speaker = states_[r.steps[at].connection];
    if (std::none_of(states_.begin(), states_.end(), [&](auto const& each) {
            return &each != &speaker && (each.waiting || each.subscribed);
        }))
        return true;
    if (!settled_) settle(1);
    sent const last{at, &r.steps[at].requests.back()};
    for (std::size_t i = 0; i < r.connections; ++i) {
        auto& a = reference_[i];
        auto& b = mock_[i];
        drain(i);
        if (a.quiet() && b.quiet() && a.closed == b.closed) continue;
        auto const expected = joined(a.messages()), found = joined(b.messages());
        note(i, expected);
        if (!same_stream(expected, found) || a.closed != b.closed) return differ(last, i, expected, found);
        if (auto const late = replies(a.messages()); !late.empty() && states_[i].waiting)
            seen_(*std::exchange(states_[i].waiting, nullptr), late.front());
        if (a.closed || a.broken) states_[i].over = true;
        a.forget();
        b.forget();
    }
    return true;
}

// Redis' SORT also believes an error that an earlier command of anybody has left in errno: what it then
// refuses need not be refused elsewhere.
bool player::parted(state const& s, request const& of, std::string_view expected,
                    std::string_view found) const {
    auto const* who = lower_case(of.words[0]) == "exec" ? culprit(s.queued, expected, found) : &of;
    return who && who->from->compare == rule::sort &&
           expected.find("-ERR One or more scores can't be converted into double") != expected.npos;
}

bool player::agree(state& s, request const& of, std::string_view expected, std::string_view found) {
    ++compared_;
    if (expected == "+QUEUED\r\n") {
        s.queued.push_back(&of);
        return expected == found;
    }
    auto const name = lower_case(of.words[0]);
    bool const exec = name == "exec";
    if (!(exec ? same(s.queued, expected, found) : same(of, expected, found)))
        return abandoned_ = parted(s, of, expected, found);
    bool const entered = name == "multi" && expected == "+OK\r\n";
    if (entered) s.multi = true;
    bool const left = (exec && (!expected.starts_with('-') || expected.starts_with("-EXECABORT"))) ||
                      (name == "discard" && expected == "+OK\r\n") || expected == "+RESET\r\n";
    if (left) s.multi = false;
    if (left || entered) s.queued.clear();
    seen_(of, expected);
    return true;
}

bool player::differ(sent const& about, std::size_t connection, std::string_view expected,
                    std::string_view found) {
    auto row = about.what->from->row;
    if (lower_case(about.what->words[0]) == "exec")
        if (auto const* inner = culprit(states_[connection].queued, expected, found))
            row = "exec " + inner->from->row;
    difference_ = {about.step, *about.what, connection, std::string(expected), std::string(found), row};
    return false;
}

void player::note(std::size_t connection, std::string_view received) {
    if (!recording_ || received.empty()) return;
    transcript_.emplace_back();
    transcript_.back().what = fixtures::step::kind::expect;
    transcript_.back().connection = letter(connection);
    transcript_.back().want.pieces.front() = received;
}

}  // namespace respkit::differential
