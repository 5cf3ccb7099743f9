#include <vector>

#include <respkit/resp/number.hpp>
#include <respkit/server/command.hpp>
#include <respkit/server/config.hpp>
#include <respkit/server/output_limits.hpp>

namespace respkit {

std::optional<std::string> output_limits::read(std::string_view text) {
    // Split at every blank: two of them enclose an empty word, as in Redis.
    std::vector<std::string_view> words;
    while (!text.empty()) {
        auto const end = text.find(' ');
        words.push_back(text.substr(0, end));
        text.remove_prefix(end == text.npos ? text.size() : end + 1);
        if (end != std::string_view::npos && text.empty()) words.push_back({});
    }
    if (words.size() % 4) return "Wrong number of arguments in buffer limit configuration.";

    auto changed = *this;
    for (std::size_t i = 0; i < words.size(); i += 4) {
        output_limit* one = nullptr;
        if (is_word(words[i], "normal")) one = &changed.normal;
        if (is_word(words[i], "slave") || is_word(words[i], "replica")) one = &changed.replica;
        if (is_word(words[i], "pubsub")) one = &changed.pubsub;
        if (!one) return "Invalid client class specified in buffer limit configuration.";
        auto const hard = parse_memory(words[i + 1]);
        auto const soft = parse_memory(words[i + 2]);
        auto const seconds = resp::parse_integer(words[i + 3]);
        if (!hard || !soft || !seconds || *seconds < 0)
            return "Error in hard, soft or soft_seconds setting in buffer limit configuration.";
        *one = {*hard, *soft, *seconds};
    }
    *this = changed;
    return {};
}

std::string output_limits::text() const {
    auto const spell = [](std::string_view name, output_limit const& l) {
        return std::string(name) + ' ' + std::to_string(l.hard) + ' ' + std::to_string(l.soft) + ' ' +
               std::to_string(l.seconds);
    };
    return spell("normal", normal) + ' ' + spell("slave", replica) + ' ' + spell("pubsub", pubsub);
}

}  // namespace respkit
