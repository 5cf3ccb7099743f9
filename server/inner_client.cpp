#include <stdexcept>
#include <utility>

#include <respkit/resp/command.hpp>
#include <respkit/server/inner_client.hpp>

namespace respkit {

resp::value inner_client::run(std::string_view request) {
    if (session_ && core_.ended(*session_)) leave();
    if (!session_) {
        session_ = core_.open({});
        core_.trust(*session_);
        core_.feed(*session_, resp::command({"HELLO", "3"}), replies_);
    }
    replies_.clear();
    auto const fed = core_.feed(*session_, request, replies_);
    if (fed.what >= engine::progress::close) leave();
    if (session_ && core_.waits(*session_)) {
        core_.stop_waiting(*session_);
        throw std::logic_error("respkit::mock: run() cannot wait for a reply: use a connection of your own");
    }
    // A push before the reply was not asked for.
    for (std::string_view rest = replies_; !rest.empty();) {
        std::size_t size = 0;
        auto reply = resp::parse_value(rest, &size);
        if (!reply) break;
        if (reply->type != resp::type::push) return std::move(*reply);
        rest.remove_prefix(size);
    }
    throw std::logic_error("respkit::mock: that command has no reply to return");
}

}  // namespace respkit
