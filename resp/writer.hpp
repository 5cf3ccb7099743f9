// Replies, spelled for the protocol that the client speaks.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include <respkit/resp/number.hpp>
#include <respkit/resp/protocol.hpp>

namespace respkit::resp {

// Appends to a buffer that it does not own. Who writes a reply says what he means (a map, a double, "there
// is nothing"); how RESP2 and RESP3 spell that is known here alone. Aggregates announce their size, then
// the elements follow as calls of their own.
class writer {
public:
    writer(std::string& out, version v) : out_(out), version_(v) {}

    // No CR or LF in `text`.
    void simple(std::string_view text) { line(type::simple, text); }
    void ok() { out_.append("+OK\r\n", 5); }

    // The whole text, code word included ("ERR syntax error"). Line ends inside it become blanks at once.
    void error(std::string_view text);
    // What was written from the last error on; empty if there was none.
    std::string_view last_error() const {
        return error_at_ == none ? std::string_view() : std::string_view(out_).substr(error_at_);
    }

    void integer(std::int64_t value) {
        char buffer[integer_digits + 3];
        buffer[0] = ':';
        char* end = write_integer(buffer + 1, value);
        *end++ = '\r';
        *end++ = '\n';
        out_.append(buffer, static_cast<std::size_t>(end - buffer));
    }

    void bulk(std::string_view bytes) {
        header('$', bytes.size());
        out_.append(bytes);
        out_.append("\r\n", 2);
    }
    void bulk_integer(std::int64_t value) {
        char digits[integer_digits];
        char const* end = write_integer(digits, value);
        bulk({digits, static_cast<std::size_t>(end - digits)});
    }

    // Text for people; RESP3 marks it with its format, three letters.
    void verbatim(std::string_view format, std::string_view bytes);

    // The spelling is the caller's (Redis changed it between 7.0 and 7.2): ",1.5" or a bulk string.
    void real(std::string_view digits);
    void big_number(std::string_view digits);
    void boolean(bool value);

    void null() { out_ += is_v3() ? "_\r\n" : "$-1\r\n"; }
    void null_array() { out_ += is_v3() ? "_\r\n" : "*-1\r\n"; }

    void array(std::size_t items) { header('*', items); }
    void set(std::size_t items) { header(is_v3() ? '~' : '*', items); }
    void map(std::size_t pairs) {
        if (is_v3())
            header('%', pairs);
        else
            header('*', 2 * pairs);
    }
    void push(std::size_t items) { header(is_v3() ? '>' : '*', items); }
    // RESP3 only: RESP2 has no place for attributes.
    void attribute(std::size_t pairs) { header('|', pairs); }

    version protocol() const { return version_; }
    // From here on the other spelling: HELLO's reply is already in the protocol it has chosen.
    void speak(version v) { version_ = v; }

private:
    bool is_v3() const { return version_ == version::v3; }
    void line(type t, std::string_view text);
    void header(char lead, std::size_t n) {
        char buffer[integer_digits + 3];
        buffer[0] = lead;
        char* end = write_integer(buffer + 1, static_cast<std::int64_t>(n));
        *end++ = '\r';
        *end++ = '\n';
        out_.append(buffer, static_cast<std::size_t>(end - buffer));
    }

    static constexpr std::size_t none = ~std::size_t{0};

    std::string& out_;
    version version_;
    std::size_t error_at_ = none;
};

}  // namespace respkit::resp
