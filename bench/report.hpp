// A result as text, CSV or JSON. A format is functions of plain values that return what to print.
#pragma once

#include <string>

#include <respkit/bench/plan.hpp>
#include <respkit/bench/result.hpp>

namespace respkit::bench {

// The table: what is known before, a row as soon as a test is done, and the judgement at the end. UTF-8;
// see to_ascii().
std::string text_head(report const& r, plan const& p);
std::string text_row(test_result const& t, int precision);
// `redis_nearby`: a server answers at 127.0.0.1:6379.
std::string text_foot(report const& r, plan const& p, bool redis_nearby);

// redis-benchmark's lines.
std::string quiet_row(test_result const& t, int precision);
std::string csv_head();
std::string csv_row(test_result const& t, int precision);

std::string json(report const& r);

}  // namespace respkit::bench
