#include <stdexcept>
#include <sys/time.h>
#include <vector>

#include <hiredis/hiredis.h>

#include <respkit/client/client.hpp>
#include <respkit/client/hiredis_client.hpp>

namespace respkit {
namespace {

resp::value convert(redisReply const& r) {
    resp::value v;
    switch (r.type) {
        case REDIS_REPLY_STATUS:
            v.type = resp::type::simple;
            break;
        case REDIS_REPLY_ERROR:
            v.type = resp::type::error;
            break;
        case REDIS_REPLY_INTEGER:
            v.type = resp::type::integer;
            break;
        case REDIS_REPLY_STRING:
            v.type = resp::type::bulk;
            break;
        case REDIS_REPLY_ARRAY:
            v.type = resp::type::array;
            break;
        case REDIS_REPLY_NIL:
            v.null = true;
            v.type = resp::type::bulk;
            break;  // 0.14 forgets which
        default:
            throw std::runtime_error("hiredis gave a reply of an unknown type");
    }
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

hiredis_client::hiredis_client(endpoint const& e, std::chrono::milliseconds timeout) {
    timeval limit{};
    limit.tv_sec = timeout.count() / 1000;
    limit.tv_usec = timeout.count() % 1000 * 1000;
    link_.reset(e.unix_path.empty() ? ::redisConnectWithTimeout(e.host.c_str(), e.port, limit)
                                    : ::redisConnectUnixWithTimeout(e.unix_path.c_str(), limit));
    if (!link_) throw connect_error("cannot connect to " + e.name() + ": out of memory");
    if (link_->err) throw connect_error("cannot connect to " + e.name() + ": " + link_->errstr);
    ::redisSetTimeout(link_.get(), limit);
    auto const first = greet(e, resp::version::v2);
    ::redisAppendFormattedCommand(link_.get(), first.bytes.data(), first.bytes.size());
    for (std::size_t i = 0; i < first.replies; ++i)
        if (auto const reply = receive(); reply.is_error())
            throw connect_error(e.name() + " refuses the connection: " + reply.text);
}

hiredis_client::hiredis_client(descriptor connected) : link_(::redisConnectFd(connected.release())) {
    if (!link_ || link_->err) throw connect_error("hiredis does not take the descriptor");
}

resp::value hiredis_client::call(std::span<std::string_view const> words) {
    append(words);
    return receive();
}

void hiredis_client::append(std::span<std::string_view const> words) {
    std::vector<char const*> texts;
    std::vector<std::size_t> sizes;
    for (auto const word : words) {
        texts.push_back(word.data());
        sizes.push_back(word.size());
    }
    if (::redisAppendCommandArgv(link_.get(), static_cast<int>(words.size()), texts.data(), sizes.data()) !=
        REDIS_OK)
        throw std::runtime_error(std::string("hiredis: ") + link_->errstr);
}

resp::value hiredis_client::receive() {
    void* raw = nullptr;
    if (::redisGetReply(link_.get(), &raw) != REDIS_OK || !raw)
        throw std::runtime_error(std::string("hiredis: ") + link_->errstr);
    std::unique_ptr<void, void (*)(void*)> const reply(raw, ::freeReplyObject);
    return convert(*static_cast<redisReply const*>(raw));
}

}  // namespace respkit
