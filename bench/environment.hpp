// The machine that a run happens on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <respkit/bench/result.hpp>

namespace respkit::bench {

std::string_view version();  // of respkit

// What is known before a run; `started` is now.
environment look_around();

// Processor time of all cores together since the machine started, and what of it the hypervisor kept or
// nobody wanted.
struct machine_ticks {
    std::uint64_t steal = 0, idle = 0, all = 0;
};
std::optional<machine_ticks> ticks();

// Lets this process have as many descriptors as it may, and tells how many that are.
std::size_t raise_descriptor_limit();

// Resident memory of this process, or of another one, bytes.
std::optional<std::uint64_t> own_memory();
std::optional<std::uint64_t> memory_of(long process);

// Bytes that programs can still have.
std::optional<std::uint64_t> free_memory();

// "vendor_id", "cpu family" of the first processor; empty if the system does not say.
std::string cpu_field(std::string_view name);

}  // namespace respkit::bench
