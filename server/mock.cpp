#include <sys/resource.h>

#include <respkit/resp/command.hpp>
#include <respkit/server/command_file.hpp>
#include <respkit/server/contents.hpp>
#include <respkit/server/loop.hpp>
#include <respkit/server/renewal.hpp>

namespace respkit {
namespace {

std::string percent_encoded(std::string_view text) {
    constexpr char hex[] = "0123456789ABCDEF";
    std::string out;
    for (char const c : text) {
        auto const u = static_cast<unsigned char>(c);
        if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
            c == '_' || c == '.' || c == '~')
            out += c;
        else
            (out += '%') += {hex[u >> 4], hex[u & 15]};
    }
    return out;
}

}  // namespace

mock::mock(mock_options o) : mock(std::make_unique<loop>(std::move(o)), 0) {}
mock::mock(std::unique_ptr<loop> server, int number) : database(*server, number), loop_(std::move(server)) {}
mock::~mock() {
    auto const tell = loop_->ask([this] { return loop_->on_failure; });
    if (!tell) return;
    for (auto const& line : complaints()) tell(line);
}

std::string mock::host() const { return loop_->host; }
int mock::port() const { return loop_->port; }
std::string mock::unix_path() const { return loop_->unix_path; }

std::string mock::url() const {
    std::string credentials;
    if (auto const& password = loop_->password; !password.empty())
        credentials = ':' + percent_encoded(password) + '@';
    if (port() == 0 && unix_path().empty()) return "";
    if (port() == 0) return "unix://" + credentials + unix_path();
    bool const v6 = host().find(':') != std::string::npos;
    return "redis://" + credentials + (v6 ? '[' + host() + ']' : host()) + ':' + std::to_string(port());
}

resp::value mock::run(std::initializer_list<std::string_view> words) {
    return loop_->ask([this, request = resp::command(words)] { return loop_->client.run(request); });
}
resp::value mock::run(std::span<std::string const> words) {
    return loop_->ask([this, request = resp::command(words)] { return loop_->client.run(request); });
}

int mock::connect_fd() {
    return loop_->ask([this] { return loop_->connect(); });
}
std::size_t mock::kill_clients() {
    return loop_->ask([this] { return loop_->kill_clients(); });
}
void mock::stop_accepting() {
    loop_->ask([this] { loop_->stop_accepting(); });
}
void mock::accept_again() {
    loop_->ask([this] { loop_->accept_again(); });
}
void mock::restart(std::chrono::microseconds downtime) {
    loop_->ask([this, downtime] { loop_->restart(downtime); });
}

void mock::load(std::string const& path) {
    loop_->ask([this, &path] { run_commands(loop_->core, path); });
}
void mock::seed(std::uint64_t number) {
    loop_->ask([this, number] { respkit::seed(loop_->core.inside(), number); });
}
void mock::reset() {
    loop_->ask([this] { loop_->reset(); });
}
std::string mock::dump() const {
    return loop_->ask([this] {
        loop_->core.inside().tick();
        return contents::dump(loop_->core.inside());
    });
}

rule_builder mock::on(std::string_view command) {
    return rule_builder(command, [this](rule r) { return add_rule(std::move(r)); });
}
std::uint64_t mock::add_rule(rule r) {
    return loop_->ask([this, &r] { return loop_->core.add_rule(std::move(r)); });
}
bool mock::remove_rule(std::uint64_t id) {
    return loop_->ask([this, id] { return loop_->core.remove_rule(id); });
}
void mock::clear_rules() {
    loop_->ask([this] { loop_->core.clear_rules(); });
}

std::string mock::add_script(std::string body, script_function f) {
    return loop_->ask([this, &body, &f] { return loop_->core.add_script(std::move(body), std::move(f)); });
}

std::vector<std::string> mock::complaints() const {
    return loop_->ask([this] {
        auto lines = loop_->core.unmet();
        for (auto const& [name, n] : loop_->core.unsupported())
            lines.push_back("not supported here: " + name + " (" + std::to_string(n) + " times)");
        return lines;
    });
}
void mock::on_failure(std::function<void(std::string_view)> f) {
    loop_->ask([this, &f] { loop_->on_failure = std::move(f); });
}

std::vector<recorded_call> mock::calls(std::string_view command) const {
    return calls(call_filter{.command = std::string(command)});
}
std::vector<recorded_call> mock::calls(call_filter const& f) const {
    return loop_->ask([this, &f] { return loop_->core.calls(f); });
}
void mock::clear_calls() {
    loop_->ask([this] { loop_->core.clear_calls(); });
}

bool mock::wait(condition c, std::chrono::milliseconds longest) {
    auto const told = std::make_shared<std::promise<bool>>();
    auto answer = told->get_future();
    auto const id = loop_->ask([this, &c, told] {
        return loop_->core.keep_vigil(std::move(c), [told](bool yes) { told->set_value(yes); });
    });
    if (answer.wait_for(longest) == std::future_status::ready) return answer.get();
    loop_->ask([this, id] { loop_->core.forget(id); });
    return answer.wait_for(std::chrono::seconds(0)) == std::future_status::ready && answer.get();
}
bool mock::wait_calls(std::string_view command, std::size_t n, std::chrono::milliseconds longest) {
    return wait({.kind = condition::what::calls, .count = n, .filter = {.command = std::string(command)}},
                longest);
}
bool mock::wait_blocked(std::size_t n, std::chrono::milliseconds longest) {
    return wait({.kind = condition::what::blocked, .count = n}, longest);
}
bool mock::wait_subscribed(std::string_view channel, std::size_t n, std::chrono::milliseconds longest) {
    return wait({.kind = condition::what::subscribed, .count = n, .channel = std::string(channel)}, longest);
}
bool mock::wait_connected(std::size_t n, std::chrono::milliseconds longest) {
    return wait({.kind = condition::what::connected, .count = n}, longest);
}

void mock::pretend(server_state s) {
    loop_->ask([this, s] { loop_->core.pretend(s); });
}

void mock::time_control::advance(std::chrono::microseconds step) {
    owner_.loop_->time.advance(step);
    owner_.loop_->wake();
}
void mock::time_control::set(clock::time_point t) {
    owner_.loop_->time.set(t);
    owner_.loop_->wake();
}
void mock::time_control::freeze() { owner_.loop_->time.freeze(); }
void mock::time_control::resume() {
    owner_.loop_->time.resume();
    owner_.loop_->wake();
}
clock::time_point mock::time_control::now() const { return owner_.loop_->time.now(); }

cpu_time mock::cpu() const {
    return loop_->ask([] {
        rusage used{};
        getrusage(RUSAGE_THREAD, &used);
        auto const duration = [](timeval t) {
            return std::chrono::nanoseconds(std::chrono::seconds(t.tv_sec) +
                                            std::chrono::microseconds(t.tv_usec));
        };
        return cpu_time{duration(used.ru_utime), duration(used.ru_stime)};
    });
}

counters mock::counts() const {
    return loop_->ask([this] { return loop_->core.counts(); });
}

std::map<std::string, std::uint64_t> mock::unsupported() const {
    return loop_->ask([this] { return loop_->core.unsupported(); });
}

}  // namespace respkit
