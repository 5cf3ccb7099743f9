#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdexcept>
#include <string_view>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <respkit/bench/child_server.hpp>
#include <respkit/client/descriptor.hpp>

namespace respkit::bench {
namespace {

constexpr int patience_ms = 10000;  // for a server to say that it is ready

// The program of that name beside this one.
std::string beside(std::string const& name) {
    char path[4096];
    auto const n = ::readlink("/proc/self/exe", path, sizeof path);
    std::string const own(path, static_cast<std::size_t>(n > 0 ? n : 0));
    return own.substr(0, own.rfind('/') + 1) + name;
}

// Up to the end of the first line, or of the file.
std::string first_line(int fd) {
    std::string line;
    for (char c = 0; line.size() < 4096;) {
        pollfd readable{fd, POLLIN, 0};
        if (::poll(&readable, 1, patience_ms) == 0) break;
        auto const n = ::read(fd, &c, 1);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0 || c == '\n') break;
        line += c;
    }
    return line;
}

}  // namespace

child_server::child_server(std::uint64_t seed) {
    auto const program = beside("respkit-server");
    if (::access(program.c_str(), X_OK) != 0)
        throw std::runtime_error("there is no " + program +
                                 ": build respkit-server, or name a server (-h, -p)");
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
        throw std::runtime_error(std::string("cannot open a pipe: ") + std::strerror(errno));
    descriptor const out(ends[0]);
    descriptor in(ends[1]);
    auto const seed_text = std::to_string(seed);
    char const* words[] = {program.c_str(), "--port", "0", "--quiet", "--seed", seed_text.c_str(), nullptr};
    auto const parent = ::getpid();

    process_ = ::fork();
    if (process_ < 0)
        throw std::runtime_error(std::string("cannot start a process: ") + std::strerror(errno));
    if (process_ == 0) {
        // Ctrl+C is ours to hear; the end of this thread is the child's end.
        ::setpgid(0, 0);
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != parent) ::_exit(127);
        sigset_t none;
        ::sigemptyset(&none);
        ::sigprocmask(SIG_SETMASK, &none, nullptr);
        ::dup2(in.get(), STDOUT_FILENO);
        ::execv(words[0], const_cast<char* const*>(words));
        ::_exit(127);
    }
    in.reset();
    auto const ready = first_line(out.get());
    if (ready.starts_with("respkit-server ready: "))
        port_ = static_cast<std::uint16_t>(std::strtoul(ready.c_str() + ready.rfind(':') + 1, nullptr, 10));
    if (port_) return;
    end();
    throw std::runtime_error(program + " does not start");
}

child_server::~child_server() { end(); }

// It keeps nothing that a gentler end would save.
void child_server::end() {
    ::kill(process_, SIGKILL);
    while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) continue;
}

}  // namespace respkit::bench
