#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <respkit/resp/number.hpp>
#include <respkit/server/command.hpp>
#include <respkit/server/config.hpp>
#include <respkit/server/config_file.hpp>
#include <respkit/server/options.hpp>
#include <respkit/server/redis_directives.hpp>

namespace respkit {
namespace {

// Options of the command line and lines of a config file are one thing; where it stands is said with what is
// wrong.
[[noreturn]] void refuse(std::string const& where, std::string const& text) {
    throw std::invalid_argument(where.empty() ? text + "; see --help" : where + ": " + text);
}

[[noreturn]] void refuse(directive const& d, std::string const& why) {
    refuse(d.where, (d.where.empty() ? "--" : "") + d.name + why);
}

std::string const& value(directive const& d) {
    if (d.values.size() != 1)
        refuse(d, d.values.empty() ? " needs a value"
                                   : " takes one value, got " + std::to_string(d.values.size()));
    return d.values[0];
}

std::int64_t number(directive const& d, std::int64_t least, std::int64_t most) {
    auto const n = resp::parse_integer(value(d));
    if (!n || *n < least || *n > most)
        refuse(d, ": '" + value(d) + "' is not a number from " + std::to_string(least) + " to " +
                      std::to_string(most));
    return *n;
}

bool yes(directive const& d) {
    if (!is_word(value(d), "yes") && !is_word(value(d), "no"))
        refuse(d, ": '" + value(d) + "' is neither yes nor no");
    return is_word(value(d), "yes");
}

void no_value(directive const& d) {
    if (!d.values.empty()) refuse(d, " takes no value, got '" + d.values[0] + "'");
}

// redis-server's "* -::*" and lists of addresses: one listener is what we have. Those with '-' may be
// missing.
void bind(server_options& s, directive const& d) {
    if (d.values.empty()) value(d);
    auto const first = std::string_view(d.values[0]).substr(d.values[0].starts_with('-') ? 1 : 0);
    s.mock.bind = first == "*" ? "0.0.0.0" : first == "localhost" ? "127.0.0.1" : std::string(first);
    for (std::size_t i = 1; i < d.values.size(); ++i)
        if (!d.values[i].starts_with('-'))
            s.warnings.push_back("bind: only " + s.mock.bind + " is listened on, not " + d.values[i]);
}

struct row {
    std::string_view name;
    std::string_view value;  // as the help shows it
    std::string_view help;
    void (*apply)(server_options&, directive const&);
};

emulation parse_emulation(directive const& d) {
    if (value(d) == "7.0") return emulation::redis_7_0;
    if (value(d) == "7.2") return emulation::redis_7_2;
    refuse(d, ": '" + value(d) + "' is unknown; 7.0 and 7.2 are known");
}

std::string joined(std::vector<std::string> const& words) {
    std::string text;
    for (auto const& word : words) (text += text.empty() ? "" : " ") += word;
    return text;
}

constexpr std::int64_t int_max = std::numeric_limits<int>::max();

// Those without a value are for the command line only.
constexpr row rows[] = {
    {"port", "N", "TCP port, 0 = any free one (default 6379)",
     [](server_options& s, directive const& d) {
         s.mock.port = static_cast<std::uint16_t>(number(d, 0, 65535));
     }},
    {"bind", "ADDR", "literal address to listen on (default 127.0.0.1)", bind},
    {"unixsocket", "PATH", "listen on a unix socket too; with --port 0, only there",
     [](server_options& s, directive const& d) { s.mock.unix_path = value(d); }},
    {"port-file", "PATH", "write the port there once listening",
     [](server_options& s, directive const& d) { s.port_file = value(d); }},
    {"requirepass", "WORD", "ask clients for AUTH",
     [](server_options& s, directive const& d) { s.mock.server.password = value(d); }},
    {"user", "NAME RULE...", "a user, as redis.conf has it: --user bob on '>pw' +@read '~*'",
     [](server_options& s, directive const& d) { s.mock.server.users.push_back(joined(d.values)); }},
    {"databases", "N", "number of databases (default 16)",
     [](server_options& s, directive const& d) {
         s.mock.server.databases = static_cast<int>(number(d, 1, 1 << 20));
     }},
    {"maxclients", "N", "connections at once (default 10000)",
     [](server_options& s, directive const& d) {
         s.mock.server.max_clients = static_cast<std::size_t>(number(d, 1, int_max));
     }},
    {"logfile", "PATH", "append the ready lines there, too",
     [](server_options& s, directive const& d) { s.log_file = value(d); }},
    {"pidfile", "PATH", "have the process id there while it runs",
     [](server_options& s, directive const& d) { s.pid_file = value(d); }},
    {"daemonize", "yes|no", "go into the background once listening",
     [](server_options& s, directive const& d) { s.daemonize = yes(d); }},
    {"emulate", "VERSION", "answer as Redis 7.0 (default) or 7.2",
     [](server_options& s, directive const& d) { s.mock.server.emulate = parse_emulation(d); }},
    {"seed", "N", "make hashes and random picks repeat",
     [](server_options& s, directive const& d) {
         s.mock.server.seed =
             static_cast<std::uint64_t>(number(d, 0, std::numeric_limits<std::int64_t>::max()));
     }},
    {"rules", "FILE", "faults and replies of your own, one rule a line (docs/rules.md)",
     [](server_options& s, directive const& d) {
         for (auto& r : parse_rules(read_file(std::string(value(d)), "--rules"), value(d)))
             s.mock.server.rules.push_back(std::move(r));
     }},
    {"script", "FILE", "follow a script instead: EXPECT, SEND, CLOSE … (docs/dialogues.md)",
     [](server_options& s, directive const& d) { s.script = value(d); }},
    {"remote-control", "", "let clients on other machines use RESPKIT commands",
     [](server_options& s, directive const&) { s.mock.server.remote_control = true; }},
    {"load", "FILE", "run its commands first, one a line; # begins a comment",
     [](server_options& s, directive const& d) { s.mock.load.emplace_back(value(d)); }},
    {"strict", "", "exit code 1 if a command was asked for that is not here",
     [](server_options& s, directive const&) { s.strict = true; }},
    {"quiet", "", "print nothing but the ready lines",
     [](server_options& s, directive const&) { s.quiet = true; }},
    {"commands", "", "print the supported commands as Markdown",
     [](server_options& s, directive const&) { s.commands = true; }},
    {"commands-table", "", "the same in short, with what is missing",
     [](server_options& s, directive const&) { s.commands_table = true; }},
    {"version", "", "print the version", [](server_options& s, directive const&) { s.version = true; }},
    {"help", "", "print this", [](server_options& s, directive const&) { s.help = true; }},
};

row const* find_row(std::string_view name) {
    auto const* found =
        std::find_if(std::begin(rows), std::end(rows), [&](row const& r) { return r.name == name; });
    return found == std::end(rows) ? nullptr : found;
}

bool takes_value(std::string_view name) {
    auto const* row = find_row(name);
    return !row || !row->value.empty();
}

bool takes_many(std::string_view name) {
    constexpr std::string_view names[] = {"save", "client-output-buffer-limit", "replicaof", "slaveof",
                                          "latency-tracking-info-percentiles"};
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

// Directives that are redis-server's alone: parameters of CONFIG are set, the others are without a meaning
// here.
class redis_directives {
public:
    void apply(directive const& d) {
        if (!known_.has(d.name)) return leave(d, meaning_of(d.name, joined(d.values)));
        if (d.values.empty()) refuse(d, " needs a value");
        auto const text = takes_many(d.name) ? joined(d.values) : value(d);
        auto const complaint = known_.set({{d.name, text}});
        if (!complaint) return keep(d.name, text);
        auto const why = complaint->substr(complaint->find(" - ") + 3);
        if (why.find("immutable") == std::string::npos) refuse(d, ": " + why);
        bool const missed = d.name != "enable-debug-command" &&  // DEBUG is always here
                            !says_the_same(text, known_.get(d.name));
        leave(d, missed ? meaning::none : meaning::as_it_is);
    }

    // Nothing, or one line on all that is ignored.
    std::string warning() const {
        if (ignored_.empty()) return {};
        std::string text;
        for (auto const& name : ignored_) (text += text.empty() ? "" : ", ") += name;
        return text + (ignored_.size() == 1 ? " has" : " have") + " no meaning here: ignored";
    }

    std::vector<std::pair<std::string, std::string>> config;  // what is to be set

private:
    void keep(std::string const& name, std::string const& text) {
        auto const earlier =
            std::find_if(config.begin(), config.end(), [&](auto const& c) { return c.first == name; });
        // Several lines of `save` are one list, until one is empty.
        if (name == "save" && !text.empty() && earlier != config.end() && !earlier->second.empty())
            earlier->second += ' ' + text;
        else
            config.emplace_back(name, text);
    }

    void leave(directive const& d, meaning m) {
        if (m == meaning::unknown)
            refuse(d.where, d.where.empty() ? "unknown option --" + d.name
                                            : "unknown directive '" + d.name + "': take the line out");
        if (m == meaning::none && std::find(ignored_.begin(), ignored_.end(), d.name) == ignored_.end())
            ignored_.push_back(d.name);
    }

    configuration known_;
    std::vector<std::string> ignored_;
};

// The options of the command line. One that wants a value takes the next word whatever it looks like, as in
// redis-server; only `save` without a value is an empty one.
std::vector<directive> read_options(std::span<char const* const> words) {
    std::vector<directive> options;
    for (std::string_view const word : words) {
        bool const wants =
            !options.empty() && options.back().values.empty() && takes_value(options.back().name);
        if (word.starts_with("--") && (!wants || options.back().name == "save")) {
            if (wants) options.back().values.emplace_back();
            auto const text = word.substr(2);
            auto const end = std::min(text.find_first_of("= "), text.size());
            if (text.substr(end).starts_with('='))
                options.push_back({lower_case(text.substr(0, end)), {std::string(text.substr(end + 1))}, ""});
            else
                options.push_back(read_directive(text, ""));
        } else if (options.empty()) {
            refuse("", "unexpected word '" + std::string(word) + "'");
        } else {
            options.back().values.emplace_back(word);
        }
    }
    if (!options.empty() && options.back().name == "save" && options.back().values.empty())
        options.back().values.emplace_back();
    return options;
}

}  // namespace

std::string read_file(std::string const& path, std::string_view asked_by) {
    std::ifstream file(path, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    if (!file) throw std::invalid_argument(std::string(asked_by) + ": cannot read " + path);
    return text;
}

server_options parse_server_options(std::span<char const* const> words, std::istream& standard_input) {
    server_options s;
    s.mock.port = 6379;
    s.mock.journal = false;
    std::string_view const first = words.empty() ? "" : words[0];
    s.version = first == "-v";
    s.help = first == "-h";
    if (s.version || s.help) return s;

    auto const end = std::find(words.begin(), words.end(), std::string_view("--"));
    if (end != words.end()) {
        s.command.assign(end + 1, words.end());
        if (s.command.empty()) refuse("", "no command behind --");
        words = words.first(static_cast<std::size_t>(end - words.begin()));
    }
    // The file, standard input, the options: the last word on a matter counts.
    std::vector<directive> directives;
    if (!words.empty() && *words.front() != '-') {
        try {
            directives = read_config_file(words.front());
        } catch (std::invalid_argument const& error) {
            std::string const what = error.what();
            bool const is_command = what.starts_with("cannot read");
            throw std::invalid_argument(what + (is_command ? "; a command to run goes behind --" : ""));
        }
        words = words.subspan(1);
    }
    bool const ends_so = !words.empty() && words.back() == std::string_view("-");
    if (ends_so || (!words.empty() && words.front() == std::string_view("-"))) {
        auto const more = read_config(standard_input, "standard input");
        directives.insert(directives.end(), more.begin(), more.end());
        words = ends_so ? words.first(words.size() - 1) : words.subspan(1);
    }
    for (auto& d : read_options(words)) add(directives, std::move(d));

    redis_directives others;
    std::optional<std::string> port, folder;
    for (auto const& d : directives) {
        auto const* row = find_row(d.name);
        if (row && row->value.empty()) no_value(d);
        if (row && (d.where.empty() || !row->value.empty()))
            row->apply(s, d);
        else
            others.apply(d);
        if (d.name == "port") port = d.values[0];
        if (d.name == "dir") folder = d.values[0];
    }
    s.mock.server.config = std::move(others.config);
    if (auto warning = others.warning(); !warning.empty()) s.warnings.push_back(std::move(warning));
    // redis-server goes to `dir`; a command beside us stays where it is.
    if (folder)
        for (auto* path : {&s.mock.unix_path, &s.log_file, &s.pid_file})
            if (!path->empty()) *path = (std::filesystem::path(*folder) / *path).string();
    if (port == "0" && !s.mock.unix_path.empty()) s.mock.tcp = false;
    // A command gets a server of its own, which ends with it: on a free port unless one was asked for.
    if (!s.command.empty() && !port) s.mock.port = 0;
    if (!s.command.empty()) s.daemonize = false;
    return s;
}

server_options parse_server_options(std::span<char const* const> words) {
    return parse_server_options(words, std::cin);
}

std::string server_help() {
    std::string text =
        "respkit-server: a Redis for tests, answering as Redis 7.0.15 does\n\n"
        "  respkit-server [FILE] [options]             serve until SIGINT or SIGTERM\n"
        "  respkit-server [FILE] [options] -- COMMAND  run a command beside a server on a\n"
        "                                              free port; it finds REDIS_URL,\n"
        "                                              REDIS_HOST and REDIS_PORT, and\n"
        "                                              {port} in its words\n\n"
        "FILE is a redis.conf, - standard input.\n\n";
    for (auto const& r : rows) {
        std::string left = "  --" + std::string(r.name) + ' ' + std::string(r.value);
        left.resize(std::max<std::size_t>(left.size(), 24), ' ');
        text += left + std::string(r.help) + '\n';
    }
    text +=
        "\nredis-server's own options and files are accepted: parameters of CONFIG SET are\nset, those "
        "without a meaning here are ignored with a warning.\n";
    return text;
}

}  // namespace respkit
