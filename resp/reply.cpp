#include <algorithm>
#include <charconv>
#include <cstring>

#include <respkit/resp/number.hpp>
#include <respkit/resp/reply.hpp>

namespace respkit::resp {
namespace {

std::size_t digits(std::string_view text, std::size_t from) {
    while (from < text.size() && text[from] >= '0' && text[from] <= '9') ++from;
    return from;
}

// The specification allows a '+' and leading zeros.
bool read_integer(std::string_view text, std::int64_t& value) {
    if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size();
}

// [sign] digits [. digits] [e [sign] digits], or inf, or nan.
bool is_double(std::string_view text) {
    std::size_t i = !text.empty() && (text[0] == '+' || text[0] == '-') ? 1 : 0;
    if (text.substr(i) == "inf" || text.substr(i) == "nan") return true;
    std::size_t begin = i;
    if ((i = digits(text, i)) == begin) return false;
    if (i < text.size() && text[i] == '.') {
        begin = ++i;
        if ((i = digits(text, i)) == begin) return false;
    }
    if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
        if (++i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
        begin = i;
        if ((i = digits(text, i)) == begin) return false;
    }
    return i == text.size();
}

bool is_big_number(std::string_view text) {
    std::size_t const begin = !text.empty() && (text[0] == '+' || text[0] == '-') ? 1 : 0;
    return begin < text.size() && digits(text, begin) == text.size();
}

}  // namespace

reply_reader::step reply_reader::next(std::string_view in, node& out) {
    out = node{};
    out.depth = open_.size();
    if (in.empty()) return {status::need_more};
    out.type = static_cast<type>(in[0]);
    if (bulk_ != no_bulk) return payload(in, out);

    auto const quick = read_short_length(in, 1);
    if (quick.length && in[quick.next - 1] == '\n' && (in[0] == '$' || in[0] == '*') &&
        place(out.type) == fault::none && quick.length <= limits_.bulk && quick.length <= limits_.items) {
        scanned_ = 0;
        out.size = quick.length;
        if (in[0] == '*') return open(out, quick.next);
        bulk_ = quick.length;
        header_ = quick.next;
        return payload(in, out);
    }
    return line(in, out);
}

reply_reader::step reply_reader::line(std::string_view in, node& out) {
    if (auto const why = place(out.type); why != fault::none) return refuse(why);
    std::size_t const stop = std::min(in.size(), limits_.line + 2);
    std::size_t const from = std::max<std::size_t>(scanned_, 1);
    auto const* cr =
        from < stop ? static_cast<char const*>(std::memchr(in.data() + from, '\r', stop - from)) : nullptr;
    std::size_t const at = cr ? static_cast<std::size_t>(cr - in.data()) : stop;
    if (!cr && in.size() > limits_.line + 1) return refuse(fault::too_long);
    if (!cr || at + 1 == in.size()) {
        scanned_ = at;
        return {status::need_more};
    }
    if (in[at + 1] != '\n') return refuse(fault::bad_line);
    scanned_ = 0;
    auto const text = in.substr(1, at - 1);
    switch (out.type) {
        case type::bulk:
        case type::bulk_error:
        case type::verbatim:
        case type::chunk:
        case type::array:
        case type::set:
        case type::push:
        case type::map:
        case type::attribute:
            return length(text, in, out, at + 2);
        default:
            return scalar(text, out, at + 2);
    }
}

// Which kinds of element may come next.
fault reply_reader::place(type t) const {
    bool const in_string = !open_.empty() && open_.back().type == type::bulk;
    if (in_string != (t == type::chunk) && (in_string || t == type::chunk)) return fault::misplaced;
    switch (t) {
        case type::push:
            return open_.empty() ? fault::none : fault::misplaced;
        case type::end:
            return open_.empty() || open_.back().left != node::streamed || open_.back().odd || attributed_
                       ? fault::misplaced
                       : fault::none;
        case type::simple:
        case type::error:
        case type::integer:
        case type::bulk:
        case type::array:
        case type::null:
        case type::boolean:
        case type::real:
        case type::big_number:
        case type::bulk_error:
        case type::verbatim:
        case type::map:
        case type::set:
        case type::attribute:
        case type::chunk:
            return fault::none;
    }
    return fault::unknown_type;
}

reply_reader::step reply_reader::scalar(std::string_view line, node& out, std::size_t consumed) {
    out.text = line;
    switch (out.type) {
        case type::integer:
            if (!read_integer(line, out.integer)) return refuse(fault::bad_integer);
            break;
        case type::null:
            if (!line.empty()) return refuse(fault::bad_null);
            out.null = true;
            break;
        case type::boolean:
            if (line != "t" && line != "f") return refuse(fault::bad_boolean);
            out.integer = line == "t";
            break;
        case type::real:
            if (!is_double(line)) return refuse(fault::bad_double);
            break;
        case type::big_number:
            if (!is_big_number(line)) return refuse(fault::bad_big_number);
            break;
        case type::end:
            if (!line.empty()) return refuse(fault::bad_line);
            return close(out, consumed);
        default:
            break;
    }
    return finish(out, consumed);
}

reply_reader::step reply_reader::length(std::string_view digits, std::string_view in, node& out,
                                        std::size_t header) {
    bool const counted = is_aggregate(out.type);
    if (digits == "?" &&
        (out.type == type::bulk || (counted && out.type != type::push && out.type != type::attribute))) {
        out.size = node::streamed;
        return open(out, header);
    }
    auto const n = parse_integer(digits);
    if (!n) return refuse(fault::bad_length);
    if (*n == -1 && (out.type == type::bulk || out.type == type::array)) {
        out.null = true;
        return finish(out, header);
    }
    if (*n < 0) return refuse(fault::bad_length);
    auto const size = static_cast<std::size_t>(*n);
    if (size > (counted ? limits_.items / width(out.type) : limits_.bulk)) return refuse(fault::too_long);
    out.size = size;
    if (counted) return open(out, header);
    if (out.type == type::chunk && size == 0)
        return close(out, header);  // ";0": no bytes, no line end of theirs
    bulk_ = size;
    header_ = header;
    return payload(in, out);
}

reply_reader::step reply_reader::payload(std::string_view in, node& out) {
    std::size_t const end = header_ + bulk_;
    if (in.size() < end + 2) return {status::need_more};
    if (in[end] != '\r' || in[end + 1] != '\n') return refuse(fault::bad_terminator);
    out.text = in.substr(header_, bulk_);
    out.size = 0;
    bulk_ = no_bulk;
    if (out.type == type::verbatim && (out.text.size() < 4 || out.text[3] != ':'))
        return refuse(fault::bad_verbatim);
    return finish(out, end + 2);
}

reply_reader::step reply_reader::open(node& out, std::size_t consumed) {
    if (out.size == 0 && out.type != type::attribute) return finish(out, consumed);
    attributed_ = out.type == type::attribute;
    if (out.size == 0) return {status::got_node, consumed};
    if (open_.size() == limits_.depth) return refuse(fault::too_deep);
    open_.push_back({out.type, out.size == node::streamed ? node::streamed : out.size * width(out.type)});
    attributed_ = false;
    return {status::got_node, consumed};
}

// The streamed aggregate or string that is open innermost ends here.
reply_reader::step reply_reader::close(node& out, std::size_t consumed) {
    open_.pop_back();
    out.depth = open_.size();
    return finish(out, consumed);
}

// An element is whole: close every aggregate that it completes.
reply_reader::step reply_reader::finish(node& out, std::size_t consumed) {
    attributed_ = false;
    while (!open_.empty()) {
        auto& inner = open_.back();
        if (inner.left == node::streamed) {
            if (inner.type == type::map) inner.odd = !inner.odd;
            return {status::got_node, consumed};
        }
        if (--inner.left > 0) return {status::got_node, consumed};
        attributed_ = inner.type == type::attribute;
        open_.pop_back();
        if (attributed_)
            return {status::got_node, consumed};  // describes the element to come, is none itself
    }
    out.completes = true;
    return {status::got_node, consumed};
}

}  // namespace respkit::resp
