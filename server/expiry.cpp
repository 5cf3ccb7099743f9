#include <respkit/server/expiry.hpp>

namespace respkit {

std::optional<std::int64_t> read_expiry(call& c, std::size_t i, expire_unit unit, bool absolute) {
    auto const n = c.integer(i);
    if (!n) return {};
    std::int64_t when = *n;
    bool const fits = when > 0 &&
                      !(unit == expire_unit::seconds && __builtin_mul_overflow(when, 1000, &when)) &&
                      !(!absolute && __builtin_add_overflow(when, c.now(), &when));
    if (fits) return when;
    c.reply.error(errors::invalid_expire(c.row.name));
    return {};
}

}  // namespace respkit
