// Going on in the background, as redis-server's `daemonize yes` wants it.
#pragma once

namespace respkit {

// The constructor returns in a child of the process that has called it; call it before any thread starts. The
// parent stays until listening() is called, so that whoever waits for it finds a server, and then ends with
// exit code 0; or it ends as the child does.
class background {
public:
    background();
    background(background const&) = delete;
    background& operator=(background const&) = delete;

    // Lets go of the terminal, too: standard streams lead nowhere from here.
    void listening();

private:
    int tell_ = -1;
};

}  // namespace respkit
