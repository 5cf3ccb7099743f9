#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <time.h>
#include <unistd.h>

#include <respkit/server/launch.hpp>

namespace respkit {
namespace {

void replace_all(std::string& text, std::string const& what, std::string const& with) {
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
        text.replace(at, what.size(), with);
}

// 0, or why not.
int spawn(std::vector<std::string>& words, pid_t& child) {
    std::vector<char*> argv;
    for (auto& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    int const error = posix_spawnp(&child, argv[0], nullptr, &attributes, argv.data(), environ);
    posix_spawnattr_destroy(&attributes);
    return error;
}

sigset_t watched() {
    sigset_t set;
    sigemptyset(&set);
    for (int const s : watched_signals) sigaddset(&set, s);
    return set;
}

bool wants_an_end(int signal) { return signal != SIGUSR1 && signal != SIGUSR2 && signal != SIGCHLD; }

// Forwards signals until the command has ended; its status. `stopped`: somebody wanted an end.
int wait_for(pid_t child, bool& stopped) {
    auto const signals = watched();
    for (;;) {
        int status = 0;
        pid_t const ended = waitpid(-1, &status, WNOHANG);
        if (ended == child) {
            // The terminal's signal may have ended the command before we have taken ours.
            sigset_t pending;
            sigpending(&pending);
            for (int const s : watched_signals) stopped |= wants_an_end(s) && sigismember(&pending, s) == 1;
            return status;
        }
        if (ended > 0) continue;  // an adopted one
        siginfo_t received{};
        int const s = sigwaitinfo(&signals, &received);
        if (s <= 0 || s == SIGCHLD) continue;
        stopped |= wants_an_end(s);
        // What the terminal sends, it sends to the command as well.
        if (received.si_code != SI_KERNEL) kill(child, s);
    }
}

// Every child of this process, the adopted among them.
std::vector<pid_t> children() {
    std::vector<pid_t> found;
    std::error_code gone;
    for (auto const& entry : std::filesystem::directory_iterator("/proc", gone)) {
        auto const name = entry.path().filename().string();
        pid_t id = 0;
        auto const [end, error] = std::from_chars(name.data(), name.data() + name.size(), id);
        if (error != std::errc{} || end != name.data() + name.size()) continue;
        std::ifstream file(entry.path() / "stat");
        std::string stat;
        std::getline(file, stat);
        // "ID (NAME) STATE PARENT …", and the name may hold anything.
        auto const behind = std::min(stat.rfind(')') + 4, stat.size());
        pid_t parent = 0;
        std::from_chars(stat.data() + behind, stat.data() + stat.size(), parent);
        if (parent == getpid()) found.push_back(id);
    }
    return found;
}

// Ends all there is, and what comes to us by the end of others: asked first, and made to after two seconds.
void end_the_rest() {
    auto const signals = watched();
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    auto const patience = now.tv_sec + 2;
    for (;;) {
        while (waitpid(-1, nullptr, WNOHANG) > 0) {
        }
        auto const rest = children();
        if (rest.empty()) return;
        clock_gettime(CLOCK_MONOTONIC, &now);
        for (pid_t const id : rest) kill(id, now.tv_sec < patience ? SIGTERM : SIGKILL);
        timespec const until_next = {.tv_sec = 0, .tv_nsec = 50'000'000};
        sigtimedwait(&signals, nullptr, &until_next);
    }
}

}  // namespace

int run_beside(mock const& server, std::vector<std::string> words) {
    auto const port = std::to_string(server.port());
    for (auto& word : words) replace_all(word, "{port}", port);
    setenv("REDIS_URL", server.url().c_str(), 1);
    // Without TCP there is neither; those of another server would mislead.
    auto const tell = [tcp = server.port() != 0](char const* name, std::string const& text) {
        if (tcp)
            setenv(name, text.c_str(), 1);
        else
            unsetenv(name);
    };
    for (auto const* name : {"REDIS_HOST", "RESPKIT_HOST"}) tell(name, server.host());
    for (auto const* name : {"REDIS_PORT", "RESPKIT_PORT"}) tell(name, port);

    // Processes that lose their parent become ours, so that they can be found.
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    pid_t child = 0;
    auto const name = words[0];
    int error = spawn(words, child);
    if (error == ENOEXEC) {  // a script without a first line that says whose: the shell's, as in every shell
        words.insert(words.begin(), "/bin/sh");
        error = spawn(words, child);
    }
    if (error) {
        std::fprintf(stderr, "respkit-server: cannot run '%s': %s\n", name.c_str(), std::strerror(error));
        return error == ENOENT ? 127 : 126;
    }
    bool stopped = false;
    int const status = wait_for(child, stopped);
    if (stopped) end_the_rest();
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace respkit
