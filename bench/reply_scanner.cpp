#include <algorithm>
#include <cstring>

#include <respkit/bench/reply_scanner.hpp>
#include <respkit/resp/number.hpp>

namespace respkit::bench {
namespace {

// A whole ":123\r\n" or "$3\r\nabc\r\n" at the front; 0 if it is not that, or not all there.
std::size_t quick_scalar(std::string_view in) {
    if (in[0] == '$') {
        auto const length = resp::read_short_length(in, 1);
        if (!length.length || in[length.next - 1] != '\n') return 0;
        std::size_t const end = length.next + length.length;
        if (in.size() < end + 2 || in[end] != '\r' || in[end + 1] != '\n') return 0;
        return end + 2;
    }
    if (in[0] != ':') return 0;
    std::size_t i = 1;
    while (i < in.size() && in[i] >= '0' && in[i] <= '9') ++i;
    if (i == 1 || i > 18 || i + 2 > in.size() || in[i] != '\r' || in[i + 1] != '\n') return 0;
    return i + 2;
}

}  // namespace

tally& tally::operator+=(tally const& other) {
    ok += other.ok;
    nil += other.nil;
    hits += other.hits;
    for (auto const& [word, n] : other.errors) errors[word] += n;
    error_replies += other.error_replies;
    protocol_errors += other.protocol_errors;
    timeouts += other.timeouts;
    disconnects += other.disconnects;
    if (first_error.empty()) first_error = other.first_error;
    return *this;
}

reply_scanner::result reply_scanner::scan(std::string_view in, std::size_t most, tally& into) {
    result r;
    while (r.consumed < in.size()) {
        if (!inside_ && !begun_) {
            if (!elements_ && r.replies == most) {
                // Only a push may come now.
                r.unasked = in[r.consumed] != static_cast<char>(resp::type::push);
                if (r.unasked) return r;
            } else if (elements_) {
                if (auto const size = quick_scalar(in.substr(r.consumed))) {
                    r.consumed += size;
                    if (--elements_) continue;
                    array_is_whole(into);
                    ++r.replies;
                    continue;
                }
            } else if (quick(in, r.consumed, into)) {
                r.replies += elements_ == 0;
                continue;
            }
        }
        resp::node node;
        auto const step = reader_.next(in.substr(r.consumed), node);
        begun_ = step.what == resp::reply_reader::status::need_more;
        if (begun_) return r;
        r.why = step.why;
        if (elements_ && node.depth == 0 && node.type == resp::type::push) r.why = resp::fault::misplaced;
        if (r.why != resp::fault::none) return r;
        r.consumed += step.consumed;
        if (!elements_ && (!inside_ || (attributed_ && node.depth == 0))) {
            attributed_ = node.type == resp::type::attribute;
            head_ = {node.type, node.null, node.size, {}};
            if (resp::is_error(node.type)) head_.error = node.text;
        }
        inside_ = !node.completes;
        if (inside_) continue;
        attributed_ = false;
        if (elements_) {
            if (--elements_) continue;
            array_is_whole(into);
        } else if (head_.type == resp::type::push) {
            continue;
        } else {
            reply_is_whole(into);
        }
        ++r.replies;
    }
    return r;
}

// One of the shapes that nearly every reply has; for an array, its header. False: none of them, or not all
// there; nothing is used.
bool reply_scanner::quick(std::string_view in, std::size_t& at, tally& into) {
    auto const rest = in.substr(at);
    switch (rest[0]) {
        case '+':
            if (!rest.starts_with("+OK\r\n") && !rest.starts_with("+PONG\r\n")) return false;
            at += rest[1] == 'O' ? 5 : 7;
            ++into.ok;
            into.hits += counts_ == hit::not_null;
            return true;
        case '$':
            if (rest.starts_with("$-1\r\n")) {
                at += 5;
                ++into.nil;
                return true;
            }
            [[fallthrough]];
        case ':': {
            std::size_t const size = quick_scalar(rest);
            at += size;
            into.ok += size != 0;
            into.hits += size != 0 && counts_ == hit::not_null;
            return size != 0;
        }
        case '*': {
            auto const length = resp::read_short_length(rest, 1);
            if (!length.length || rest[length.next - 1] != '\n') return false;
            elements_ = length_ = length.length;
            at += length.next;
            return true;
        }
        default:
            return false;
    }
}

void reply_scanner::array_is_whole(tally& into) {
    head_ = {resp::type::array, false, length_, {}};
    reply_is_whole(into);
}

void reply_scanner::reply_is_whole(tally& into) {
    if (resp::is_error(head_.type)) {
        ++into.error_replies;
        ++into.errors[head_.error.substr(0, head_.error.find(' '))];
        if (into.first_error.empty()) into.first_error = head_.error;
    } else if (head_.null) {
        ++into.nil;
    } else {
        ++into.ok;
        bool const aggregate = resp::is_aggregate(head_.type);
        into.hits += counts_ == hit::not_null || (counts_ == hit::not_empty && aggregate && head_.size > 0) ||
                     (counts_ == hit::whole_range && aggregate && head_.size == range_);
    }
}

}  // namespace respkit::bench
