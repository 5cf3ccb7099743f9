#include <algorithm>
#include <cstring>

#include <respkit/resp/number.hpp>
#include <respkit/resp/request.hpp>

namespace respkit::resp {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\v' || c == '\f'; }

// Between words Redis skips what isspace() calls space; inside a bare word only these end it, so "\v" does
// not (sds.c: sdssplitargs).
bool ends_word(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\0'; }

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

char escaped(char c) {
    switch (c) {
        case 'n':
            return '\n';
        case 'r':
            return '\r';
        case 't':
            return '\t';
        case 'b':
            return '\b';
        case 'a':
            return '\a';
        default:
            return c;
    }
}

// Reads the quoted part that begins behind its opening quote; appends what it spells. Returns the position
// behind the closing quote, or npos if it is not closed or another character follows it.
std::size_t unquote(std::string_view line, std::size_t i, char quote, std::string& out) {
    while (i < line.size()) {
        char const c = line[i];
        if (c == quote) {
            ++i;
            return i == line.size() || is_blank(line[i]) ? i : std::string_view::npos;
        }
        if (quote == '"' && c == '\\' && i + 3 < line.size() && line[i + 1] == 'x' &&
            hex_digit(line[i + 2]) >= 0 && hex_digit(line[i + 3]) >= 0) {
            out += static_cast<char>(hex_digit(line[i + 2]) * 16 + hex_digit(line[i + 3]));
            i += 4;
        } else if (quote == '"' && c == '\\' && i + 1 < line.size()) {
            out += escaped(line[i + 1]);
            i += 2;
        } else if (quote == '\'' && c == '\\' && i + 1 < line.size() && line[i + 1] == '\'') {
            out += '\'';
            i += 2;
        } else {
            out += c;
            ++i;
        }
    }
    return std::string_view::npos;
}

// Looks for `end` in in[from, …) before any NUL, no further than `limit` bytes behind `begin`.
struct line_end {
    std::size_t at;
    enum { found, missing, too_far } what;
};

line_end find_line_end(std::string_view in, std::size_t begin, std::size_t from, char end,
                       std::size_t limit) {
    std::size_t const stop = std::min(in.size(), begin + limit + 1);
    if (from < stop) {
        auto const* hit = static_cast<char const*>(std::memchr(in.data() + from, end, stop - from));
        std::size_t const at = hit ? static_cast<std::size_t>(hit - in.data()) : stop;
        if (hit && !std::memchr(in.data() + begin, '\0', at - begin)) return {at, line_end::found};
    }
    if (in.size() - begin > limit) return {0, line_end::too_far};
    return {0, line_end::missing};
}

}  // namespace

request_reader::step request_reader::refuse(fault why) {
    why_ = why;
    return {status::invalid, 0};
}

// Ready for another request; what an exceptional one has left behind is given back.
void request_reader::forget() {
    constexpr std::size_t usual_words = 1024, usual_line = 4096;
    words_.clear();
    if (words_.capacity() > usual_words) std::vector<std::string_view>().swap(words_);
    if (unquoted_.capacity() > usual_line) std::string().swap(unquoted_);
}

// The buffer may have moved since the words were taken.
void request_reader::rebase(char const* base) {
    for (auto& word : words_) word = {base + (word.data() - base_), word.size()};
    base_ = base;
}

request_reader::step request_reader::next(std::string_view in) {
    if (missing_) {
        if (in.data() != base_) rebase(in.data());
        return array(in);
    }
    forget();
    for (at_ = 0; at_ < in.size();) {
        std::size_t const begin = at_;
        if (auto const done = in[begin] == '*' ? count_header(in) : inline_line(in)) return *done;
        if (missing_) return first_part(in, begin);
        // an empty request: nothing to run
    }
    return {status::need_more, at_};
}

// No line end yet; the empty requests before at_ are consumed, the scan resumes relative to what remains.
request_reader::step request_reader::wait_for_line(std::size_t scanned) {
    scanned_ = scanned - at_;
    return {status::need_more, at_};
}

// The header of an array at at_: sets missing_, which stays 0 for an empty one.
std::optional<request_reader::step> request_reader::count_header(std::string_view in) {
    if (auto const quick = read_short_length(in, at_ + 1);
        quick.length && quick.length <= std::min(limits_.items, limits_.unauthenticated_items)) {
        at_ = quick.next;
        missing_ = quick.length;
        scanned_ = 0;
        return {};
    }
    auto const end = find_line_end(in, at_, std::max(at_, scanned_), '\r', limits_.line);
    if (end.what == line_end::too_far) return refuse(fault::multibulk_header_too_big);
    if (end.what == line_end::missing) return wait_for_line(in.size());
    if (end.at + 1 == in.size()) return wait_for_line(end.at);
    auto const count = parse_integer(in.substr(at_ + 1, end.at - at_ - 1));
    if (!count || (*count > 0 && static_cast<std::size_t>(*count) > limits_.items))
        return refuse(fault::invalid_multibulk_length);
    if (*count > 0 && !authenticated_ && static_cast<std::size_t>(*count) > limits_.unauthenticated_items)
        return refuse(fault::unauthenticated_multibulk_length);
    at_ = end.at + 2;
    scanned_ = 0;
    missing_ = static_cast<std::size_t>(std::max<std::int64_t>(*count, 0));
    return {};
}

// Reads the array that begins at `begin`, behind empty requests; these are consumed also if it is incomplete.
request_reader::step request_reader::first_part(std::string_view in, std::size_t begin) {
    base_ = in.data();
    auto done = array(in);
    if (begin && done.what == status::need_more) {
        base_ += begin;
        at_ -= begin;
        scanned_ -= std::min(scanned_, begin);
        done.consumed = begin;
    }
    return done;
}

// at_ stands at a bulk string's header, or at its payload if bulk_ is known.
request_reader::step request_reader::array(std::string_view in) {
    while (missing_) {
        if (bulk_ == no_bulk)
            if (auto const stop = bulk_header(in)) return *stop;
        if (in.size() < at_ + bulk_ + 2) return {status::need_more, 0};
        words_.push_back(in.substr(at_, bulk_));
        at_ += bulk_ + 2;
        bulk_ = no_bulk;
        --missing_;
    }
    return {status::ready, at_};
}

std::optional<request_reader::step> request_reader::bulk_header(std::string_view in) {
    if (auto const quick = read_short_length(in, at_ + 1);
        quick.length && in[at_] == '$' &&
        quick.length <= std::min(limits_.bulk, limits_.unauthenticated_bulk)) {
        bulk_ = quick.length;
        at_ = quick.next;
        scanned_ = 0;
        return {};
    }
    auto const end = find_line_end(in, at_, std::max(at_, scanned_), '\r', limits_.line);
    if (end.what == line_end::too_far) return refuse(fault::bulk_header_too_big);
    if (end.what == line_end::missing || end.at + 1 == in.size()) {
        scanned_ = end.what == line_end::missing ? in.size() : end.at;
        return step{status::need_more, 0};
    }
    if (in[at_] != '$') {
        unexpected_ = in[at_];
        return refuse(fault::expected_dollar);
    }
    auto const length = parse_integer(in.substr(at_ + 1, end.at - at_ - 1));
    if (!length || *length < 0 || static_cast<std::size_t>(*length) > limits_.bulk)
        return refuse(fault::invalid_bulk_length);
    if (!authenticated_ && static_cast<std::size_t>(*length) > limits_.unauthenticated_bulk)
        return refuse(fault::unauthenticated_bulk_length);
    bulk_ = static_cast<std::size_t>(*length);
    at_ = end.at + 2;
    scanned_ = 0;
    return {};
}

// An inline request at at_; nothing for an empty line, which is then behind at_.
std::optional<request_reader::step> request_reader::inline_line(std::string_view in) {
    auto const end = find_line_end(in, at_, std::max(at_, scanned_), '\n', limits_.line);
    if (end.what == line_end::too_far) return refuse(fault::inline_too_big);
    if (end.what == line_end::missing) return wait_for_line(in.size());
    scanned_ = 0;
    auto line = in.substr(at_, end.at - at_);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (!split(line)) return refuse(fault::unbalanced_quotes);
    at_ = end.at + 1;
    if (words_.empty()) return {};
    return step{status::ready, at_};
}

// Takes the line's words, quotes undone; false if the quotes are not balanced.
bool request_reader::split(std::string_view line) {
    unquoted_.clear();
    unquoted_.reserve(line.size());  // quoting never lengthens: views into it stay valid
    std::size_t i = 0;
    for (;;) {
        while (i < line.size() && is_blank(line[i])) ++i;
        if (i == line.size()) return true;
        std::size_t const begin = unquoted_.size();
        while (i < line.size() && !ends_word(line[i])) {
            char const c = line[i++];
            if (c != '"' && c != '\'') {
                unquoted_ += c;
                continue;
            }
            i = unquote(line, i, c, unquoted_);
            if (i == std::string_view::npos) return false;
            break;
        }
        words_.push_back(std::string_view(unquoted_).substr(begin));
    }
}

std::string request_reader::complaint() const {
    if (why_ != fault::expected_dollar) return std::string(describe(why_));
    char const shown = unexpected_ == '\r' || unexpected_ == '\n' ? ' ' : unexpected_;
    return std::string("expected '$', got '") + shown + "'";
}

}  // namespace respkit::resp
