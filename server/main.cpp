#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <map>
#include <optional>
#include <signal.h>
#include <stdexcept>
#include <sys/resource.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <respkit/resp/text.hpp>
#include <respkit/server/background.hpp>
#include <respkit/server/dialogue.hpp>
#include <respkit/server/launch.hpp>
#include <respkit/server/mock.hpp>
#include <respkit/server/options.hpp>
#include <respkit/server/reference.hpp>

namespace {

// A standard stream that was closed would else be the number of the next socket, and be written to.
void take_closed_streams() {
    for (int taken = 0; taken >= 0 && taken <= STDERR_FILENO;) {
        taken = open("/dev/null", O_RDONLY);
        if (taken > STDERR_FILENO) close(taken);
    }
}

// One line, whatever names somebody has chosen.
void warn(std::string text) {
    for (char& c : text)
        if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = '?';
    std::fprintf(stderr, "respkit-server: %s\n", text.c_str());
}

int say(std::string const& text) {
    bool const written = std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0;
    if (!written) warn(std::string("cannot write to standard output: ") + std::strerror(errno));
    return written ? 0 : 1;
}

// Whole or not at all: launchers read it the moment it appears.
void write_number(std::string const& path, long number, char const* option) {
    std::string const fresh = path + "." + std::to_string(getpid());
    std::FILE* file = std::fopen(fresh.c_str(), "w");
    bool const written = file && std::fprintf(file, "%ld\n", number) > 0;
    bool const closed = file && std::fclose(file) == 0;
    if (closed && written && std::rename(fresh.c_str(), path.c_str()) == 0) return;
    int const error = errno;
    if (file) std::remove(fresh.c_str());
    throw std::system_error(error, std::generic_category(),
                            "cannot write --" + std::string(option) + ' ' + path);
}

// The first is ours, the second has what launchers look for that wait for a Redis.
std::string ready_lines(respkit::mock const& server) {
    auto const port = std::to_string(server.port());
    bool const tcp = server.port() != 0;
    return "respkit-server ready: " + (tcp ? server.host() + ':' + port : "unix:" + server.unix_path()) +
           "\n* Server initialized. Ready to accept connections. The server is now ready to accept "
           "connections " +
           (tcp ? "on port " + port : "at " + server.unix_path()) + '\n';
}

// Launchers look into the file or at stdout: redis-server knows one of them, we serve both.
void append_log(std::string const& path, std::string const& text) {
    std::FILE* file = std::fopen(path.c_str(), "a");
    bool const written = file && std::fputs(text.c_str(), file) >= 0;
    if (file && std::fclose(file) == 0 && written) return;
    throw std::system_error(errno, std::generic_category(), "cannot write --logfile " + path);
}

void say_unsupported(std::map<std::string, std::uint64_t> const& missing) {
    if (missing.empty()) return;
    std::string line = "asked for, but not supported: ";
    for (auto const& [name, times] : missing) {
        // Clients chose these names: what is not plain text is quoted.
        auto const quoted = respkit::resp::quote(name);
        bool const plain =
            !name.empty() && quoted.size() == name.size() + 2 && name.find(' ') == std::string::npos;
        line += (plain ? name : quoted) + " (" + std::to_string(times) + "), ";
    }
    line.resize(line.size() - 2);
    warn(line);
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
    if (!options.port_file.empty()) write_number(options.port_file, talk.port(), "port-file");
    say("respkit-server ready: 127.0.0.1:" + std::to_string(talk.port()) + '\n');
    auto const complaint = talk.finish();
    if (complaint) warn(*complaint);
    return complaint ? 1 : 0;
}

// The process id, for as long as the server runs; as in redis-server, no reason not to run.
class pid_file {
public:
    explicit pid_file(std::string path) : path_(std::move(path)) {
        if (path_.empty()) return;
        try {
            write_number(path_, getpid(), "pidfile");
        } catch (std::system_error const& error) {
            warn(error.what());
            path_.clear();
        }
    }
    ~pid_file() {
        if (!path_.empty()) std::remove(path_.c_str());
    }
    pid_file(pid_file const&) = delete;
    pid_file& operator=(pid_file const&) = delete;

private:
    std::string path_;
};

void wait_for_end(sigset_t const& watched) {
    int received = 0;
    do sigwait(&watched, &received);
    while (received != SIGINT && received != SIGTERM && received != SIGQUIT);
}

int serve(respkit::server_options const& options) {
    // Blocked before the first thread starts, so that every thread inherits it and sigwait() gets them;
    // SIGPIPE, so that a closed stdout is an error like another.
    sigset_t watched;
    sigemptyset(&watched);
    for (int const s : respkit::watched_signals) sigaddset(&watched, s);
    sigset_t blocked = watched;
    sigaddset(&blocked, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
    if (!options.log_file.empty()) append_log(options.log_file, "");
    std::optional<respkit::background> background;
    if (options.daemonize) background.emplace();
    respkit::mock server(options.mock);
    pid_file const own(options.pid_file);
    auto const ready = ready_lines(server);
    if (!options.log_file.empty()) append_log(options.log_file, ready);
    if (!options.port_file.empty()) write_number(options.port_file, server.port(), "port-file");
    int code = 0;
    if (!options.command.empty()) {
        code = respkit::run_beside(server, options.command);
    } else {
        say(ready);  // nobody to read it is no reason not to serve
        if (background) background->listening();
        wait_for_end(watched);
    }
    auto const missing = server.unsupported();
    if (!options.quiet) say_unsupported(missing);
    return code == 0 && options.strict && !missing.empty() ? 1 : code;
}

}  // namespace

int main(int argc, char** argv) {
    take_closed_streams();
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
            for (auto const& warning : options.warnings) warn(warning);
        return serve(options);
    } catch (std::system_error const& error) {
        std::string_view const what = error.what();
        bool const taken = error.code().value() == EADDRINUSE;
        bool const is_path = what.find("unix socket") != std::string_view::npos;
        char const* mend = !taken    ? ""
                           : is_path ? "; choose another path with --unixsocket"
                                     : "; choose another with --port, or 0 for any free one";
        warn(error.what() + std::string(mend));
    } catch (std::exception const& error) {
        warn(error.what());
    }
    return 2;
}
