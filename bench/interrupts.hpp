// Ctrl+C and SIGTERM as something to ask for, not something that strikes.
#pragma once

#include <ctime>
#include <pthread.h>
#include <signal.h>

namespace respkit::bench {

// While one exists, SIGINT and SIGTERM wait here instead of ending the process; threads started meanwhile
// inherit that, so it has to come before them. After the first, the next one ends the process.
class interrupts {
public:
    interrupts() {
        ::sigemptyset(&signals_);
        ::sigaddset(&signals_, SIGINT);
        ::sigaddset(&signals_, SIGTERM);
        ::pthread_sigmask(SIG_BLOCK, &signals_, &before_);
    }
    ~interrupts() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    interrupts(interrupts const&) = delete;
    interrupts& operator=(interrupts const&) = delete;

    // Has one come? For the thread that made this object.
    bool seen() {
        timespec const now{};
        if (!seen_ && ::sigtimedwait(&signals_, nullptr, &now) > 0) accept();
        return seen_;
    }
    void wait() {
        while (!seen_)
            if (::sigwaitinfo(&signals_, nullptr) > 0) accept();
    }

private:
    void accept() {
        seen_ = true;
        ::pthread_sigmask(SIG_UNBLOCK, &signals_, nullptr);
    }

    sigset_t signals_{}, before_{};
    bool seen_ = false;
};

}  // namespace respkit::bench
