#include <algorithm>
#include <string>

#include <respkit/server/instance.hpp>

namespace respkit {
namespace {

std::string flags_of(session const& s) {
    std::string out;
    auto const add = [&](bool set, char letter) {
        if (set) out += letter;
    };
    add(s.monitors, 'O');
    add(s.subscriber(), 'P');
    add(s.multi.has_value(), 'x');
    add(s.rests(), 'b');
    add(s.tracks != nullptr, 't');
    add(s.tracks && s.tracks->broken, 'R');
    add(s.tracks && s.tracks->broadcast, 'B');
    add(s.overtaken, 'd');
    add(s.closing == session::ending::after_reply, 'c');
    add(s.end.unix_socket, 'U');
    add(s.keeps_memory, 'e');
    return out.empty() ? "N" : out;
}

}  // namespace

// What a mock has no such thing for shows the value of an idle Redis.
std::string instance::describe(session const& s, std::span<std::string_view const> words) const {
    bool const is_running = !words.empty();
    std::size_t const argument_bytes =
        is_running ? words[0].size() + (words.size() > 1 ? words[1].size() : 0) : 0;
    auto const seconds = [&](std::int64_t since) {
        return std::to_string(std::max<std::int64_t>(shared.now - since, 0) / 1000);
    };
    auto const count = [&](topic t) {
        return std::to_string(s.subscribed[static_cast<std::size_t>(t)].size());
    };
    std::string line = "id=" + std::to_string(s.id) + " addr=" + s.end.address +
                       " laddr=" + s.end.local_address + " fd=" + std::to_string(s.end.descriptor) +
                       " name=" + s.name + " age=" + seconds(s.since) + " idle=" + seconds(s.last_active) +
                       " flags=" + flags_of(s) + " db=" + std::to_string(s.db) +
                       " sub=" + count(topic::channel) + " psub=" + count(topic::pattern) +
                       " ssub=" + count(topic::shard_channel) +
                       " multi=" + (s.multi ? std::to_string(s.multi->queue.size()) : "-1");
    line += " qbuf=" + std::to_string(is_running ? s.input_bytes : 0) +
            " qbuf-free=" + (is_running ? "20448" : "0") + " argv-mem=" + std::to_string(argument_bytes) +
            " multi-mem=0 rbs=" + (is_running ? "16384" : "1024") + " rbp=" + (is_running ? "16384" : "0") +
            " obl=0 oll=0 omem=0 tot-mem=" + (is_running ? "37658" : "1800");
    line += " events=r cmd=" + (s.last_command ? full_name(*s.last_command) : "NULL") +
            " user=" + s.account->name + " redir=" + (s.tracks ? std::to_string(s.tracks->redirect) : "-1") +
            " resp=" + (s.protocol == resp::version::v3 ? "3" : "2");
    if (options.emulate == emulation::redis_7_2)
        line += " lib-name=" + s.library_name + " lib-ver=" + s.library_version;
    return line;
}

}  // namespace respkit
