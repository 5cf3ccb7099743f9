#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

#include <respkit/server/background.hpp>

namespace respkit {

background::background() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC))
        throw std::system_error(errno, std::generic_category(), "cannot make a pipe");
    std::fflush(nullptr);
    pid_t const child = ::fork();
    if (child < 0) throw std::system_error(errno, std::generic_category(), "cannot go into the background");
    if (child == 0) {
        ::close(ends[0]);
        ::setsid();
        tell_ = ends[1];
        return;
    }
    ::close(ends[1]);
    char told = 0;
    ssize_t got = 0;
    do got = ::read(ends[0], &told, 1);
    while (got < 0 && errno == EINTR);
    if (got == 1) std::_Exit(0);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    std::_Exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

void background::listening() {
    std::fflush(nullptr);
    if (int const nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC); nowhere >= 0) {
        for (int const stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nowhere, stream);
        ::close(nowhere);
    }
    char const yes = 1;
    (void)!::write(tell_, &yes, 1);
    ::close(tell_);
}

}  // namespace respkit
