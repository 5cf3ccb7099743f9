// Clients of an engine without sockets, whose every byte is looked at; its time stands still until moved.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include <respkit/resp/command.hpp>
#include <respkit/server/engine.hpp>

namespace respkit::test {

class server {
public:
    explicit server(engine_options o = {}) : core((time.freeze(), std::move(o)), time) {}

    respkit::clock time;
    engine core;
};

class client {
public:
    explicit client(server& s, peer who = {})
        : server_(s), session_(s.core.open(std::move(who), [this] { ++wakes; })) {
        auto const reply = (*this)({"CLIENT", "ID"});
        id = reply.substr(1, reply.size() - 3);
    }

    std::string raw(std::string_view bytes) {
        in_ += bytes;
        std::string out;
        auto const fed = server_.core.feed(*session_, in_, out);
        in_.erase(0, fed.consumed);
        ended = fed.what >= engine::progress::close;
        reset = fed.what == engine::progress::reset;
        return out;
    }
    std::string operator()(std::initializer_list<std::string_view> words) {
        return raw(resp::command(words));
    }
    // What has come since it was last asked.
    std::string news() { return raw(""); }
    bool waits() const { return server_.core.waits(*session_); }
    void leave() { session_.reset(); }

    std::string id;
    int wakes = 0;
    bool ended = false;
    bool reset = false;

private:
    server& server_;
    engine::session_handle session_;
    std::string in_;
};

}  // namespace respkit::test
