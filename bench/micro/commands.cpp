// Rows for whole commands: bytes into the engine, bytes out.
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include <respkit/bench/micro/suite.hpp>
#include <respkit/resp/command.hpp>
#include <respkit/server/engine.hpp>

namespace respkit::micro {
namespace {

// An engine and its one client.
class dialogue {
public:
    // `count`: the command that tells the size of what is at k.
    explicit dialogue(std::string_view count) : count_(count) {}
    std::size_t size() { return std::stoul(std::string(ask({count_, "k"}).substr(1))); }

    // The reply; valid until the next question.
    std::string_view ask(std::initializer_list<std::string_view> words) {
        in_.clear();
        out_.clear();
        resp::append_command(in_, std::span(words.begin(), words.size()));
        engine_.feed(*client_, in_, out_);
        return out_;
    }

private:
    std::string_view count_;
    clock time_;
    engine engine_{{.seed = 1}, time_};
    engine::session_handle client_ = engine_.open({});
    std::string in_;
    std::string out_;
};

name some_score(random_source& any) { return {'1', any.below(100'000'000)}; }

// The key is called k, whatever it holds.
struct list {
    using container = dialogue;
    static constexpr auto title = "commands, list";
    static constexpr char first = 'm';
    static std::unique_ptr<container> make(std::size_t n) {
        auto made = std::make_unique<container>("LLEN");
        for (std::size_t i = 0; i < n; ++i) made->ask({"RPUSH", "k", name(first, i)});
        return made;
    }
};

struct set {
    using container = dialogue;
    static constexpr auto title = "commands, set";
    static constexpr char first = 'm';
    static std::unique_ptr<container> make(std::size_t n) {
        auto made = std::make_unique<container>("SCARD");
        for (std::size_t i = 0; i < n; ++i) made->ask({"SADD", "k", name(first, i)});
        return made;
    }
};

struct ranking {
    using container = dialogue;
    static constexpr auto title = "commands, sorted set";
    static constexpr char first = 'm';
    static std::unique_ptr<container> make(std::size_t n) {
        auto made = std::make_unique<container>("ZCARD");
        random_source any(2);
        for (std::size_t i = 0; i < n; ++i) made->ask({"ZADD", "k", some_score(any), name(first, i)});
        return made;
    }
};

// The name in a reply that holds one: it follows its length.
std::string name_in(std::string_view reply) { return std::string(reply.substr(reply.find("$9\r\n") + 4, 9)); }

}  // namespace

void add_commands(suite& s) {
    using lists = subject<list>;
    s.measure<list>({
        {"PING", [](lists& v) { return touch(v->ask({"PING"})); }},
        {"RPUSH + LPOP",
         [](lists& v) {
             return touch(v->ask({"RPUSH", "k", v.present()})) + touch(v->ask({"LPOP", "k"}));
         }},
        {"LRANGE, the first 100",
         [](lists& v) {
             return touch(v->ask({"LRANGE", "k", "0", "99"}));
         }},
        {"LRANGE, 100 in the middle",
         [](lists& v) {
             auto const from = v.central();
             return touch(v->ask({"LRANGE", "k", std::to_string(from), std::to_string(from + 99)}));
         }},
    });

    using sets = subject<set>;
    s.measure<set>({
        {"SISMEMBER",
         [](sets& v) {
             return touch(v->ask({"SISMEMBER", "k", v.present()}));
         }},
        {"SPOP + SADD",
         [](sets& v) {
             return touch(v->ask({"SADD", "k", name_in(v->ask({"SPOP", "k"}))}));
         }},
        {"SRANDMEMBER",
         [](sets& v) {
             return touch(v->ask({"SRANDMEMBER", "k"}));
         }},
        {"SRANDMEMBER, 100",
         [](sets& v) {
             return touch(v->ask({"SRANDMEMBER", "k", "100"}));
         }},
        {"SMEMBERS, per element",
         [](sets& v) {
             return touch(v->ask({"SMEMBERS", "k"}));
         },
         true},
    });

    using rankings = subject<ranking>;
    s.measure<ranking>({
        {"ZADD, another score",
         [](rankings& v) {
             return touch(v->ask({"ZADD", "k", some_score(v.any), v.present()}));
         }},
        {"ZRANK",
         [](rankings& v) {
             return touch(v->ask({"ZRANK", "k", v.present()}));
         }},
        {"ZRANGE, 100 by rank",
         [](rankings& v) {
             auto const from = v.random();
             return touch(v->ask({"ZRANGE", "k", std::to_string(from), std::to_string(from + 99)}));
         }},
        {"ZRANGE, 100 by score",
         [](rankings& v) {
             return touch(v->ask({"ZRANGE", "k", some_score(v.any), "inf", "BYSCORE", "LIMIT", "0", "100"}));
         }},
        {"ZPOPMIN + ZADD",
         [](rankings& v) {
             return touch(v->ask({"ZADD", "k", some_score(v.any), name_in(v->ask({"ZPOPMIN", "k"}))}));
         }},
    });
}

}  // namespace respkit::micro
