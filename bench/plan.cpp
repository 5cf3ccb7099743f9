// The options are redis-benchmark's, read by CLI11. Two things are ours: where a command of the user's own
// begins (from there on dashes mean nothing), and what is said about a value that makes no sense.
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string_view>

#include <respkit/bench/environment.hpp>
#include <respkit/bench/plan_reading.hpp>
#include <respkit/bench/workload.hpp>

namespace respkit::bench {
namespace {

constexpr std::string_view verbs[] = {"overhead", "compare", "calibrate", "selftest", "crosscheck", "merge"};
constexpr std::string_view drivers[] = {"asio", "hiredis", "memory"};
constexpr std::uint64_t most_random = 1'000'000'000'000;  // twelve digits

constexpr char const* examples =
    "\nWithout -h, -p, -s or -u a server of its own runs inside this program: no Redis is needed.\n"
    "\n  respkit-bench                               the 20 tests against its own server"
    "\n  respkit-bench -p 6379 -t set,get -P 16      two tests against a Redis, 16 requests in a batch"
    "\n  respkit-bench -r 100000 SET k:__rand_int__ v   a command of your own over 100,000 keys"
    "\n  respkit-bench suite jedis                   a published table: redis, jedis or servicestack"
    "\n  respkit-bench suite servicestack --scale 0.01 -p 6379"
    "\n\nExit code: 0 done, 1 the run failed or met errors, 2 usage or cannot start.";

void declare(CLI::App& app, reading& r) {
    auto& p = r.plan;
    auto const text = [&](char const* name, std::string& to, char const* help, char const* kind) {
        app.add_option(name, to, help)->type_name(kind)->take_last();
    };
    auto const number = [&](char const* name, auto& to, std::uint64_t low, std::uint64_t high,
                            char const* help) {
        using type = std::remove_reference_t<decltype(to)>;
        std::string const shown = std::string(name).substr(0, std::string_view(name).find(','));
        app.add_option_function<std::string>(
               name, [&to, shown, low, high](std::string const& s) { to = whole<type>(shown, s, low, high); },
               help)
            ->type_name("N")
            ->take_last();
    };
    text("-h,--host", r.host, "server's host name (127.0.0.1)", "HOST");
    number("-p,--port", r.port, 1, 65535, "server's port (6379)");
    text("-s,--socket", r.socket, "server's unix socket, instead of host and port", "PATH");
    text("-u,--uri", r.uri, "redis://user:password@host:port/db or unix:///path", "URI");
    text("-a,--pass", r.password, "password for AUTH", "PASSWORD");
    text("--user", r.user, "user name for AUTH; needs -a", "NAME");
    app.add_option_function<std::string>(
           "--dbnum",
           [&r](std::string const& s) {
               r.db = whole<std::uint32_t>("--dbnum", s, 0, INT32_MAX);
               r.db_given = true;
           },
           "database number (0)")
        ->type_name("N")
        ->take_last();
    app.add_flag("-3", p.resp3, "speak RESP3");

    text("-t,--tests", r.tests, "only these tests, by name, with commas between", "LIST");
    number("-n,--requests", p.requests, 1, INT64_MAX, "requests of each test (100000)");
    number("-c,--clients", p.connections, 1, 1'000'000, "connections (50)");
    number("-P,--pipeline", p.pipeline, 1, 1'000'000,
           "requests in a batch: send so many, wait for so many (1)");
    number("--window", p.window, 1, 1'000'000,
           "instead of batches, keep so many requests in flight per connection");
    app.add_option_function<std::string>(
           "-d,--data",
           [&p](std::string const& s) {
               auto const size = whole<std::uint64_t>("-d", s, 0, INT64_MAX);
               p.data_size =
                   static_cast<std::size_t>(std::clamp<std::uint64_t>(size, 1, std::uint64_t{1} << 30));
           },
           "bytes of a value (3), from 1 to 1 GiB")
        ->type_name("N")
        ->take_last();
    number("-r,--keyspace", p.keyspace, 1, most_random,
           "replace each __rand_int__ by a number below N, anew for every request");
    app.add_option_function<std::string>(
           "-k,--keepalive", [&p](std::string const& s) { p.keep_alive = whole<int>("-k", s, 0, 1) == 1; },
           "1: keep connections (default), 0: a new one for every batch")
        ->type_name("0|1")
        ->take_last();
    number("--threads", p.threads, 1, 500, "threads that drive the load (1)");
    app.add_option_function<std::string>(
           "--driver",
           [&p](std::string const& s) {
               auto const i = std::find(std::begin(drivers), std::end(drivers), s);
               if (i == std::end(drivers))
                   throw usage_error("--driver wants asio, hiredis or memory, not '" + s + "'");
               p.driver = static_cast<driver>(i - std::begin(drivers));
           },
           "asio: an event loop (default); hiredis: blocking, a thread per connection; memory: no\n"
           "sockets, an engine on the same thread")
        ->type_name("NAME")
        ->take_last();
    number("--seed", p.seed, 0, UINT64_MAX, "of the random numbers (1)");
    app.add_flag("-x", p.last_word_from_stdin, "read the last word of the command from standard input");
    app.add_flag("-l", p.loop, "run the tests again and again");
    app.add_flag("-I", p.idle, "open the connections and leave them idle until Ctrl+C");
    app.add_flag("-e", r.effectless, "no effect: errors are always reported");

    app.add_flag("-q", p.quiet, "a line per test: requests per second and p50");
    app.add_flag("--csv", p.csv, "redis-benchmark's CSV");
    number("--precision", p.precision, 0, 6, "decimals of the latencies in ms that are printed (3)");
    text("--json", p.json_path, "write the whole result there", "PATH");
    app.add_option_function<std::string>(
           "--allow-errors",
           [&p](std::string const& s) {
               char* end = nullptr;
               p.allow_errors = std::strtod(s.c_str(), &end);
               if (s.empty() || *end || !(p.allow_errors >= 0 && p.allow_errors <= 1))
                   throw usage_error("--allow-errors wants a share from 0 to 1, not '" + s + "'");
           },
           "share of error replies that is no failure (0)")
        ->type_name("SHARE")
        ->take_last();
    app.add_flag("--explain", p.explain, "print how the verdict was reached");
    app.add_flag("-v,--version", r.version, "print the version");
    declare_suites(app, r);
}

// Options of redis-benchmark that are a later matter here.
void refuse_unsupported(std::string_view word) {
    auto const name = word.substr(0, word.find('='));
    for (std::string_view const known :
         {"--cluster", "--enable-tracking", "--tls", "--sni", "--cacert", "--cacertdir", "--insecure",
          "--cert", "--key", "--tls-ciphers", "--tls-ciphersuites"})
        if (name == known) throw usage_error(std::string(name) + " is not supported yet");
}

// Where options and their values end that begin at `i`: the first other word begins a command. In `shown`,
// the same words as a report may show them, a password becomes ***.
std::size_t options_end(CLI::App const& app, std::vector<std::string> const& words,
                        std::vector<std::string>& shown, std::size_t i) {
    auto const named = [&](std::string const& name) {
        auto const* option = app.get_option_no_throw(name);
        if (!option) throw usage_error("unknown option " + name + " (--help lists them)");
        return option;
    };
    auto const takes_value = [](CLI::Option const* o) { return o->get_items_expected_max() > 0; };
    while (i < words.size() && words[i].size() > 1 && words[i][0] == '-' && words[i] != "--") {
        auto const& word = words[i++];
        refuse_unsupported(word);
        CLI::Option const* option = nullptr;
        std::size_t value = std::string::npos;  // where in the word it begins, if it does
        if (word[1] == '-') {
            auto const equals = word.find('=');
            option = named(word.substr(0, equals));
            if (equals != std::string::npos) value = equals + 1;
        } else {
            for (std::size_t at = 1; at < word.size(); ++at) {  // -qx, -n100
                option = named({'-', word[at]});
                if (!takes_value(option)) continue;
                if (at + 1 < word.size()) value = at + 1;
                break;
            }
        }
        bool const secret = option == named("-a");
        if (value != std::string::npos) {
            if (secret) shown[i - 1].replace(value, std::string::npos, "***");
        } else if (takes_value(option)) {
            if (i == words.size()) throw usage_error(word + " wants a value");
            if (secret) shown[i] = "***";
            ++i;
        }
    }
    return i;
}

std::string join(std::vector<std::string> const& words) {
    std::string line = "respkit-bench";
    for (auto const& word : words) {
        bool const odd = word.empty() || word.find_first_of(" \t\n'\"\\$") != std::string::npos;
        bool const secret = word.find("://") != std::string::npos;  // a URI may hold a password
        line += secret ? " ***" : odd ? " '" + word + "'" : " " + word;
    }
    return line;
}

std::vector<std::string> split_tests(std::string const& list) {
    std::vector<std::string> tokens;
    for (auto const& part : CLI::detail::split(list, ',')) {
        auto token = CLI::detail::trim_copy(part);
        std::transform(token.begin(), token.end(), token.begin(),
                       [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        if (!token.empty()) tokens.push_back(std::move(token));
    }
    if (auto const wrong = unknown_token(tokens))
        throw usage_error("-t knows no test '" + *wrong + "'; it knows " + known_tokens());
    if (tokens.empty()) throw usage_error("-t names no test; it knows " + known_tokens());
    return tokens;
}

void choose_target(reading& r) {
    auto& p = r.plan;
    p.embedded = r.host.empty() && !r.port && r.socket.empty() && r.uri.empty();
    try {
        if (!r.uri.empty()) p.target = parse_uri(r.uri);
    } catch (std::invalid_argument const& wrong) {
        throw usage_error(std::string("-u ") + wrong.what());
    }
    if (!r.host.empty()) p.target.host = r.host;
    if (r.port) p.target.port = r.port;
    if (!r.socket.empty()) p.target.unix_path = r.socket;
    if (!r.password.empty()) p.target.password = r.password;
    if (!r.user.empty()) p.target.user = r.user;
    if (r.db_given) p.target.db = r.db;
    if (!p.target.user.empty() && p.target.password.empty())
        throw usage_error("--user needs a password, too (-a)");
    if (p.embedded && !p.target.user.empty() && p.target.user != "default")
        throw usage_error("--user needs a server to log in to (-h, -p, -s or -u)");
}

void check_driver(plan& p) {
    if (p.driver == driver::asio) return;
    if (!p.keep_alive || p.window)
        throw usage_error("--driver " + std::string(drivers[static_cast<int>(p.driver)]) + " knows no " +
                          (p.window ? "--window" : "-k 0"));
    if (p.driver == driver::memory) {
        if (!p.embedded)
            throw usage_error("--driver memory has no server to aim at: leave out -h, -p, -s, -u");
        if (p.idle) throw usage_error("--driver memory has no connections to leave idle (-I)");
        if (p.threads > 1) throw usage_error("--driver memory has one thread: leave out --threads");
        return;
    }
    if (p.resp3) throw usage_error("--driver hiredis speaks RESP2 only: leave out -3");
    if (p.threads > 1 && p.threads != p.connections)
        p.warnings.push_back("--threads is " + std::to_string(p.connections) +
                             ": driver hiredis has a thread for each connection (-c)");
    p.threads = p.connections;
}

void check(reading& r, CLI::App const& app) {
    auto& p = r.plan;
    choose_target(r);
    check_suite(r, app);
    if (!r.tests.empty()) {
        p.tests = split_tests(r.tests);
        if (!p.command.empty()) {
            p.warnings.push_back("-t is ignored: a command of your own was given");
            p.tests.clear();
        }
    }
    if (p.last_word_from_stdin && p.command.empty())
        throw usage_error("-x needs a command whose last word it reads from standard input");
    if (r.effectless) p.warnings.push_back("-e has no effect: errors are always reported");
    if (p.threads > p.connections) {
        p.warnings.push_back("--threads is " + std::to_string(p.connections) +
                             ": there are no more connections (-c)");
        p.threads = p.connections;
    }
    if (p.window && p.pipeline > 1)
        throw usage_error("-P sends batches and --window slides: give one of them");
    if (!p.keep_alive && p.window)
        throw usage_error("--window slides over a connection that stays: leave out -k 0");
    check_driver(p);
}

}  // namespace

parsed parse(int argc, char const* const* argv) {
    reading r;
    CLI::App app(
        "A benchmark for Redis and everything that speaks its protocol.\n"
        "respkit-bench [OPTIONS] [COMMAND ARGUMENTS...]",
        "respkit-bench");
    app.set_help_flag("--help", "print this help");
    app.footer(examples);
    declare(app, r);

    std::vector<std::string> words(argv + 1, argv + argc);
    auto shown = words;
    try {
        std::size_t end = options_end(app, words, shown, 0);
        bool const forced = end < words.size() && words[end] == "--";
        std::vector<std::string> options(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(end));
        if (!forced && end < words.size() && words[end] == "suite") {
            auto const from = take_suite(r, words, end);
            end = options_end(app, words, shown, from);
            if (end < words.size()) throw usage_error("'" + words[end] + "' follows the suite's options");
            options.insert(options.end(), words.begin() + static_cast<std::ptrdiff_t>(from), words.end());
        }
        r.plan.command_line = join(shown);
        std::reverse(options.begin(), options.end());  // as CLI11 wants them
        if (forced) ++end;
        r.plan.command.assign(words.begin() + static_cast<std::ptrdiff_t>(end), words.end());
        app.parse(options);
        if (r.version) return {{}, 0, "respkit-bench " + std::string(version()) + "\n", {}};
        if (!forced && !r.plan.command.empty() &&
            std::find(std::begin(verbs), std::end(verbs), r.plan.command[0]) != std::end(verbs))
            throw usage_error("'" + r.plan.command[0] +
                              "' is not built yet (after -- it is sent as a command)");
        check(r, app);
        return {std::move(r.plan), 0, {}, {}};
    } catch (CLI::CallForHelp const&) {
        return {{}, 0, app.help(), {}};
    } catch (CLI::ParseError const& wrong) {
        return {{}, 2, {}, std::string("respkit-bench: ") + wrong.what() + " (--help lists the options)\n"};
    } catch (usage_error const& wrong) {
        return {{}, 2, {}, std::string("respkit-bench: ") + wrong.what() + "\n"};
    }
}

}  // namespace respkit::bench
