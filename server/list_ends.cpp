#include <respkit/server/list_ends.hpp>

namespace respkit {

std::optional<side> parse_side(std::string_view word) {
    if (is_word(word, "left")) return side::left;
    if (is_word(word, "right")) return side::right;
    return {};
}

void push(list_value& list, side end, std::string_view value) {
    end == side::left ? list.push_front(value) : list.push_back(value);
}

void report_push(call& c, std::string_view key, side end, std::size_t count) {
    c.changed(key, event::list, end == side::left ? "lpush" : "rpush", count);
}

void take(call& c, std::string_view key, list_value& list, side end, std::size_t count) {
    end == side::left ? list.remove_front(count) : list.remove_back(count);
    c.notify(key, event::list, end == side::left ? "lpop" : "rpop");
    if (list.empty()) c.drop_empty(key);
    c.touched(key, count);
}

void reply_and_take(call& c, std::string_view key, list_value& list, side end, std::size_t count) {
    c.reply.array(count);
    auto e = end == side::left ? list.first() : list.last();
    for (auto left = count; left; --left) {
        c.reply.bulk(*e);
        end == side::left ? e.next() : e.previous();
    }
    take(c, key, list, end, count);
}

}  // namespace respkit
