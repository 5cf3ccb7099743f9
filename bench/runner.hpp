// Runs one test: fill, connect, warm up, measure, gather.
#pragma once

#include <functional>
#include <string_view>

#include <respkit/bench/interrupts.hpp>
#include <respkit/bench/plan.hpp>
#include <respkit/bench/result.hpp>
#include <respkit/bench/target.hpp>
#include <respkit/bench/workload.hpp>

namespace respkit::bench {

// Told now and then how far a test is: its name, what it does, replies so far, replies to come.
using progress =
    std::function<void(std::string_view test, std::string_view stage, std::uint64_t done, std::uint64_t of)>;

// One test with the driver, server and numbers that the plan names. Throws connect_error, connection_lost,
// prefill_error or, if the system gives no more threads or descriptors, another std::runtime_error if the
// test cannot begin; once it runs, what goes wrong is in the result.
test_result run_test(plan const& p, target& server, workload const& w, interrupts& signals,
                     progress const& tell);

}  // namespace respkit::bench
