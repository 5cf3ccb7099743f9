#include <utility>

#include <respkit/resp/value.hpp>

namespace respkit::resp {

bool value_builder::add(node const& n) {
    if (attribute_ != none && n.depth > attribute_) return false;
    attribute_ = none;
    if (n.type == type::attribute) {
        attribute_ = n.depth;
        return false;
    }
    collapse(n.depth);
    if (n.type == type::chunk) {
        if (!n.text.empty()) open_.back().text += n.text;
    } else if (n.type != type::end) {
        value v;
        v.type = n.type;
        v.text = n.text;
        v.integer = n.integer;
        v.null = n.null;
        open_.push_back(std::move(v));
    }
    if (n.completes) collapse(0);
    return n.completes;
}

// Hands every element deeper than `depth` to the aggregate it belongs to.
void value_builder::collapse(std::size_t depth) {
    while (open_.size() > depth && open_.size() > 1) {
        value v = std::move(open_.back());
        open_.pop_back();
        open_.back().items.push_back(std::move(v));
    }
}

value value_builder::take() {
    value v = std::move(open_.front());
    open_.clear();
    return v;
}

std::optional<value> parse_value(std::string_view bytes, std::size_t* consumed) {
    reply_reader reader;
    value_builder builder;
    node n;
    std::size_t at = 0;
    for (;;) {
        auto const step = reader.next(bytes.substr(at), n);
        if (step.what != reply_reader::status::got_node) return {};
        at += step.consumed;
        if (!builder.add(n)) continue;
        if (consumed) *consumed = at;
        return builder.take();
    }
}

}  // namespace respkit::resp
