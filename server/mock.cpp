#include <future>
#include <list>
#include <stdexcept>
#include <sys/resource.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <respkit/resp/command.hpp>
#include <respkit/server/connection.hpp>
#include <respkit/server/errors.hpp>
#include <respkit/server/listener.hpp>
#include <respkit/server/mock.hpp>
#include <respkit/server/poller.hpp>

namespace respkit {
namespace net = boost::asio;
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

engine_options with_journal(mock_options& o) {
    o.server.journal |= o.journal;
    return std::move(o.server);
}

}  // namespace

// The thread that serves, and all it owns. Members are destroyed bottom up: connections before the loop
// that their sockets are registered with, the thread first of all.
class mock::loop {
public:
    explicit loop(mock_options o);
    ~loop();

    // Runs f on the loop thread and returns what it returns.
    template <class F>
    auto ask(F f) {
        if (std::this_thread::get_id() == thread_.get_id())
            throw std::logic_error(
                "respkit::mock: called from the server's own thread, which cannot wait for itself");
        std::packaged_task<decltype(f())()> task(std::move(f));
        auto answer = task.get_future();
        net::post(io_, std::move(task));
        return answer.get();
    }

    void wake() {
        net::post(io_, [this] {
            core.catch_up();
            arm_timer();
        });
    }
    resp::value run(std::string const& request);  // on the loop thread

    respkit::clock time;
    std::string host, unix_path, password;
    int port = 0;
    engine core;
    std::function<void(std::string_view)> on_failure;  // the loop thread's

private:
    void admit(int descriptor, peer who);
    void run_due();
    void arm_timer();

    // Only the loop's thread touches what is registered with it; others just post.
    net::io_context io_{BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO};
    net::executor_work_guard<net::io_context::executor_type> alive_{io_.get_executor()};
    net::steady_timer timer_{io_};
    loop_buffers buffers_;
    poller poller_{io_};
    std::optional<listener> tcp_, unix_;
    std::list<connection> connections_;
    engine::session_handle own_session_;  // behind run()
    std::string own_replies_;
    std::thread thread_;
};

mock::loop::loop(mock_options o) : password(o.server.password), core(with_journal(o), time) {
    auto const accepted = [this](int descriptor, peer who) { admit(descriptor, std::move(who)); };
    if (o.tcp) {
        tcp_.emplace(io_, o.bind, o.port, accepted);
        host = tcp_->address();
        port = tcp_->port();
    }
    if (!o.unix_path.empty()) {
        unix_.emplace(io_, o.unix_path, accepted);
        unix_path = o.unix_path;
    }
    core.describe(host, port, unix_path);
    core.on_deadline([this] { arm_timer(); });
    poller_.start();
    if (tcp_) tcp_->start();
    if (unix_) unix_->start();
    thread_ = std::thread([this] { io_.run(); });
}

mock::loop::~loop() {
    net::post(io_, [this] { io_.stop(); });
    thread_.join();
}

void mock::loop::admit(int descriptor, peer who) {
    if (connections_.size() >= core.options().max_clients) {
        ++core.counts().rejected_connections;
        std::string const text = '-' + std::string(errors::max_clients) + "\r\n";
        (void)!::send(descriptor, text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
        ::close(descriptor);
        return;
    }
    connections_.emplace_front(descriptor, std::move(who), core, poller_, buffers_);
    auto const self = connections_.begin();
    try {
        self->start([this, self] { connections_.erase(self); });
    } catch (std::system_error const&) {
        connections_.erase(self);  // no room to watch it: as good as refused
    }
}

void mock::loop::run_due() {
    core.run_due();
    arm_timer();
}

// One timer for everything that happens by itself. Its wait is real time, the deadline the clock's; whoever
// moves the clock wakes us.
void mock::loop::arm_timer() {
    auto const deadline = core.next_deadline();
    if (!deadline || time.frozen()) return;
    auto const now = time.now();
    constexpr std::chrono::microseconds longest = std::chrono::hours(1);
    auto const wait = std::min(std::max(*deadline - now, std::chrono::microseconds(0)), longest);
    timer_.expires_after(wait);
    timer_.async_wait([this](boost::system::error_code error) {
        if (!error) run_due();
    });
}

// A session without a socket, opened at the first call and again after its end (QUIT, CLIENT KILL).
resp::value mock::loop::run(std::string const& request) {
    if (own_session_ && core.ended(*own_session_)) own_session_.reset();
    if (!own_session_) {
        own_session_ = core.open({});
        core.trust(*own_session_);
        core.feed(*own_session_, resp::command({"HELLO", "3"}), own_replies_);
    }
    own_replies_.clear();
    auto const fed = core.feed(*own_session_, request, own_replies_);
    if (fed.what >= engine::progress::close) own_session_.reset();
    if (own_session_ && core.waits(*own_session_)) {
        core.stop_waiting(*own_session_);
        throw std::logic_error("respkit::mock: run() cannot wait for a reply: use a connection of your own");
    }
    // A push before the reply was not asked for.
    for (std::string_view rest = own_replies_; !rest.empty();) {
        std::size_t size = 0;
        auto reply = resp::parse_value(rest, &size);
        if (!reply) break;
        if (reply->type != resp::type::push) return std::move(*reply);
        rest.remove_prefix(size);
    }
    throw std::logic_error("respkit::mock: that command has no reply to return");
}

mock::mock(mock_options o) : loop_(std::make_unique<loop>(std::move(o))) {}
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
    if (port() == 0) return "unix://" + credentials + unix_path();
    bool const v6 = host().find(':') != std::string::npos;
    return "redis://" + credentials + (v6 ? '[' + host() + ']' : host()) + ':' + std::to_string(port());
}

resp::value mock::run(std::initializer_list<std::string_view> words) {
    return loop_->ask([this, request = resp::command(words)] { return loop_->run(request); });
}
resp::value mock::run(std::span<std::string const> words) {
    return loop_->ask([this, request = resp::command(words)] { return loop_->run(request); });
}

rule_builder mock::on(std::string_view command) {
    return rule_builder(command, [this](rule r) { return set(std::move(r)); });
}
std::uint64_t mock::set(rule r) {
    return loop_->ask([this, &r] { return loop_->core.add_rule(std::move(r)); });
}
bool mock::remove_rule(std::uint64_t id) {
    return loop_->ask([this, id] { return loop_->core.remove_rule(id); });
}
void mock::clear_rules() {
    loop_->ask([this] { loop_->core.clear_rules(); });
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
