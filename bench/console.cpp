#include <cerrno>
#include <cstdio>
#include <cstring>
#include <unistd.h>

#include <fmt/format.h>

#include <respkit/bench/console.hpp>
#include <respkit/bench/format.hpp>

namespace respkit::bench {

void say(std::string const& line) { fmt::print(stderr, "respkit-bench: {}\n", line); }

void output::write(std::string const& text) {
    static bool const utf8 = locale_is_utf8();
    auto const out = utf8 ? text : to_ascii(text);
    bool const good =
        std::fwrite(out.data(), 1, out.size(), stdout) == out.size() && std::fflush(stdout) == 0;
    if (!good && !failed_) say(std::string("cannot write the results to stdout: ") + std::strerror(errno));
    failed_ |= !good;
}

progress_line::progress_line(bool wanted) : on_(wanted && ::isatty(STDERR_FILENO)) {}

void progress_line::show(std::string_view test, std::string_view stage, std::uint64_t count,
                         std::uint64_t of) {
    if (!on_) return;
    auto const share =
        of ? fmt::format(" {:.0f} %", 100 * static_cast<double>(count) / static_cast<double>(of)) : "";
    fmt::print(stderr, "\r\033[K{}{}{}{}", test, stage.empty() ? "" : " ", stage, share);
    std::fflush(stderr);
    shown_ = true;
}

void progress_line::wipe() {
    if (shown_) fmt::print(stderr, "\r\033[K");
    std::fflush(stderr);
    shown_ = false;
}

bool can_write(std::string const& path, char const* option) {
    if (path.empty()) return true;
    auto* const probe = std::fopen(path.c_str(), "a");
    if (!probe) say("cannot write " + path + ": " + std::strerror(errno) + " (" + option + ")");
    return probe && std::fclose(probe) == 0;
}

bool write_file(std::string const& path, std::string const& text, char const* option) {
    if (path.empty()) return true;
    auto* const file = std::fopen(path.c_str(), "w");
    bool good = file && std::fwrite(text.data(), 1, text.size(), file) == text.size();
    good &= file && std::fclose(file) == 0;
    if (!good) say("cannot write " + path + ": " + std::strerror(errno) + " (" + option + ")");
    return good;
}

bool acceptable(test_result const& t, double allowed) {
    auto const& r = t.replies;
    if (t.partial || r.protocol_errors || r.timeouts || r.disconnects) return false;
    return static_cast<double>(r.error_replies) <= allowed * static_cast<double>(t.operations);
}

void say_what_failed(test_result const& t) {
    auto const& r = t.replies;
    if (t.partial) say(t.label + ": " + t.trouble);
    if (r.error_replies)
        say(fmt::format("{}: {} error replies, such as: {}", t.label, grouped(r.error_replies),
                        r.first_error));
    if (r.protocol_errors)
        say(fmt::format("{}: {} protocol errors: {}", t.label, grouped(r.protocol_errors), r.first_error));
    if (r.timeouts) say(fmt::format("{}: {} requests had no reply for 10 s", t.label, grouped(r.timeouts)));
    if (r.disconnects && !t.partial)
        say(fmt::format("{}: {} requests were lost with connections that the server closed", t.label,
                        grouped(r.disconnects)));
}

}  // namespace respkit::bench
