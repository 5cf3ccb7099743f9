#include <ctime>
#include <fstream>
#include <sstream>
#include <string>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include <respkit/bench/environment.hpp>

namespace respkit::bench {
namespace {

std::optional<std::string> first_line(char const* path) {
    std::ifstream file(path);
    std::string line;
    if (!std::getline(file, line)) return {};
    return line;
}

}  // namespace

std::string cpu_field(std::string_view name) {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        auto const end = line.find_first_of("\t:");
        if (end == name.size() && line.starts_with(name))
            return line.substr(std::min(line.find(": ") + 2, line.size()));
    }
    return {};
}

std::string_view version() { return RESPKIT_VERSION; }

environment look_around() {
    environment e;
    e.cpu_model = cpu_field("model name");
    e.cores = std::max(1U, std::thread::hardware_concurrency());
    utsname u{};
    if (::uname(&u) == 0) e.kernel = std::string(u.sysname) + " " + u.release;
    e.governor = first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    if (auto const load = first_line("/proc/loadavg")) e.load = std::strtod(load->c_str(), nullptr);
    char text[32];
    std::time_t const now = std::time(nullptr);
    std::tm utc{};
    ::gmtime_r(&now, &utc);
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    e.started = text;
    return e;
}

std::optional<machine_ticks> ticks() {
    auto const line = first_line("/proc/stat");
    if (!line || !line->starts_with("cpu ")) return {};
    std::istringstream in(line->substr(4));
    machine_ticks t;
    std::uint64_t n = 0;
    for (int i = 0; i < 8 && in >> n; ++i) {  // user nice system idle iowait irq softirq steal
        t.all += n;
        if (i == 3 || i == 4) t.idle += n;
        if (i == 7) t.steal = n;
    }
    return t;
}

std::size_t raise_descriptor_limit() {
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    auto const before = std::exchange(limit.rlim_cur, limit.rlim_max);
    return ::setrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : before;
}

std::optional<std::uint64_t> own_memory() { return memory_of(::getpid()); }

std::optional<std::uint64_t> memory_of(long process) {
    auto const line = first_line(("/proc/" + std::to_string(process) + "/statm").c_str());
    if (!line) return {};
    std::istringstream in(*line);
    std::uint64_t total = 0, resident = 0;
    if (!(in >> total >> resident)) return {};
    return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::optional<std::uint64_t> free_memory() {
    std::ifstream file("/proc/meminfo");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("MemAvailable:")) return std::strtoull(line.c_str() + 13, nullptr, 10) * 1024;
    return {};
}

}  // namespace respkit::bench
