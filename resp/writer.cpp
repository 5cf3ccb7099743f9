#include <respkit/resp/writer.hpp>

namespace respkit::resp {

void writer::line(type t, std::string_view text) {
    out_ += static_cast<char>(t);
    out_ += text;
    out_ += "\r\n";
}

void writer::error(std::string_view text) {
    error_at_ = out_.size();
    std::size_t const begin = error_at_ + 1;
    line(type::error, text);
    for (std::size_t i = begin; i < begin + text.size(); ++i)
        if (out_[i] == '\r' || out_[i] == '\n') out_[i] = ' ';
}

void writer::verbatim(std::string_view format, std::string_view bytes) {
    if (!is_v3()) return bulk(bytes);
    header('=', format.size() + 1 + bytes.size());
    out_ += format;
    out_ += ':';
    out_ += bytes;
    out_ += "\r\n";
}

void writer::real(std::string_view digits) {
    if (is_v3())
        line(type::real, digits);
    else
        bulk(digits);
}

void writer::big_number(std::string_view digits) {
    if (is_v3())
        line(type::big_number, digits);
    else
        bulk(digits);
}

void writer::boolean(bool value) {
    if (is_v3())
        line(type::boolean, value ? "t" : "f");
    else
        integer(value);
}

}  // namespace respkit::resp
