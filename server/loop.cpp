#include <algorithm>
#include <cerrno>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>

#include <respkit/server/command_file.hpp>
#include <respkit/server/errors.hpp>
#include <respkit/server/loop.hpp>
#include <respkit/server/renewal.hpp>

namespace respkit {

namespace {

engine_options with_journal(mock_options& o) {
    o.server.journal |= o.journal;
    return std::move(o.server);
}

}  // namespace

loop::loop(mock_options o) : password(o.server.password), core(with_journal(o), time) {
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
    for (auto const& path : o.load) run_commands(core, path);
    poller_.start();
    if (tcp_) tcp_->start();
    if (unix_) unix_->start();
    thread_ = std::thread([this] { io_.run(); });
}

loop::~loop() {
    boost::asio::post(io_, [this] { io_.stop(); });
    thread_.join();
}

void loop::admit(int descriptor, peer who) {
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

int loop::connect() {
    auto const fail = [](int error) {
        throw std::system_error(error, std::generic_category(), "respkit::mock: no connection");
    };
    if (!accepting_) fail(ECONNREFUSED);
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) fail(errno);
    peer who;
    who.address = who.local_address = "socketpair:0";
    who.descriptor = ends[1];
    who.unix_socket = true;
    admit(ends[1], std::move(who));
    return ends[0];
}

std::size_t loop::kill_clients() {
    auto const count = connections_.size();
    connections_.clear();
    core.catch_up();  // who waited for their leaving is told
    return count;
}

void loop::stop_accepting() {
    accepting_ = false;
    back_at_.reset();
    if (tcp_) tcp_->stop();
    if (unix_) unix_->stop();
}

void loop::accept_again() {
    back_at_.reset();
    if (tcp_) tcp_->resume();
    if (unix_) unix_->resume();
    accepting_ = true;
}

void loop::restart(std::chrono::microseconds downtime) {
    stop_accepting();
    client.leave();
    kill_clients();
    respkit::restart(core.inside());
    if (downtime.count() <= 0) return accept_again();
    back_at_ = time.now() + downtime;
    arm_timer();
}

void loop::reset() {
    time.reset();
    client.leave();
    respkit::reset(core.inside());
    core.catch_up();
    arm_timer();
    accept_again();
}

void loop::wake() {
    boost::asio::post(io_, [this] {
        core.catch_up();
        come_back();
        arm_timer();
    });
}

void loop::run_due() {
    core.run_due();
    come_back();
    arm_timer();
}

// From a restart, if it is time.
void loop::come_back() {
    if (!back_at_ || time.now() < *back_at_) return;
    try {
        accept_again();
    } catch (std::system_error const&) {
        back_at_ = time.now() + std::chrono::milliseconds(50);  // somebody sits on the port: try again
    }
}

// One timer for everything that happens by itself. Its wait is real time, the deadline the clock's; whoever
// moves the clock wakes us.
void loop::arm_timer() {
    auto deadline = core.next_deadline();
    if (back_at_ && (!deadline || *back_at_ < *deadline)) deadline = back_at_;
    if (!deadline || time.frozen()) return;
    auto const now = time.now();
    constexpr std::chrono::microseconds longest = std::chrono::hours(1);
    auto const wait = std::min(std::max(*deadline - now, std::chrono::microseconds(0)), longest);
    timer_.expires_after(wait);
    timer_.async_wait([this](boost::system::error_code error) {
        if (!error) run_due();
    });
}

}  // namespace respkit
