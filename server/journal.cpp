#include <algorithm>

#include <respkit/server/command.hpp>
#include <respkit/server/glob.hpp>
#include <respkit/server/journal.hpp>

namespace respkit {
namespace {

std::size_t size_of(recorded_call const& c) {
    std::size_t n = sizeof c + c.client.size() + c.reply.size();
    for (auto const& word : c.words) n += sizeof word + word.size();
    return n;
}

}  // namespace

bool call_filter::matches(recorded_call const& c) const {
    if (c.sequence <= after) return false;
    if (connection && *connection != c.connection) return false;
    if (db && *db != c.db) return false;
    if (client != "*" && !glob_match(client, c.client)) return false;
    if (command == "*" || glob_match(command, c.words[0], true)) return true;
    return c.words.size() > 1 && command.find('|') != std::string::npos &&
           glob_match(command, c.words[0] + '|' + c.words[1], true);
}

void journal::start(std::size_t most_calls) {
    most_calls_ = most_calls;
    on_ = true;
    trim();
}

void journal::clear() {
    calls_.clear();
    bytes_ = 0;
}

std::uint64_t journal::add(session const& who, clock::time_point now,
                           std::span<std::string_view const> words) {
    recorded_call c{.sequence = ++last_,
                    .time = now,
                    .connection = who.id,
                    .client = who.name,
                    .db = who.db,
                    .words = {words.begin(), words.end()}};
    bytes_ += size_of(c);
    calls_.push_back(std::move(c));
    trim();
    return last_;
}

void journal::answered(std::uint64_t sequence, std::string_view reply, std::uint64_t rule) {
    if (calls_.empty() || sequence < calls_.front().sequence || sequence > calls_.back().sequence) return;
    auto& c = calls_[sequence - calls_.front().sequence];
    bytes_ += reply.size();
    c.reply.append(reply);
    if (rule) c.rule = rule;
    trim();
}

void journal::trim() {
    while (!calls_.empty() && (calls_.size() > most_calls_ || bytes_ > most_bytes)) {
        bytes_ -= size_of(calls_.front());
        calls_.pop_front();
    }
}

std::vector<recorded_call> journal::select(call_filter const& f) const {
    std::vector<recorded_call> found;
    std::copy_if(calls_.begin(), calls_.end(), std::back_inserter(found),
                 [&](auto const& c) { return f.matches(c); });
    return found;
}

std::size_t journal::count(call_filter const& f) const {
    return static_cast<std::size_t>(
        std::count_if(calls_.begin(), calls_.end(), [&](auto const& c) { return f.matches(c); }));
}

}  // namespace respkit
