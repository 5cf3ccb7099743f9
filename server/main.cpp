#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <signal.h>
#include <stdexcept>
#include <sys/resource.h>
#include <system_error>
#include <unistd.h>

#include <respkit/resp/text.hpp>
#include <respkit/server/dialogue.hpp>
#include <respkit/server/launch.hpp>
#include <respkit/server/mock.hpp>
#include <respkit/server/options.hpp>
#include <respkit/server/reference.hpp>

namespace {

int say(std::string const& text) {
    bool const written = std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0;
    if (!written)
        std::fprintf(stderr, "respkit-server: cannot write to standard output: %s\n", std::strerror(errno));
    return written ? 0 : 1;
}

void write_port_file(std::string const& path, int port) {
    // Whole or not at all: launchers read it the moment it appears.
    std::string const fresh = path + "." + std::to_string(getpid());
    std::FILE* file = std::fopen(fresh.c_str(), "w");
    bool const written = file && std::fprintf(file, "%d\n", port) > 0;
    bool const closed = file && std::fclose(file) == 0;
    if (closed && written && std::rename(fresh.c_str(), path.c_str()) == 0) return;
    int const error = errno;
    if (file) std::remove(fresh.c_str());
    throw std::system_error(error, std::generic_category(), "cannot write --port-file " + path);
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
    std::string line = "respkit-server: asked for, but not supported: ";
    for (auto const& [name, times] : missing) {
        // Clients chose these names: what is not plain text is quoted.
        auto const quoted = respkit::resp::quote(name);
        bool const plain =
            !name.empty() && quoted.size() == name.size() + 2 && name.find(' ') == std::string::npos;
        line += (plain ? name : quoted) + " (" + std::to_string(times) + "), ";
    }
    line.resize(line.size() - 2);
    std::fprintf(stderr, "%s\n", line.c_str());
}

// As many descriptors as the system allows; fewer clients than asked for if those are too few.
void raise_descriptor_limit(respkit::server_options& options) {
    constexpr std::size_t for_itself = 32;
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit)) return;
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit)) getrlimit(RLIMIT_NOFILE, &limit);
    auto& wanted = options.mock.server.max_clients;
    if (limit.rlim_cur == RLIM_INFINITY || wanted + for_itself <= limit.rlim_cur) return;
    wanted = limit.rlim_cur > for_itself ? limit.rlim_cur - for_itself : 1;
    options.warnings.push_back("only " + std::to_string(limit.rlim_cur) +
                               " files may be open: maxclients is " + std::to_string(wanted) +
                               "; raise it with ulimit -n");
}

// 1 and a line on stderr if the client went its own way.
int follow(respkit::server_options const& options) {
    auto const text = respkit::read_file(options.script, "--script");
    respkit::dialogue talk(text, options.script, {.port = options.mock.port});
    if (!options.port_file.empty()) write_port_file(options.port_file, talk.port());
    std::printf("respkit-server ready: 127.0.0.1:%d\n", talk.port());
    std::fflush(stdout);
    auto const complaint = talk.finish();
    if (complaint) std::fprintf(stderr, "respkit-server: %s\n", complaint->c_str());
    return complaint ? 1 : 0;
}

int serve(respkit::server_options const& options) {
    // Blocked before the first thread starts, so that every thread inherits it and sigwait() gets them.
    sigset_t watched;
    sigemptyset(&watched);
    for (int const s : respkit::watched_signals) sigaddset(&watched, s);
    pthread_sigmask(SIG_BLOCK, &watched, nullptr);
    respkit::mock server(options.mock);
    if (!options.port_file.empty()) write_port_file(options.port_file, server.port());
    int code = 0;
    if (!options.command.empty()) {
        code = respkit::run_beside(server, options.command);
    } else {
        say_ready(server);
        int received = 0;
        do sigwait(&watched, &received);
        while (received != SIGINT && received != SIGTERM && received != SIGQUIT);
    }
    if (!options.quiet) say_unsupported(server);
    return code;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        auto options = respkit::parse_server_options(
            std::span<char const* const>(argv + 1, static_cast<std::size_t>(argc - 1)));
        if (options.help) return say(respkit::server_help());
        if (options.commands) return say(respkit::commands_page());
        if (options.commands_table) return say(respkit::commands_table());
        if (options.version)
            return say(
                "Redis server v=7.0.15 sha=00000000:0 malloc=libc bits=64 "
                "build=0\nrespkit-server " RESPKIT_VERSION "\n");
        if (!options.script.empty()) return follow(options);
        raise_descriptor_limit(options);
        // Beside a command the server's end is the command's.
        if (options.command.empty()) options.mock.server.on_shutdown = [] { kill(getpid(), SIGTERM); };
        if (!options.quiet)
            for (auto const& warning : options.warnings)
                std::fprintf(stderr, "respkit-server: %s\n", warning.c_str());
        return serve(options);
    } catch (std::system_error const& error) {
        std::string_view const what = error.what();
        bool const taken = error.code().value() == EADDRINUSE;
        bool const is_path = what.find("unix socket") != std::string_view::npos;
        char const* mend = !taken    ? ""
                           : is_path ? "; choose another path with --unixsocket"
                                     : "; choose another with --port, or 0 for any free one";
        std::fprintf(stderr, "respkit-server: %s%s\n", error.what(), mend);
    } catch (std::exception const& error) {
        std::fprintf(stderr, "respkit-server: %s\n", error.what());
    }
    return 2;
}
