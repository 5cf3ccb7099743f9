#include <sys/resource.h>

#include <respkit/bench/worker.hpp>

namespace respkit::bench {

cpu thread_cpu() {
    rusage u{};
    ::getrusage(RUSAGE_THREAD, &u);
    auto const ns = [](timeval t) {
        return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 +
               static_cast<std::uint64_t>(t.tv_usec) * 1000;
    };
    return {ns(u.ru_utime), ns(u.ru_stime)};
}

}  // namespace respkit::bench
