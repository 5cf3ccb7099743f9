// libFuzzer target for both readers: where the input is cut must not matter, whatever it is.
// The first byte picks the reader and the limits.

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "support.hpp"

namespace {

using namespace respkit;

template <class Trace>
void same_however_cut(std::string_view in, Trace trace) {
    auto const whole = trace(in, test::every(in.size() + 1, in.size()));
    for (auto const step : {std::size_t{1}, std::size_t{3}})
        if (trace(in, test::every(step, in.size())) != whole) {
            std::fprintf(stderr, "fed by %zu bytes the trace differs from the whole's\n", step);
            std::abort();
        }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    if (size == 0) return 0;
    auto const pick = data[0];
    std::string_view const in(reinterpret_cast<char const*>(data + 1), size - 1);
    resp::limits l;
    if (pick & 1)
        l = {.line = 16,
             .items = 5,
             .bulk = 20,
             .depth = 3,
             .unauthenticated_items = 2,
             .unauthenticated_bulk = 4};
    if (pick & 2)
        same_however_cut(in, [&](auto bytes, auto cuts) {
            auto out = test::request_trace(bytes, cuts, l, !(pick & 4));
            if (out.find("WANT") != out.npos && in.find("WANT") == in.npos) std::abort();
            return out;
        });
    else
        same_however_cut(in, [&](auto bytes, auto cuts) { return test::reply_trace(bytes, cuts, l); });
    return 0;
}
