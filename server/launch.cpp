#include <cerrno>
#include <cstdlib>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

#include <respkit/server/launch.hpp>

namespace respkit {
namespace {

void replace_all(std::string& text, std::string const& what, std::string const& with) {
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
        text.replace(at, what.size(), with);
}

pid_t spawn(std::vector<std::string>& words) {
    std::vector<char*> argv;
    for (auto& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    pid_t child = 0;
    int const error = posix_spawnp(&child, argv[0], nullptr, &attributes, argv.data(), environ);
    posix_spawnattr_destroy(&attributes);
    if (error) throw std::system_error(error, std::generic_category(), "cannot run " + words[0]);
    return child;
}

}  // namespace

int run_beside(mock const& server, std::vector<std::string> words) {
    auto const port = std::to_string(server.port());
    for (auto& word : words) replace_all(word, "{port}", port);
    setenv("REDIS_URL", server.url().c_str(), 1);
    for (auto const* name : {"REDIS_HOST", "RESPKIT_HOST"}) setenv(name, server.host().c_str(), 1);
    for (auto const* name : {"REDIS_PORT", "RESPKIT_PORT"}) setenv(name, port.c_str(), 1);

    pid_t const child = spawn(words);
    sigset_t watched;
    sigemptyset(&watched);
    for (int const s : watched_signals) sigaddset(&watched, s);
    for (;;) {
        int status = 0;
        pid_t const ended = waitpid(child, &status, WNOHANG);
        if (ended == child) return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        if (ended < 0 && errno != EINTR)
            throw std::system_error(errno, std::generic_category(), "cannot wait for " + words[0]);
        siginfo_t received{};
        sigwaitinfo(&watched, &received);
        // What the terminal sends, it sends to the command as well.
        if (received.si_signo != SIGCHLD && received.si_code != SI_KERNEL) kill(child, received.si_signo);
    }
}

}  // namespace respkit
