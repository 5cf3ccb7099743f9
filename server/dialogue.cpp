#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <future>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include <respkit/resp/number.hpp>
#include <respkit/resp/request.hpp>
#include <respkit/resp/text.hpp>
#include <respkit/resp/writer.hpp>
#include <respkit/server/command.hpp>
#include <respkit/server/descriptor.hpp>
#include <respkit/server/dialogue.hpp>
#include <respkit/server/glob.hpp>
#include <respkit/server/lines.hpp>
#include <respkit/server/rule.hpp>

namespace respkit {
namespace {

using std::chrono::milliseconds;

struct step {
    enum class what { request, end, reconnect, send, sleep, close, reset } kind;
    std::size_t line = 0;
    std::vector<std::string> words = {};  // expected
    std::string bytes = {};               // to send
    std::chrono::microseconds time{0};
};

std::string reply_bytes(std::span<std::string_view const> words) {
    std::string out;
    resp::writer reply(out, resp::version::v2);
    auto const text = [&]() -> std::string_view {
        if (words.size() != 3) throw word_error(words.size(), "SEND wants a kind and one text");
        return words[2];
    };
    if (words.size() < 2) throw word_error(1, "SEND wants SIMPLE, ERROR, BULK, INTEGER, NIL or RAW");
    auto const line = [&] {
        if (text().find_first_of("\r\n") != text().npos)
            throw word_error(2, "a line end in a reply of one line: RAW sends any bytes");
        return text();
    };
    if (is_word(words[1], "simple"))
        reply.simple(line());
    else if (is_word(words[1], "error"))
        reply.error(line());
    else if (is_word(words[1], "bulk"))
        reply.bulk(text());
    else if (is_word(words[1], "raw"))
        out = text();
    else if (is_word(words[1], "nil") && words.size() == 2)
        reply.null();
    else if (is_word(words[1], "integer")) {
        auto const n = resp::parse_integer(text());
        if (!n) throw word_error(2, "INTEGER wants a whole number");
        reply.integer(*n);
    } else
        throw word_error(1, "SEND wants SIMPLE, ERROR, BULK, INTEGER, NIL or RAW");
    return out;
}

step parse_step(std::size_t line, std::span<std::string_view const> words) {
    using what = step::what;
    bool const alone = words.size() == 1;
    if (is_word(words[0], "close") && alone) return {what::close, line};
    if (is_word(words[0], "reset") && alone) return {what::reset, line};
    if (is_word(words[0], "send")) return {.kind = what::send, .line = line, .bytes = reply_bytes(words)};
    if (is_word(words[0], "sleep")) {
        auto const time = words.size() == 2 ? parse_duration(words[1]) : std::nullopt;
        if (!time) throw word_error(1, "SLEEP wants a time like 50ms");
        return {.kind = what::sleep, .line = line, .time = *time};
    }
    if (is_word(words[0], "expect")) {
        if (alone) throw word_error(1, "EXPECT wants a request's words, CLOSE or RECONNECT");
        if (words.size() == 2 && is_word(words[1], "close")) return {what::end, line};
        if (words.size() == 2 && is_word(words[1], "reconnect")) return {what::reconnect, line};
        return {.kind = what::request, .line = line, .words = {words.begin() + 1, words.end()}};
    }
    throw word_error(0, "a step is EXPECT, SEND, SLEEP, CLOSE or RESET");
}

bool fits(std::vector<std::string> const& wanted, std::span<std::string_view const> words) {
    bool const more = wanted.back() == "...";
    std::size_t const n = wanted.size() - more;
    if (more ? words.size() < n : words.size() != n) return false;
    for (std::size_t i = 0; i < n; ++i)
        if (!glob_match(wanted[i], words[i], i == 0)) return false;
    return true;
}

template <class Words>
std::string joined(Words const& words) {
    std::string out;
    for (auto const& word : words) {
        bool plain = !word.empty();
        for (char const c : word) plain &= c > ' ' && c <= '~' && c != '"';
        (out += out.empty() ? "" : " ") += plain ? std::string(word) : resp::quote(word);
        if (out.size() > 200) return out + " …";
    }
    return out;
}

// Why a script is left before its end; empty: because the dialogue is.
struct left {
    std::string why;
};

}  // namespace

class dialogue::thread {
public:
    thread(std::vector<step> steps, std::string name, dialogue::options o);
    ~thread();

    int port() const { return port_; }
    std::optional<std::string> finish();

private:
    std::string run();
    void take(step const& s);
    void expect_request(step const& s);
    void expect_end();
    void send(std::string_view bytes);
    void connected();
    void reset();
    bool ready(int descriptor, short events, std::chrono::milliseconds longest);
    std::string here() const { return name_ + ':' + std::to_string(line_) + ": "; }

    std::vector<step> const steps_;
    std::string const name_;
    std::chrono::milliseconds const patience_;
    descriptor listener_, stop_, link_;
    int port_ = 0;
    std::size_t line_ = 0;
    resp::request_reader reader_;
    std::string in_;  // received, and not asked for yet
    std::future<std::string> end_;
    std::optional<std::string> complaint_;
    std::thread thread_;
};

dialogue::thread::thread(std::vector<step> steps, std::string name, dialogue::options o)
    : steps_(std::move(steps)),
      name_(std::move(name)),
      patience_(o.patience),
      listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)),
      stop_(::eventfd(0, EFD_CLOEXEC)) {
    sockaddr_in a{};
    a.sin_family = AF_INET;
    a.sin_port = htons(o.port);
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof a;
    int const on = 1;
    ::setsockopt(listener_.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (listener_.get() < 0 || stop_.get() < 0 ||
        ::bind(listener_.get(), reinterpret_cast<sockaddr*>(&a), sizeof a) || ::listen(listener_.get(), 16) ||
        ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&a), &size))
        throw std::system_error(errno, std::generic_category(),
                                "cannot listen on 127.0.0.1:" + std::to_string(o.port));
    port_ = ntohs(a.sin_port);
    std::packaged_task<std::string()> task([this] { return run(); });
    end_ = task.get_future();
    thread_ = std::thread(std::move(task));
}

dialogue::thread::~thread() {
    std::uint64_t const one = 1;
    (void)!::write(stop_.get(), &one, sizeof one);
    thread_.join();
}

std::optional<std::string> dialogue::thread::finish() {
    if (end_.valid()) {
        auto why = end_.get();
        if (!why.empty()) complaint_ = std::move(why);
    }
    return complaint_;
}

std::string dialogue::thread::run() {
    try {
        for (auto const& s : steps_) {
            line_ = s.line;
            take(s);
        }
    } catch (left const& l) {
        link_ = descriptor();
        return l.why;
    }
    return {};
}

void dialogue::thread::take(step const& s) {
    switch (s.kind) {
        case step::what::request:
            connected();
            return expect_request(s);
        case step::what::send:
            connected();
            return send(s.bytes);
        case step::what::sleep:
            if (ready(-1, 0, std::chrono::ceil<milliseconds>(s.time))) throw left{};
            return;
        case step::what::close:
            connected();
            link_ = descriptor();
            return;
        case step::what::reset:
            connected();
            return reset();
        case step::what::end:
            connected();
            return expect_end();
        case step::what::reconnect:
            if (link_.get() >= 0) expect_end();
            return connected();
    }
}

// Whether the descriptor is within that time. The end of the dialogue ends all waiting.
bool dialogue::thread::ready(int fd, short events, milliseconds longest) {
    auto const until = std::chrono::steady_clock::now() + longest;
    for (;;) {
        auto const rest = std::chrono::ceil<milliseconds>(until - std::chrono::steady_clock::now()).count();
        pollfd those[] = {{stop_.get(), POLLIN, 0}, {fd, events, 0}};
        int const n =
            ::poll(those, fd < 0 ? 1 : 2, static_cast<int>(std::clamp<std::int64_t>(rest, 0, 1 << 30)));
        if (those[0].revents) throw left{};
        if (n > 0) return true;
        if (n == 0) return false;
    }
}

void dialogue::thread::connected() {
    if (link_.get() >= 0) return;
    if (!ready(listener_.get(), POLLIN, patience_)) throw left{here() + "no client came"};
    link_ = descriptor(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (link_.get() < 0) throw left{here() + "no client came"};
    int const on = 1;
    ::setsockopt(link_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    in_.clear();
    reader_ = resp::request_reader();
}

void dialogue::thread::expect_request(step const& s) {
    using status = resp::request_reader::status;
    std::string const wanted = here() + "expected " + joined(s.words) + ", ";
    for (;;) {
        auto const step = reader_.next(in_);
        if (step.what == status::invalid) throw left{wanted + "got what is no request: " + resp::quote(in_)};
        if (step.what == status::ready) {
            if (!fits(s.words, reader_.words())) throw left{wanted + "got " + joined(reader_.words())};
            in_.erase(0, step.consumed);
            return;
        }
        in_.erase(0, step.consumed);
        if (!ready(link_.get(), POLLIN, patience_)) throw left{wanted + "nothing came"};
        char buffer[16384];
        auto const n = ::recv(link_.get(), buffer, sizeof buffer, 0);
        if (n <= 0) throw left{wanted + "the client hung up"};
        in_.append(buffer, static_cast<std::size_t>(n));
    }
}

void dialogue::thread::expect_end() {
    std::string const wanted = here() + "expected the client to hang up, ";
    if (!in_.empty()) throw left{wanted + "got " + resp::quote(in_)};
    if (!ready(link_.get(), POLLIN, patience_)) throw left{wanted + "it did not"};
    char buffer[200];
    auto const n = ::recv(link_.get(), buffer, sizeof buffer, 0);
    if (n > 0) throw left{wanted + "got " + resp::quote({buffer, static_cast<std::size_t>(n)})};
    link_ = descriptor();
}

void dialogue::thread::send(std::string_view bytes) {
    while (!bytes.empty()) {
        auto const n = ::send(link_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (n > 0)
            bytes.remove_prefix(static_cast<std::size_t>(n));
        else if (errno != EAGAIN || !ready(link_.get(), POLLOUT, patience_))
            throw left{here() + "the client takes no more"};
    }
}

void dialogue::thread::reset() {
    linger const now{1, 0};
    ::setsockopt(link_.get(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
    link_ = descriptor();
}

dialogue::dialogue(std::string_view script, std::string_view name, options o) {
    std::vector<step> steps;
    for_each_line(script, name,
                  [&](std::size_t line, auto words) { steps.push_back(parse_step(line, words)); });
    thread_ = std::make_unique<thread>(std::move(steps), std::string(name), o);
}
dialogue::~dialogue() = default;
int dialogue::port() const { return thread_->port(); }
std::optional<std::string> dialogue::finish() { return thread_->finish(); }

}  // namespace respkit
