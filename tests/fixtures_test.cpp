// Every case of fixtures/, replayed in process on the engine.
#include <atomic>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include <doctest/doctest.h>

#include <respkit/fixtures/runner.hpp>
#include <respkit/server/engine.hpp>

namespace {

using namespace respkit::fixtures;
using namespace std::chrono_literals;

// Connections straight into an engine. Time stands still but for those who wait for a reply.
class engine_exchange : public exchange {
public:
    explicit engine_exchange(respkit::engine_options o) : engine_(std::move(o), clock_) { clock_.freeze(); }

    std::unique_ptr<connection> open() override { return std::make_unique<link>(*this); }
    bool advance(microseconds step) override {
        clock_.advance(step);
        engine_.catch_up();
        return true;
    }
    microseconds now() const override { return clock_.now().time_since_epoch(); }

private:
    class link : public connection {
    public:
        explicit link(engine_exchange& o)
            : owner_(o), session_(o.engine_.open({}, [this] { woken_ = true; })) {}

        void send(std::string_view bytes) override {
            if (closed_) return;
            in_ += bytes;
            woken_ = false;
            for (;;) {
                auto const fed = owner_.engine_.feed(*session_, in_, out_);
                in_.erase(0, fed.consumed);
                using progress = respkit::engine::progress;
                if (fed.what == progress::output_full) continue;
                if (fed.what == progress::abort) out_.erase(0);
                if (fed.what != progress::need_more) shut();
                return;
            }
        }
        void shut() override {
            closed_ = true;
            session_.reset();
        }
        state receive(std::string& into, milliseconds patience) override {
            for (; out_.empty() && !closed_ && !woken_ && patience > 0ms; patience -= 1ms)
                owner_.advance(1ms);
            if (woken_) send({});
            into += out_;
            out_.clear();
            return closed_ ? state::closed : state::open;
        }

    private:
        engine_exchange& owner_;
        respkit::engine::session_handle session_;
        std::string in_, out_;
        bool closed_ = false;
        bool woken_ = false;  // the engine has something for us that we did not ask for just now
    };

    respkit::clock clock_;
    respkit::engine engine_;
};

// A server, and what the runner is to know of it.
struct setting {
    std::string password;
    std::vector<std::string> has;
    respkit::emulation emulate = respkit::emulation::redis_7_0;
};

// All cases that fit, on as many engines as there are cores; what went wrong, in words, and the ids of those
// that passed.
struct tally {
    std::vector<std::string> failures;
    std::set<std::string> passed;
};
tally replay(std::vector<test_case> const& cases, setting const& s) {
    std::atomic<std::size_t> next{0};
    std::mutex writing;
    tally out;
    auto const work = [&] {
        respkit::engine_options o;
        o.password = s.password;
        o.emulate = s.emulate;
        o.seed = 1;
        engine_exchange server(o);
        runner_options options;
        options.has = s.has;
        options.version = s.emulate == respkit::emulation::redis_7_0 ? "7.0.15" : "7.2.4";
        runner run(server, options);
        for (std::size_t i; (i = next++) < cases.size();) {
            auto const result = run.run(cases[i]);
            std::lock_guard const one(writing);
            if (result.what == outcome::kind::failed) out.failures.push_back(describe(cases[i], result, ""));
            if (result.what == outcome::kind::passed) out.passed.insert(cases[i].id);
        }
    };
    std::vector<std::thread> threads(std::max(1U, std::thread::hardware_concurrency()));
    for (auto& thread : threads) thread = std::thread(work);
    for (auto& thread : threads) thread.join();
    return out;
}

}  // namespace

TEST_CASE("every case holds on an engine it is meant for, and is meant for one") {
    auto const cases = load(RESPKIT_FIXTURES_SOURCE);
    std::set<std::string> passed;
    for (auto const& s :
         {setting{"", {"debug", "clock", "reset"}}, setting{"secret", {"auth", "debug", "clock", "reset"}},
          setting{"", {"debug", "clock", "reset"}, respkit::emulation::redis_7_2}}) {
        auto const result = replay(cases, s);
        for (auto const& failure : result.failures) FAIL_CHECK(failure);
        passed.insert(result.passed.begin(), result.passed.end());
    }
    for (auto const& c : cases)
        if (!passed.contains(c.id) && c.profiles != std::vector<std::string>{"strict"})
            FAIL_CHECK((c.id + " was never replayed"));
}

TEST_CASE("a case that does not hold is found") {
    auto const d = parse("case f/x/wrong\n> SET k v\n< OK\n> GET k\n< \"w\"\n", "f/x.rt", "f/x");
    auto const result = replay(d.cases, {});
    REQUIRE(result.failures.size() == 1);
    CHECK(result.failures[0].find("f/x.rt:5") != std::string::npos);
}
