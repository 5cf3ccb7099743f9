#include <algorithm>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string_view>

#include <respkit/resp/number.hpp>
#include <respkit/server/config.hpp>
#include <respkit/server/options.hpp>

namespace respkit {
namespace {

[[noreturn]] void refuse(std::string const& text) { throw std::invalid_argument(text + "; see --help"); }

// One option as written: "--name" and the words up to the next option.
struct option {
    std::string_view name;
    std::vector<std::string_view> values;

    std::string_view value() const {
        if (values.size() != 1)
            refuse("--" + std::string(name) +
                   (values.empty() ? " needs a value"
                                   : " takes one value, got " + std::to_string(values.size())));
        return values[0];
    }

    std::int64_t number(std::int64_t least, std::int64_t most) const {
        auto const n = resp::parse_integer(value());
        if (!n || *n < least || *n > most)
            refuse("--" + std::string(name) + ": '" + std::string(value()) + "' is not a number from " +
                   std::to_string(least) + " to " + std::to_string(most));
        return *n;
    }

    void no_value() const {
        if (!values.empty())
            refuse("--" + std::string(name) + " takes no value, got '" + std::string(values[0]) + "'");
    }
};

struct row {
    std::string_view name;
    std::string_view value;  // as the help shows it
    std::string_view help;
    void (*apply)(server_options&, option const&);
};

emulation parse_emulation(option const& o) {
    if (o.value() == "7.0") return emulation::redis_7_0;
    if (o.value() == "7.2") return emulation::redis_7_2;
    refuse("--emulate: '" + std::string(o.value()) + "' is unknown; 7.0 and 7.2 are known");
}

constexpr std::int64_t int_max = std::numeric_limits<int>::max();

constexpr row rows[] = {
    {"port", "N", "TCP port, 0 = any free one (default 6379)",
     [](server_options& s, option const& o) {
         s.mock.port = static_cast<std::uint16_t>(o.number(0, 65535));
     }},
    {"bind", "ADDR", "literal address to listen on (default 127.0.0.1)",
     [](server_options& s, option const& o) {
         // redis-server's "* -::*" and lists of addresses: one listener is what we have.
         auto const first = o.values.empty() ? o.value() : o.values[0];
         s.mock.bind = first == "*" ? "0.0.0.0" : std::string(first.substr(first.starts_with('-') ? 1 : 0));
     }},
    {"unixsocket", "PATH", "listen on a unix socket too; with --port 0, only there",
     [](server_options& s, option const& o) { s.mock.unix_path = o.value(); }},
    {"port-file", "PATH", "write the port there once listening",
     [](server_options& s, option const& o) { s.port_file = o.value(); }},
    {"requirepass", "WORD", "ask clients for AUTH",
     [](server_options& s, option const& o) { s.mock.server.password = o.value(); }},
    {"user", "NAME RULE...", "a user, as redis.conf has it: --user bob on '>pw' +@read '~*'",
     [](server_options& s, option const& o) {
         std::string line;
         for (auto const word : o.values) (line += line.empty() ? "" : " ") += word;
         s.mock.server.users.push_back(line);
     }},
    {"databases", "N", "number of databases (default 16)",
     [](server_options& s, option const& o) {
         s.mock.server.databases = static_cast<int>(o.number(1, 1 << 20));
     }},
    {"maxclients", "N", "connections at once (default 10000)",
     [](server_options& s, option const& o) {
         s.mock.server.max_clients = static_cast<std::size_t>(o.number(1, int_max));
     }},
    {"emulate", "VERSION", "answer as Redis 7.0 (default) or 7.2",
     [](server_options& s, option const& o) { s.mock.server.emulate = parse_emulation(o); }},
    {"seed", "N", "make hashes and random picks repeat",
     [](server_options& s, option const& o) {
         s.mock.server.seed =
             static_cast<std::uint64_t>(o.number(0, std::numeric_limits<std::int64_t>::max()));
     }},
    {"quiet", "", "print nothing but the ready lines",
     [](server_options& s, option const& o) {
         o.no_value();
         s.quiet = true;
     }},
    {"commands", "", "print the supported commands as Markdown",
     [](server_options& s, option const&) { s.commands = true; }},
    {"commands-table", "", "the same in short, with what is missing",
     [](server_options& s, option const&) { s.commands_table = true; }},
    {"version", "", "print the version", [](server_options& s, option const&) { s.version = true; }},
    {"help", "", "print this", [](server_options& s, option const&) { s.help = true; }},
};

// What redis-server would do with it: set a parameter, or nothing that a mock has.
void apply_redis_option(server_options& s, option const& o, configuration const& known) {
    // Parameters of redis.conf that CONFIG does not know here, and those it knows but nobody can change.
    constexpr std::string_view meaningless[] = {
        "appendfilename", "syslog-ident",    "unixsocketperm",       "aclfile",
        "include",        "daemonize",       "tcp-backlog",          "supervised",
        "pidfile",        "logfile",         "io-threads",           "always-show-logo",
        "syslog-enabled", "cluster-enabled", "enable-debug-command", "enable-module-command"};
    if (std::find(std::begin(meaningless), std::end(meaningless), o.name) != std::end(meaningless)) {
        s.warnings.push_back("--" + std::string(o.name) + " has no meaning here and is ignored");
        return;
    }
    if (!known.has(o.name)) refuse("unknown option --" + std::string(o.name));
    std::string value;
    for (auto const word : o.values) (value += value.empty() ? "" : " ") += word;
    s.mock.server.config.emplace_back(o.name, value);
}

}  // namespace

server_options parse_server_options(std::span<char const* const> words) {
    server_options s;
    s.mock.port = 6379;
    std::vector<option> options;
    std::optional<std::string_view> port;
    for (std::size_t i = 0; i < words.size(); ++i) {
        std::string_view const word = words[i];
        if (word == "--") {
            s.command.assign(words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end());
            if (s.command.empty()) refuse("no command behind --");
            break;
        }
        if (word == "-v") {
            s.version = true;
        } else if (word == "-h") {
            s.help = true;
        } else if (word.starts_with("--")) {
            auto const equals = word.find('=');
            options.push_back({word.substr(2, equals == std::string_view::npos ? equals : equals - 2), {}});
            if (equals != std::string_view::npos) options.back().values.push_back(word.substr(equals + 1));
        } else if (options.empty()) {
            refuse("unexpected word '" + std::string(word) + "'");
        } else {
            options.back().values.push_back(word);
        }
    }
    configuration const known_to_config;
    for (auto const& o : options) {
        auto const* known =
            std::find_if(std::begin(rows), std::end(rows), [&](row const& r) { return r.name == o.name; });
        if (known != std::end(rows))
            known->apply(s, o);
        else
            apply_redis_option(s, o, known_to_config);
        if (o.name == "port") port = o.values[0];
    }
    if (port == "0" && !s.mock.unix_path.empty()) s.mock.tcp = false;
    // A command gets a server of its own: on a free port unless one was asked for.
    if (!s.command.empty() && !port) s.mock.port = 0;
    return s;
}

std::string server_help() {
    std::string text =
        "respkit-server: a Redis for tests, answering as Redis 7.0.15 does\n\n"
        "  respkit-server [options]              serve until SIGINT or SIGTERM\n"
        "  respkit-server [options] -- COMMAND   run a command beside a server on a free\n"
        "                                        port; it finds REDIS_URL, REDIS_HOST and\n"
        "                                        REDIS_PORT, and {port} in its words\n\n";
    for (auto const& r : rows) {
        std::string left = "  --" + std::string(r.name) + ' ' + std::string(r.value);
        left.resize(std::max<std::size_t>(left.size(), 24), ' ');
        text += left + std::string(r.help) + '\n';
    }
    text +=
        "\nredis-server's own options are accepted: parameters of CONFIG SET are set,\nthose without a "
        "meaning here are ignored with a warning.\n";
    return text;
}

}  // namespace respkit
