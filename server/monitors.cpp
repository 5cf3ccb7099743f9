#include <cstdio>
#include <string>
#include <utility>

#include <respkit/resp/text.hpp>
#include <respkit/resp/writer.hpp>
#include <respkit/server/instance.hpp>
#include <respkit/server/monitors.hpp>

namespace respkit {

namespace {

// As Redis' sdscatrepr() writes it, which knows two escapes more than quote().
std::string represented(std::string_view word) {
    std::string out = "\"";
    for (char const c : word) {
        auto const quoted = resp::quote({&c, 1});
        if (c == '\a' || c == '\b')
            out += c == '\a' ? "\\a" : "\\b";
        else
            out.append(quoted, 1, quoted.size() - 2);
    }
    return out += '"';
}

}  // namespace

bool monitor_list::enter(session& who) {
    if (std::exchange(who.monitors, true)) return false;
    sessions_.push_back(&who);
    return true;
}

void monitor_list::leave(session& who) {
    who.monitors = false;
    std::erase(sessions_, &who);
}

void monitor_list::show(session const& who, std::int64_t now_us, std::span<std::string_view const> words,
                        bool in_script) const {
    if (sessions_.empty()) return;
    char time[40];
    std::snprintf(time, sizeof time, "%lld.%06lld", static_cast<long long>(now_us / 1000000),
                  static_cast<long long>(now_us % 1000000));
    std::string line = std::string(time) + " [" + std::to_string(who.db) + ' ';
    if (in_script)
        line += "lua";
    else if (who.end.unix_socket)
        line += "unix:" + who.end.address.substr(0, who.end.address.rfind(':'));
    else
        line += who.end.address;
    line += ']';
    for (auto const word : words) line += ' ' + represented(word);
    for (auto* to : sessions_) {
        resp::writer(to->output(), to->protocol).simple(line);
        to->home->limit_output(*to);
    }
}

}  // namespace respkit
