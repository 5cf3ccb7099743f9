#include <algorithm>
#include <string_view>

#include <respkit/bench/plan_reading.hpp>

namespace respkit::bench {
namespace {

constexpr std::string_view suites[] = {"redis", "jedis", "servicestack"};

// "HOST:PORT,HOST:PORT", each with the target's password.
std::vector<endpoint> read_hosts(std::string const& list, endpoint const& like) {
    std::vector<endpoint> all;
    for (auto const& part : CLI::detail::split(list, ',')) {
        try {
            auto e = parse_uri("redis://" + part);
            e.user = like.user;
            e.password = like.password;
            all.push_back(std::move(e));
        } catch (std::invalid_argument const&) {
            throw usage_error("--readers wants HOST:PORT,HOST:PORT, not '" + list + "'");
        }
    }
    return all;
}

}  // namespace

void declare_suites(CLI::App& app, reading& r) {
    auto& s = r.plan.suite;
    constexpr char const* group = "Options of `suite NAME`";
    auto const option = [&](char const* name, char const* kind, char const* help, auto take) {
        app.add_option_function<std::string>(name, take, help)->type_name(kind)->take_last()->group(group);
    };
    option("--scale", "F", "multiply all counts; then it is no longer the published table (1)",
           [&s](std::string const& text) {
               char* end = nullptr;
               s.scale = std::strtod(text.c_str(), &end);
               if (text.empty() || *end || !(s.scale > 0 && s.scale <= 1000))
                   throw usage_error("--scale wants a factor above 0, up to 1,000, not '" + text + "'");
           });
    option("--markdown", "PATH", "write the tables there, too",
           [&s](std::string const& text) { s.markdown_path = text; });
    option("--task-ops", "N", "jedis: operations that a thread takes at a time (1000)",
           [&s](std::string const& text) {
               s.task_ops = whole<std::uint64_t>("--task-ops", text, 1, 1'000'000);
           });
    option("--pool", "N", "jedis: connections of the pool (one for each thread)",
           [&s](std::string const& text) { s.pool = whole<std::size_t>("--pool", text, 1, 10'000); });
    option("--borrow", "WHEN", "jedis: a connection for each task (default) or each op",
           [&s](std::string const& text) {
               if (text != "task" && text != "op")
                   throw usage_error("--borrow wants task or op, not '" + text + "'");
               s.borrow = text == "op" ? borrowing::operation : borrowing::task;
           });
    option("--readers", "LIST", "servicestack: HOST:PORT,… for the pool's read connections",
           [&r](std::string const& text) { r.readers = text; });
    app.add_flag("--test-on-borrow", s.test_on_borrow, "jedis: PING each connection before it is used")
        ->group(group);
    app.add_flag("--cold", s.cold, "jedis: no warm-up")->group(group);
    app.add_flag("--eager", s.eager, "servicestack: open all connections of the pools at once")->group(group);
}

void check_suite(reading& r, CLI::App const& app) {
    auto& p = r.plan;
    auto const& name = p.suite.name;
    for (char const* option : {"-t", "-n", "-c", "-P", "--window", "-d", "-r", "-k", "--threads", "-x", "-l",
                               "-I", "-q", "--csv", "-3", "--driver"})
        if (!name.empty() && app.count(option))
            throw usage_error(std::string(option) + " is not for a suite: the published table fixes it (" +
                              "--scale multiplies its counts)");
    struct row {
        char const *option, *suite;  // suite null: any
    };
    for (row const& o :
         {row{"--scale", nullptr}, row{"--markdown", nullptr}, row{"--task-ops", "jedis"},
          row{"--pool", "jedis"}, row{"--borrow", "jedis"}, row{"--test-on-borrow", "jedis"},
          row{"--cold", "jedis"}, row{"--eager", "servicestack"}, row{"--readers", "servicestack"}}) {
        if (!app.count(o.option) || (o.suite ? name == o.suite : !name.empty())) continue;
        throw usage_error(std::string(o.option) + " is for respkit-bench suite " +
                          (o.suite ? o.suite : "redis|jedis|servicestack"));
    }
    p.child = name == "servicestack";
    if (r.readers.empty()) return;
    p.suite.readers = read_hosts(r.readers, p.target);
    if (!p.suite.eager) p.warnings.push_back("--readers stay closed without --eager: the suite only writes");
}

std::size_t take_suite(reading& r, std::vector<std::string> const& words, std::size_t at) {
    auto const name = at + 1 < words.size() ? words[at + 1] : std::string();
    if (std::find(std::begin(suites), std::end(suites), name) == std::end(suites))
        throw usage_error("suite wants redis, jedis or servicestack" +
                          (name.empty() ? "" : ", not '" + name + "'"));
    r.plan.suite.name = name;
    return at + 2;
}

}  // namespace respkit::bench
