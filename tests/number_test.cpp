// Floating-point numbers: what Redis takes for one, and how it prints them.
#include <limits>
#include <optional>
#include <string>

#include <doctest/doctest.h>

#include <respkit/server/number.hpp>

using namespace respkit;

TEST_CASE("numbers: what is one") {
    struct row {
        std::string text;
        std::optional<double> want;
    };
    auto const inf = std::numeric_limits<double>::infinity();
    row const rows[] = {{"3", 3.0},      {"-0", -0.0},       {"+5", 5.0},
                        {".5", 0.5},     {"5.", 5.0},        {"1e5", 1e5},
                        {"0x10", 16.0},  {"inf", inf},       {"-Infinity", -inf},
                        {"+INF", inf},   {"4e-320", 4e-320}, {"1e400", {}},
                        {"1e-400", {}},  {"nan", {}},        {"", {}},
                        {" 1", {}},      {"1 ", {}},         {"1x", {}},
                        {"infinit", {}}, {"+", {}},          {std::string("1\0", 2), {}}};
    for (auto const& r : rows) {
        CAPTURE(r.text);
        CHECK(parse_double(r.text) == r.want);
        CHECK(parse_long_double(r.text).has_value() == (r.want || r.text == "1e400" || r.text == "1e-400"));
    }
    CHECK_FALSE(parse_long_double("1e5000"));
    CHECK_FALSE(parse_long_double(std::string(5120, '1')));
}

TEST_CASE("numbers: how they are printed") {
    struct row {
        double value;
        std::string old_way;
        std::string new_way;
    };
    auto const inf = std::numeric_limits<double>::infinity();
    row const rows[] = {
        {3, "3", "3"},
        {-0.0, "-0", "-0"},
        {3.1, "3.1000000000000001", "3.1"},
        {0.1, "0.10000000000000001", "0.1"},
        {1e15, "1000000000000000", "1000000000000000"},
        {1e16, "10000000000000000", "10000000000000000"},
        {1e17, "1e+17", "100000000000000000"},
        {123456789012345678.0, "1.2345678901234568e+17", "123456789012345680"},
        {5e18, "5e+18", "5e+18"},
        {1e20, "1e+20", "1e+20"},
        {1e-7, "9.9999999999999995e-08", "1e-7"},
        {-123.456, "-123.456", "-123.456"},
        {-inf, "-inf", "-inf"},
    };
    for (auto const& r : rows) {
        CHECK(format_double(r.value, emulation::redis_7_0) == r.old_way);
        CHECK(format_double(r.value, emulation::redis_7_2) == r.new_way);
    }
    CHECK(format_long_double(3200.0L) == "3200");
    CHECK(format_long_double(0.1L + 0.2L) == "0.3");
    CHECK(format_long_double(-0.0L) == "0");
    CHECK(format_long_double(-1e-20L) == "0");
    CHECK(format_long_double(1.5e-17L) == "0.00000000000000002");
}
