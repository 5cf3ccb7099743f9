#include <cerrno>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>

#include <respkit/client/client.hpp>
#include <respkit/resp/command.hpp>

namespace respkit {

greeting greet(endpoint const& e, resp::version v) {
    greeting g;
    auto const add = [&](std::initializer_list<std::string_view> words) {
        g.bytes += resp::command(words);
        ++g.replies;
    };
    if (!e.user.empty())
        add({"AUTH", e.user, e.password});
    else if (!e.password.empty())
        add({"AUTH", e.password});
    if (v == resp::version::v3) add({"HELLO", "3"});
    if (e.db) add({"SELECT", std::to_string(e.db)});
    return g;
}

client::client(endpoint const& e, resp::version v, std::chrono::milliseconds timeout)
    : client(e, resolve(e), v, timeout) {}

client::client(endpoint const& e, std::span<address const> at, resp::version v,
               std::chrono::milliseconds timeout)
    : name_(e.name()), timeout_(timeout), link_(connect_to(e, at, timeout)) {
    try {
        log_in(e, v);
    } catch (connection_lost const& lost) {
        throw connect_error(lost.what());
    }
}

void client::log_in(endpoint const& e, resp::version v) {
    auto const first = greet(e, v);
    send(first.bytes + resp::command({"PING"}));
    resp::value worst;
    for (std::size_t i = 0; i < first.replies + 1; ++i) {
        auto reply = receive();
        bool const last = i == first.replies;
        if (last && reply.text.starts_with("NOPERM"))
            continue;  // a user who may not PING may do other things
        if (reply.is_error() && !worst.is_error()) worst = std::move(reply);
    }
    if (!worst.is_error()) return;
    auto const& said = worst.text;
    std::string mend;
    if (said.starts_with("NOAUTH"))
        mend = "; give a password (-a)";
    else if (said.starts_with("WRONGPASS") || said.find("AUTH <password>") != std::string::npos)
        mend = "; check the password (-a) and the user (--user)";
    else if (said.starts_with("NOPROTO") || said.find("'HELLO'") != std::string::npos)
        mend = "; it does not speak RESP3, leave out -3";
    else if (said.find("DB index") != std::string::npos)
        mend = "; choose another database (--dbnum)";
    else if (said.find("max number of clients") != std::string::npos)
        mend = "; use fewer connections (-c) or raise its maxclients";
    throw connect_error(name_ + " refuses the connection: " + said + mend);
}

resp::value client::call(std::initializer_list<std::string_view> words) {
    send(resp::command(words));
    return receive();
}

resp::value client::call(std::span<std::string const> words) {
    send(resp::command(words));
    return receive();
}

void client::wait(short events) {
    pollfd p{link_.socket.get(), events, 0};
    int const ready = ::poll(&p, 1, static_cast<int>(timeout_.count()));
    if (ready == 0)
        throw connection_lost(name_ + " has not answered for " + std::to_string(timeout_.count() / 1000) +
                              " s");
    if (ready < 0 && errno != EINTR) throw connection_lost(name_ + ": " + std::strerror(errno));
}

void client::send(std::string_view bytes) {
    if (exchange_) {
        in_ += exchange_(bytes);
        return;
    }
    while (!bytes.empty()) {
        auto const n = ::send(link_.socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n > 0)
            bytes.remove_prefix(static_cast<std::size_t>(n));
        else if (errno == EAGAIN)
            wait(POLLOUT);
        else if (errno != EINTR)
            throw connection_lost(name_ + " closed the connection: " + std::strerror(errno));
    }
}

resp::value client::receive() {
    resp::value_builder builder;
    resp::node node;
    for (;;) {
        auto const step = reader_.next(std::string_view(in_).substr(used_), node);
        if (step.what == resp::reply_reader::status::invalid)
            throw connection_lost(name_ + " does not speak RESP: " + std::string(resp::describe(step.why)));
        if (step.what == resp::reply_reader::status::got_node) {
            bool const whole = builder.add(node);
            bool const push = whole && node.depth == 0 && node.type == resp::type::push;
            used_ += step.consumed;
            if (!whole) continue;
            auto reply = builder.take();
            if (push || reply.type == resp::type::push) continue;  // nobody asked for it
            return reply;
        }
        in_.erase(0, used_);
        used_ = 0;
        if (exchange_) throw connection_lost(name_ + " has not answered");
        std::size_t const had = in_.size();
        in_.resize(had + (std::size_t{16} << 10));
        auto const n = ::recv(link_.socket.get(), in_.data() + had, in_.size() - had, MSG_DONTWAIT);
        int const error = errno;
        in_.resize(had + static_cast<std::size_t>(n > 0 ? n : 0));
        if (n == 0) throw connection_lost(name_ + " closed the connection");
        if (n < 0 && error == EAGAIN)
            wait(POLLIN);
        else if (n < 0 && error != EINTR)
            throw connection_lost(name_ + " closed the connection: " + std::strerror(error));
    }
}

}  // namespace respkit
