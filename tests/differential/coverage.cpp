#include "coverage.hpp"

#include <algorithm>

#include <respkit/resp/value.hpp>
#include <respkit/server/command.hpp>

namespace respkit::differential {
namespace {

bool excepted(std::vector<exception> const& from, std::string_view what) {
    return std::any_of(from.begin(), from.end(), [&](auto const& e) { return what.starts_with(e.what); });
}

std::string option_name(line const& l, std::string const& option) { return l.row + " " + option; }

}  // namespace

coverage::coverage(table const& t, ground const& g, std::vector<std::string> const& rows,
                   std::vector<error_text> texts) {
    // A container is nothing without a subcommand, unless it has a line.
    auto const is_container = [&](std::string const& row) {
        return std::none_of(t.lines.begin(), t.lines.end(), [&](auto const& l) { return l.row == row; }) &&
               std::any_of(rows.begin(), rows.end(), [&](auto const& r) { return r.starts_with(row + "|"); });
    };
    for (auto const& row : rows)
        if (!is_container(row) &&
            std::none_of(t.never.begin(), t.never.end(), [&](auto const& e) { return e.what == row; }))
            rows_.missing.insert(row);
    rows_.all = rows_.missing.size();
    for (auto const* each : g.lines) {
        for (auto const& option : each->options) options_.missing.insert(option_name(*each, option));
        if (!each->options.empty()) unseen_options_[each] = each->options;
    }
    options_.all = options_.missing.size();
    for (auto& text : texts)
        if (!excepted(t.unseen, text.print())) unseen_texts_.push_back(std::move(text));
    texts_ = unseen_texts_.size();
}

void coverage::seen(request const& of, std::string_view reply) {
    if (reply.empty()) return;
    auto const& from = *of.from;
    if (resp::is_error(static_cast<resp::type>(reply.front()))) {
        seen_error(reply.substr(1));
        if (!from.refused) return;
    }
    if (!rows_.missing.empty()) rows_.missing.erase(from.row);
    if (from.row == "exec")
        if (auto const all = resp::parse_value(reply))
            for (auto const& each : all->items)
                if (each.is_error()) seen_error(each.text);
    auto const at = unseen_options_.find(&from);
    if (at == unseen_options_.end()) return;
    for (auto const& word : of.words) {
        auto const option = std::find_if(at->second.begin(), at->second.end(),
                                         [&](auto const& o) { return is_word(word, lower_case(o)); });
        if (option == at->second.end()) continue;
        options_.missing.erase(option_name(from, *option));
        at->second.erase(option);
    }
    if (at->second.empty()) unseen_options_.erase(at);
}

void coverage::seen_error(std::string_view text) {
    text = text.substr(0, text.find('\r'));
    if (unseen_texts_.empty() || !known_errors_.emplace(text).second) return;
    if (known_errors_.size() > 100000) known_errors_.clear();
    std::erase_if(unseen_texts_, [&](auto const& t) { return t.matches(text); });
}

bool coverage::report(std::ostream& out) const {
    auto const part = [](count const& c) {
        return std::to_string(c.all - c.missing.size()) + " of " + std::to_string(c.all);
    };
    out << "rows " << part(rows_) << ", options " << part(options_) << ", error texts "
        << texts_ - unseen_texts_.size() << " of " << texts_ << "\n";
    for (auto const& row : rows_.missing) out << "  no reply but errors: " << row << "\n";
    for (auto const& option : options_.missing) out << "  never accepted: " << option << "\n";
    for (auto const& text : unseen_texts_)
        out << "  never said: " << text.print() << "  (" << text.file << ":" << text.line << ")\n";
    return rows_.missing.empty() && options_.missing.empty() && unseen_texts_.empty();
}

}  // namespace respkit::differential
