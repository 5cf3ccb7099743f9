// A cache over hiredis as anybody might write it: what the examples test.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <hiredis/hiredis.h>

// Keeps what it is given for a while. A Redis that fails is no reason for the caller to fail: get() finds
// nothing then, put() and drop() say so, and the next call connects again.
class cache {
public:
    cache(std::string host, int port) : host_(std::move(host)), port_(port) {}

    std::optional<std::string> get(std::string const& key) {
        auto const reply = ask("GET %b", key.data(), key.size());
        if (!reply || reply->type != REDIS_REPLY_STRING) return {};
        return std::string(reply->str, reply->len);
    }

    bool put(std::string const& key, std::string const& value, std::chrono::seconds lifetime) {
        return is_ok(ask("SET %b %b EX %lld", key.data(), key.size(), value.data(), value.size(),
                         static_cast<long long>(lifetime.count())));
    }

    bool drop(std::string const& key) {
        auto const reply = ask("DEL %b", key.data(), key.size());
        return reply && reply->type == REDIS_REPLY_INTEGER;
    }

private:
    struct free_link {
        void operator()(redisContext* c) const { redisFree(c); }
    };
    struct free_reply {
        void operator()(redisReply* r) const { freeReplyObject(r); }
    };
    using reply = std::unique_ptr<redisReply, free_reply>;

    template <class... Words>
    reply ask(char const* format, Words... words) {
        if (!link_ || link_->err) {
            timeval const patience{1, 0};
            link_.reset(redisConnectWithTimeout(host_.c_str(), port_, patience));
            if (!link_ || link_->err) return {};
            redisSetTimeout(link_.get(), patience);
        }
        return reply(static_cast<redisReply*>(redisCommand(link_.get(), format, words...)));
    }
    static bool is_ok(reply const& r) { return r && r->type == REDIS_REPLY_STATUS; }

    std::string host_;
    int port_;
    std::unique_ptr<redisContext, free_link> link_;
};
