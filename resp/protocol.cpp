#include <respkit/resp/protocol.hpp>

namespace respkit::resp {

std::string_view describe(fault f) {
    switch (f) {
        case fault::none:
            return "no fault";
        case fault::invalid_multibulk_length:
            return "invalid multibulk length";
        case fault::invalid_bulk_length:
            return "invalid bulk length";
        case fault::expected_dollar:
            return "expected '$'";
        case fault::unbalanced_quotes:
            return "unbalanced quotes in request";
        case fault::inline_too_big:
            return "too big inline request";
        case fault::multibulk_header_too_big:
            return "too big mbulk count string";
        case fault::bulk_header_too_big:
            return "too big bulk count string";
        case fault::unauthenticated_multibulk_length:
            return "unauthenticated multibulk length";
        case fault::unauthenticated_bulk_length:
            return "unauthenticated bulk length";
        case fault::unknown_type:
            return "unknown reply type";
        case fault::bad_line:
            return "carriage return without line feed";
        case fault::bad_integer:
            return "malformed integer";
        case fault::bad_length:
            return "malformed length";
        case fault::bad_null:
            return "malformed null";
        case fault::bad_boolean:
            return "malformed boolean";
        case fault::bad_double:
            return "malformed double";
        case fault::bad_big_number:
            return "malformed big number";
        case fault::bad_verbatim:
            return "verbatim string without a three-letter format";
        case fault::bad_terminator:
            return "bulk string not followed by CR LF";
        case fault::misplaced:
            return "element of a kind that cannot stand here";
        case fault::too_long:
            return "longer than the limit";
        case fault::too_deep:
            return "nested deeper than the limit";
    }
    return "unknown fault";
}

}  // namespace respkit::resp
