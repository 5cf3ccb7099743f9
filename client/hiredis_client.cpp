#include <array>
#include <cerrno>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/time.h>
#include <vector>

#include <hiredis/hiredis.h>

#include <respkit/client/client.hpp>
#include <respkit/client/hiredis_client.hpp>

namespace respkit {
namespace {

// 0.14 forgets of which type a null was.
resp::type type_of(redisReply const& r) {
    switch (r.type) {
        case REDIS_REPLY_STATUS:
            return resp::type::simple;
        case REDIS_REPLY_ERROR:
            return resp::type::error;
        case REDIS_REPLY_INTEGER:
            return resp::type::integer;
        case REDIS_REPLY_STRING:
        case REDIS_REPLY_NIL:
            return resp::type::bulk;
        case REDIS_REPLY_ARRAY:
            return resp::type::array;
        default:
            throw std::runtime_error("hiredis gave a reply of an unknown type");
    }
}

resp::value convert(redisReply const& r) {
    resp::value v;
    v.type = type_of(r);
    v.null = r.type == REDIS_REPLY_NIL;
    if (v.type == resp::type::integer) {
        v.integer = r.integer;
        v.text = std::to_string(r.integer);
    } else if (v.type == resp::type::array) {
        for (std::size_t i = 0; i < r.elements; ++i) v.items.push_back(convert(*r.element[i]));
    } else if (r.str) {
        v.text.assign(r.str, static_cast<std::size_t>(r.len));
    }
    return v;
}

}  // namespace

void hiredis_client::free_context::operator()(redisContext* c) const { ::redisFree(c); }
void hiredis_client::free_reply::operator()(void* r) const { ::freeReplyObject(r); }

hiredis_client::hiredis_client(endpoint const& e, std::chrono::milliseconds timeout)
    : name_(e.name()), timeout_(timeout) {
    timeval limit{};
    limit.tv_sec = timeout.count() / 1000;
    limit.tv_usec = timeout.count() % 1000 * 1000;
    link_.reset(e.unix_path.empty() ? ::redisConnectWithTimeout(e.host.c_str(), e.port, limit)
                                    : ::redisConnectUnixWithTimeout(e.unix_path.c_str(), limit));
    if (!link_) throw connect_error("cannot connect to " + name_ + ": out of memory");
    if (link_->err) throw connect_error("cannot connect to " + name_ + ": " + link_->errstr);
    ::redisSetTimeout(link_.get(), limit);
    auto const first = greet(e, resp::version::v2);
    append_encoded(first.bytes);
    try {
        for (std::size_t i = 0; i < first.replies; ++i)
            if (auto const reply = receive(); reply.is_error())
                throw connect_error(name_ + " refuses the connection: " + reply.text);
    } catch (connection_lost const& lost) {
        throw connect_error("cannot connect: " + std::string(lost.what()));
    }
}

hiredis_client::hiredis_client(descriptor connected)
    : name_("the server"), link_(::redisConnectFd(connected.release())) {
    if (!link_ || link_->err) throw connect_error("hiredis does not take the descriptor");
}

// To be called at once: errno is still that of hiredis' system call.
void hiredis_client::fail() {
    bool const late = link_->err == REDIS_ERR_IO && errno == EAGAIN;
    ended_ = late ? end::timeout : link_->err == REDIS_ERR_PROTOCOL ? end::protocol : end::disconnect;
    std::string const said = link_->errstr;
    throw connection_lost(late ? name_ + " has not answered for " + std::to_string(timeout_.count() / 1000) +
                                     " s"
                               : name_ + " (hiredis): " + said);
}

resp::value hiredis_client::call(std::span<std::string_view const> words) {
    append(words);
    return receive();
}

void hiredis_client::append(std::span<std::string_view const> words) {
    std::array<char const*, 8> few_texts;
    std::array<std::size_t, 8> few_sizes;
    std::vector<char const*> many_texts;
    std::vector<std::size_t> many_sizes;
    bool const few = words.size() <= few_texts.size();
    if (!few) {
        many_texts.resize(words.size());
        many_sizes.resize(words.size());
    }
    auto* const texts = few ? few_texts.data() : many_texts.data();
    auto* const sizes = few ? few_sizes.data() : many_sizes.data();
    for (std::size_t i = 0; i < words.size(); ++i) {
        texts[i] = words[i].data();
        sizes[i] = words[i].size();
    }
    if (::redisAppendCommandArgv(link_.get(), static_cast<int>(words.size()), texts, sizes) != REDIS_OK)
        fail();
}

resp::value hiredis_client::receive() {
    look();
    return convert(*static_cast<redisReply const*>(reply_.get()));
}

void hiredis_client::append_encoded(std::string_view commands) {
    if (!commands.empty() &&
        ::redisAppendFormattedCommand(link_.get(), commands.data(), commands.size()) != REDIS_OK)
        fail();
}

void hiredis_client::flush() {
    for (int done = 0; !done;)
        if (::redisBufferWrite(link_.get(), &done) != REDIS_OK) fail();
}

hiredis_client::glance hiredis_client::look() {
    glance g;
    void* raw = nullptr;
    if (::redisGetReplyFromReader(link_.get(), &raw) != REDIS_OK) fail();
    if (!raw) flush();
    while (!raw) {
        if (::redisBufferRead(link_.get()) != REDIS_OK) fail();
        g.read = true;
        if (::redisGetReplyFromReader(link_.get(), &raw) != REDIS_OK) fail();
    }
    reply_.reset(raw);
    auto const& r = *static_cast<redisReply const*>(raw);
    g.type = type_of(r);
    g.null = r.type == REDIS_REPLY_NIL;
    if (g.type == resp::type::array)
        g.items = r.elements;
    else if (r.str)
        g.text = {r.str, static_cast<std::size_t>(r.len)};
    return g;
}

void hiredis_client::reset_at_end() {
    linger const at_once{1, 0};
    ::setsockopt(link_->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

}  // namespace respkit
