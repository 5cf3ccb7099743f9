// What a test needs to find on the server, put there before the clock runs.
#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>

#include <respkit/bench/plan.hpp>
#include <respkit/bench/workload.hpp>
#include <respkit/client/client.hpp>

namespace respkit::bench {

// The server does not take what a test needs. what() is one line that names the key and the mend.
class prefill_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// Above so many keys (-r) GET's are not written first.
inline constexpr std::uint64_t most_keys_filled = 10'000'000;

// `requests` of the workload must succeed. Touches no key but those that the test names: lists and sets are
// given the elements that they lack, strings are set to -d bytes, whatever they held. A key of another type
// stays as it is and is a prefill_error. Returns early when `stop` says so.
void prefill(client& server, workload const& w, plan const& p, std::uint64_t requests,
             std::function<bool()> const& stop);

// The names of the keys that these workloads leave on the server, with commas between; empty if none.
std::string left_behind(client& server, std::span<workload const> done, plan const& p);

}  // namespace respkit::bench
