#include <cstdio>
#include <exception>
#include <signal.h>
#include <stdexcept>
#include <system_error>
#include <unistd.h>

#include <respkit/server/launch.hpp>
#include <respkit/server/mock.hpp>
#include <respkit/server/options.hpp>
#include <respkit/server/reference.hpp>

namespace {

void write_port_file(std::string const& path, int port) {
    // Whole or not at all: launchers read it the moment it appears.
    std::string const fresh = path + "." + std::to_string(getpid());
    std::FILE* file = std::fopen(fresh.c_str(), "w");
    bool const written = file && std::fprintf(file, "%d\n", port) > 0;
    if (!file || std::fclose(file) || !written || std::rename(fresh.c_str(), path.c_str()))
        throw std::system_error(errno, std::generic_category(), "cannot write --port-file " + path);
}

void say_ready(respkit::mock const& server) {
    if (server.port())
        std::printf("respkit-server ready: %s:%d\n", server.host().c_str(), server.port());
    else
        std::printf("respkit-server ready: unix:%s\n", server.unix_path().c_str());
    std::printf(
        "* Server initialized. Ready to accept connections. The server is now ready to accept connections "
        "%s%s\n",
        server.port() ? "on port " : "at ",
        server.port() ? std::to_string(server.port()).c_str() : server.unix_path().c_str());
    std::fflush(stdout);
}

void say_unsupported(respkit::mock const& server) {
    auto const missing = server.unsupported();
    if (missing.empty()) return;
    std::fprintf(stderr, "respkit-server: asked for, but not supported:");
    for (auto const& [name, times] : missing)
        std::fprintf(stderr, " %s (%llu)", name.c_str(), static_cast<unsigned long long>(times));
    std::fputc('\n', stderr);
}

int serve(respkit::server_options const& options) {
    // Blocked before the first thread starts, so that every thread inherits it and sigwait() gets them.
    sigset_t watched;
    sigemptyset(&watched);
    for (int const s : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) sigaddset(&watched, s);
    pthread_sigmask(SIG_BLOCK, &watched, nullptr);
    signal(SIGPIPE, SIG_IGN);

    respkit::mock server(options.mock);
    if (!options.port_file.empty()) write_port_file(options.port_file, server.port());
    int code = 0;
    if (!options.command.empty()) {
        code = respkit::run_beside(server, options.command);
    } else {
        say_ready(server);
        int received = 0;
        do sigwait(&watched, &received);
        while (received == SIGCHLD || received == SIGHUP);
    }
    if (!options.quiet) say_unsupported(server);
    return code;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        auto const options = respkit::parse_server_options(
            std::span<char const* const>(argv + 1, static_cast<std::size_t>(argc - 1)));
        if (options.help) return std::fputs(respkit::server_help().c_str(), stdout) < 0;
        if (options.commands) return std::fputs(respkit::commands_page().c_str(), stdout) < 0;
        if (options.version)
            return std::printf(
                       "Redis server v=7.0.15 sha=00000000:0 malloc=libc bits=64 build=0\nrespkit-server "
                       "%s\n",
                       RESPKIT_VERSION) < 0;
        if (!options.quiet)
            for (auto const& warning : options.warnings)
                std::fprintf(stderr, "respkit-server: %s\n", warning.c_str());
        return serve(options);
    } catch (std::system_error const& error) {
        char const* mend =
            error.code().value() == EADDRINUSE ? "; choose another with --port, or 0 for any free one" : "";
        std::fprintf(stderr, "respkit-server: %s%s\n", error.what(), mend);
    } catch (std::exception const& error) {
        std::fprintf(stderr, "respkit-server: %s\n", error.what());
    }
    return 2;
}
