#include "peer.hpp"

#include <cerrno>
#include <poll.h>
#include <sys/socket.h>

#include <respkit/resp/command.hpp>

namespace respkit::differential {
namespace {

constexpr int patience_ms = 5000, moment_ms = 100;

endpoint parse_address(std::string const& text) {
    auto const colon = text.rfind(':');
    endpoint out;
    if (colon == text.npos) throw connect_error("'" + text + "' is no address: HOST:PORT");
    out.host = text.substr(0, colon);
    auto const port = resp::parse_integer(text.substr(colon + 1));
    if (!port || *port < 1 || *port > 65535) throw connect_error("'" + text + "' has no port");
    out.port = static_cast<std::uint16_t>(*port);
    return out;
}

}  // namespace

bool link::wait(short events, int milliseconds) {
    pollfd p{socket_.get(), events, 0};
    int n;
    do n = ::poll(&p, 1, milliseconds);
    while (n < 0 && errno == EINTR);
    return n > 0;
}

void link::send(std::string_view bytes) {
    while (!bytes.empty()) {
        auto const n = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (n > 0)
            bytes.remove_prefix(static_cast<std::size_t>(n));
        else if (errno != EINTR && ((errno != EAGAIN && errno != EWOULDBLOCK) || !wait(POLLOUT, patience_ms)))
            return;  // closed: receiving will tell
    }
}

void link::read() {
    char buffer[65536];
    for (;;) {
        auto const n = ::recv(socket_.get(), buffer, sizeof buffer, 0);
        if (n > 0) {
            in_.append(buffer, static_cast<std::size_t>(n));
            if (static_cast<std::size_t>(n) == sizeof buffer) continue;
        } else if (n < 0 && errno == EINTR) {
            continue;
        } else if (n == 0 || (errno != EAGAIN && errno != EWOULDBLOCK)) {
            closed = true;
        }
        break;
    }
    using status = resp::reply_reader::status;
    while (!broken) {
        resp::node n;
        auto const step = reader_.next(std::string_view(in_).substr(parsed_), n);
        if (step.what == status::need_more) break;
        if (step.what == status::invalid) {
            broken = true;
            break;
        }
        parsed_ += step.consumed;
        if (!inside_) push_ = n.type == resp::type::push;
        inside_ = !n.completes;
        if (!n.completes) continue;
        ends_.push_back({parsed_, push_});
        if (!push_) ++replies_;
    }
}

bool link::receive(std::size_t replies) {
    while (replies_ < replies && !closed && !broken) {
        if (!wait(POLLIN, patience_ms)) return false;
        read();
    }
    return replies_ >= replies;
}

void link::drain() {
    if (!closed) read();
}

void link::catch_up(link const& other) {
    while (ends_.size() < other.ends_.size() && !closed && !broken && wait(POLLIN, moment_ms)) read();
}

std::vector<link::message> link::messages() const {
    std::vector<message> out;
    std::size_t begin = 0;
    for (auto const& e : ends_) {
        out.push_back({std::string_view(in_).substr(begin, e.at - begin), e.push});
        begin = e.at;
    }
    if (begin < in_.size()) out.push_back({std::string_view(in_).substr(begin), false});
    return out;
}

void link::forget() {
    if (broken) {  // a notification that tears a reply apart: what follows may be whole again
        in_.clear();
        reader_ = resp::reply_reader();
        broken = inside_ = push_ = false;
        parsed_ = 0;
    } else if (!ends_.empty()) {
        in_.erase(0, ends_.back().at);
        parsed_ -= ends_.back().at;
    }
    ends_.clear();
    replies_ = 0;
}

peer::peer(std::string const& address) : where_(parse_address(address)), control_(where_) {}

void peer::ask() { control_.send(resp::command({"PING"})); }
void peer::hear() { control_.receive(); }

void peer::begin(std::size_t connections, std::vector<std::string> const& defaults) {
    links_.clear();
    for (int i = 0; i < 2; ++i) ask(), hear();  // the old connections have gone
    if (!defaults.empty()) control_.call(std::span(defaults));
    control_.call({"FLUSHALL"});
    ids_.clear();
    auto const at = control_.where();
    for (std::size_t i = 0; i < connections; ++i) {
        links_.emplace_back(connect_to(where_, std::span(&at, 1), client::default_timeout).socket);
        if (connections == 1) break;
        links_[i].send(resp::command({"CLIENT", "ID"}));
        links_[i].receive(1);
        auto const id = resp::parse_value(links_[i].messages().at(0).bytes);
        ids_.push_back(std::to_string(id ? id->integer : 0));
        links_[i].forget();
    }
}

void peer::encode(std::vector<std::string> const& words, std::string& out) const {
    auto resolved = words;
    for (auto& word : resolved)
        if (word.size() == 6 && word.starts_with("{id-")) {
            auto const i = static_cast<std::size_t>(word[4] - 'a');
            word = i < ids_.size() ? ids_[i] : "0";
        }
    resp::append_command(out, std::span<std::string const>(resolved));
}

}  // namespace respkit::differential
