// The machine that a run happens on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <respkit/bench/result.hpp>

namespace respkit::bench {

std::string_view version();  // of respkit

// What is known before a run; `started` is now.
environment look_around();

// Processor time that the hypervisor kept from this machine, since it started.
struct machine_ticks {
    std::uint64_t steal = 0, all = 0;
};
std::optional<machine_ticks> ticks();

// Lets this process have as many descriptors as it may, and tells how many that are.
std::size_t raise_descriptor_limit();

// Resident memory of this process, bytes.
std::optional<std::uint64_t> own_memory();

}  // namespace respkit::bench
