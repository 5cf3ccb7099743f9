#include <respkit/bench/environment.hpp>
#include <respkit/bench/target.hpp>
#include <respkit/server/engine.hpp>
#include <respkit/server/mock.hpp>

namespace respkit::bench {

std::optional<std::string> info_field(std::string const& text, std::string_view field) {
    std::string const key = std::string(field) + ":";
    auto at = text.find(key);
    while (at != std::string::npos && at > 0 && text[at - 1] != '\n') at = text.find(key, at + 1);
    if (at == std::string::npos) return {};
    at += key.size();
    return text.substr(at, text.find_first_of("\r\n", at) - at);
}

namespace {

// "redis 7.0.15" from INFO's section; whatever a server says, nothing but plain text gets into reports.
std::string product(std::string const& info) {
    std::string name = "redis ";
    auto version = info_field(info, "redis_version");
    if (auto const valkey = info_field(info, "valkey_version")) {
        name = "valkey ";
        version = valkey;
    } else if (info_field(info, "executable") == "respkit-server") {
        name = "respkit, as redis ";
    }
    if (!version) return {};
    for (auto& c : *version)
        if (c < ' ' || c > '~') c = '?';
    return name + version->substr(0, 40);
}

}  // namespace

// The engine, and a session for everything but load.
struct target::in_memory {
    explicit in_memory(engine_options o) : engine(std::move(o), time), side(engine.open({})) {}

    std::string exchange(std::string_view in) {
        std::string out;
        while (!in.empty()) {
            auto const fed = engine.feed(*side, in, out);
            in.remove_prefix(fed.consumed);
            if (!fed.consumed && fed.what != engine::progress::output_full) break;
        }
        return out;
    }

    clock time;
    respkit::engine engine;
    engine::session_handle side;
};

target::target(plan const& p) : endpoint_(p.target) {
    info_.kind = p.embedded ? "embedded" : endpoint_.unix_path.empty() ? "tcp" : "unix";
    engine_options options;
    options.password = p.target.password;
    options.max_clients = std::max<std::size_t>(options.max_clients, p.connections + 100);
    options.seed = p.seed;
    if (p.driver == driver::memory) {
        info_.kind = "memory";
        options.password.clear();
        memory_ = std::make_unique<in_memory>(std::move(options));
        side_ = std::make_unique<client>([this](std::string_view in) { return memory_->exchange(in); });
        info_.server = product(ask("server"));
        return;
    }
    if (p.embedded && p.child) {
        info_.kind = "child";
        child_ = std::make_unique<child_server>(p.seed);
        endpoint_.password.clear();  // nobody else knows of it, and command lines are for all to see
        endpoint_.port = child_->port();
    } else if (p.embedded) {
        mock_ = std::make_unique<mock>(mock_options{.journal = false, .server = std::move(options)});
        endpoint_.host = mock_->host();
        endpoint_.port = static_cast<std::uint16_t>(mock_->port());
    }
    side_ = std::make_unique<client>(endpoint_);
    info_.address = endpoint_.name();
    info_.server = product(ask("server"));
    data_at_first_ = data();
}

target::~target() = default;

respkit::engine* target::engine() const { return memory_ ? &memory_->engine : nullptr; }

std::string target::ask(std::string_view section) {
    try {
        auto answer = side_->call({"INFO", section});
        return answer.is_error() ? std::string() : std::move(answer.text);
    } catch (connection_lost const&) {
        return {};  // the load meets that, too, and has more to say about it
    }
}

std::optional<bench::cpu> target::cpu() {
    if (memory_) return {};  // on the load's own thread
    if (mock_) {
        auto const used = mock_->cpu();
        return bench::cpu{static_cast<std::uint64_t>(used.user.count()),
                          static_cast<std::uint64_t>(used.system.count())};
    }
    auto const answer = ask("cpu");
    for (std::string_view const suffix : {"_main_thread", ""}) {
        auto const user = info_field(answer, "used_cpu_user" + std::string(suffix));
        auto const system = info_field(answer, "used_cpu_sys" + std::string(suffix));
        auto const ns = [](std::string const& seconds) {
            return static_cast<std::uint64_t>(std::strtod(seconds.c_str(), nullptr) * 1e9);
        };
        if (user && system) return bench::cpu{ns(*user), ns(*system)};
    }
    return {};
}

std::optional<std::uint64_t> target::data() {
    if (mock_ || memory_ || child_) return memory();
    auto const bytes = info_field(ask("memory"), "used_memory");
    if (!bytes) return {};
    return std::strtoull(bytes->c_str(), nullptr, 10);
}

std::optional<std::uint64_t> target::growth() {
    auto const now = data();
    if (!now || !data_at_first_ || *now < *data_at_first_) return {};
    return *now - *data_at_first_;
}

std::optional<std::uint64_t> target::memory() {
    if (mock_ || memory_) return {};  // not to be told apart from our own
    if (child_) return memory_of(child_->process());
    auto const bytes = info_field(ask("memory"), "used_memory_rss");
    if (!bytes) return {};
    return std::strtoull(bytes->c_str(), nullptr, 10);
}

bool default_redis_answers() {
    try {
        client probe(endpoint{}, resp::version::v2, std::chrono::milliseconds(100));
        return true;
    } catch (std::exception const& e) {
        return std::string_view(e.what()).find("NOAUTH") != std::string_view::npos;
    }
}

}  // namespace respkit::bench
