#include <random>
#include <stdexcept>
#include <utility>

#include <respkit/server/engine.hpp>
#include <respkit/server/instance.hpp>
#include <respkit/server/renewal.hpp>

namespace respkit {
namespace {

// So much reply text is gathered before it is worth sending.
constexpr std::size_t output_batch = std::size_t{1} << 20;

// How many keys one call of run_due() may remove, so that a flood of expiries does not starve clients.
constexpr std::size_t expiry_batch = 1000;

}  // namespace

instance::instance(engine_options o, respkit::clock& t)
    : options(std::move(o)),
      time(t),
      commands(options.emulate),
      watched(static_cast<std::size_t>(options.databases)),
      waiting(static_cast<std::size_t>(options.databases)) {
    std::random_device entropy;
    auto const any = [&] { return (std::uint64_t{entropy()} << 32) | entropy(); };
    shared.random = random_source(options.seed ? *options.seed : any());
    shared.seed = {shared.random(), shared.random()};
    shared.counts = &counts;
    shared.emulate = options.emulate;
    for (int i = 0; i < options.databases; ++i) databases.push_back(std::make_unique<keyspace>(shared, i));
    tick();
    started_us = saved_us = now_us;
    by_command.resize(commands.size());
    run_id = make_run_id(shared.random);
    if (options.journal) calls.start();
    for (auto const& r : options.rules) rules.add(r, 0);
    observe_requests();

    config.put("databases", std::to_string(options.databases));
    config.put("requirepass", options.password);
    config.put("maxclients", std::to_string(options.max_clients));
    users.require(options.password);
    config.on_change("requirepass", [this](std::string const& text) { users.require(text); });
    auto const follow = [this](std::string_view name, std::size_t& limit) {
        config.on_change(name, [&limit](std::string const& text) { limit = std::stoull(text); });
    };
    follow("maxclients", options.max_clients);
    follow("hash-max-listpack-entries", shared.compact.hash_max_listpack_entries);
    follow("hash-max-listpack-value", shared.compact.hash_max_listpack_value);
    follow("set-max-intset-entries", shared.compact.set_max_intset_entries);
    follow("zset-max-listpack-entries", shared.compact.zset_max_listpack_entries);
    follow("zset-max-listpack-value", shared.compact.zset_max_listpack_value);
    config.on_change("notify-keyspace-events", [this](std::string const& letters) {
        events.notify(letters);
        observe_keys();
    });
    limits.read(config.get("client-output-buffer-limit"));
    config.on_change("client-output-buffer-limit", [this](std::string const& text) { limits.read(text); });
    config.on_change("list-max-listpack-size", [this](std::string const& text) {
        shared.compact.list_max_listpack_size = std::stoll(text);
    });
    config.on_change("proto-max-bulk-len", [this](std::string const& text) {
        shared.max_bulk = std::min<std::size_t>(std::stoull(text), record::longest_text);
        for (auto const& [id, s] : sessions) s->reader.bulk_limit(shared.max_bulk);
    });
    for (auto const& [name, value] : options.config)
        if (auto const complaint = config.set({{name, value}})) throw std::invalid_argument(*complaint);
    for (auto const& line : options.users) users.load(line);
}

engine::engine(engine_options o, clock& time) {
    if (o.databases < 1) throw std::invalid_argument("a server has at least one database");
    state_ = std::make_unique<instance>(std::move(o), time);
}
engine::~engine() = default;

void engine::close_session::operator()(session* s) const {
    auto& home = *s->home;
    home.release(*s);
    home.sessions.erase(s->id);
    std::erase(home.awake, s);
    delete s;
}

engine::session_handle engine::open(peer who, std::function<void()> wake) {
    state_->tick();
    resp::limits l;
    l.bulk = state_->shared.max_bulk;
    session_handle s(new session(++state_->last_id, std::move(who), l, std::move(wake)));
    s->home = state_.get();
    state_->admit_as_default(*s);
    s->since = s->last_active = state_->shared.now;
    state_->sessions.emplace(s->id, s.get());
    ++state_->counts.connections;
    if (!state_->expected.empty()) settle();
    return s;
}

engine::fed engine::feed(session& who, std::string_view in, std::string& out) {
    state_->tick();
    who.last_active = state_->shared.now;
    who.input_bytes = in.size();
    if (!who.outbox.empty() && !(who.stalled && who.stalled->begun)) {
        out += who.outbox;
        std::string().swap(who.outbox);
    }
    who.replies = &out;
    state_->running = &who;
    state_->sample = true;
    fed result{0, progress::output_full};
    result.what = run(who, in, out, result.consumed);
    state_->caches.tell_broadcasts();
    state_->running = nullptr;
    who.replies = nullptr;
    state_->unheard.clear();
    settle();
    return result;
}

// What a batch has brought about for others.
void engine::settle() {
    if (std::exchange(state_->time_moved, false)) [[unlikely]]
        catch_up_with_time();
    if (!state_->expected.empty()) [[unlikely]]
        state_->expected.look(*state_);
    state_->caches.tell_broadcasts();
    state_->wake_all();
    if (std::exchange(state_->shared.deadline_changed, false) && on_deadline_) on_deadline_();
}

engine::progress engine::run(session& who, std::string_view in, std::string& out, std::size_t& used) {
    if (who.closing == session::ending::at_once) return progress::abort;
    if (who.stalled) [[unlikely]] {
        state_->go_on(who);
        if (auto const end = ending(who)) return *end;
    }
    if (who.held && !state_->paused.has(who)) {
        state_->dispatch_held(who);
        if (auto const end = answered(who)) return *end;
    }
    while (out.size() < output_batch) {
        if (who.rests()) return progress::need_more;
        auto const step = who.reader.next(in.substr(used));
        used += step.consumed;
        if (step.what == resp::request_reader::status::need_more) return progress::need_more;
        if (step.what == resp::request_reader::status::invalid) {
            std::size_t const begin = out.size();
            resp::writer(out, who.protocol).error("ERR Protocol error: " + who.reader.complaint());
            state_->count_error(std::string_view(out).substr(begin));
            return progress::close;
        }
        if (auto const end = answer(who, who.reader.words())) return *end;
    }
    return progress::output_full;
}

// Runs one request. Something if it is the session's last.
std::optional<engine::progress> engine::answer(session& who, std::span<std::string_view const> words) {
    if (state_->interposed) [[unlikely]]
        state_->interpose(who, words);
    else
        state_->dispatch(who, words);
    return answered(who);
}

std::optional<engine::progress> engine::answered(session& who) {
    if (who.silences || who.tracks) [[unlikely]]
        who.request_done();
    return ending(who);
}

std::optional<engine::progress> engine::ending(session const& who) {
    switch (who.closing) {
        case session::ending::none:
            return {};
        case session::ending::after_reply:
            return progress::close;
        case session::ending::by_reset:
            return progress::reset;
        case session::ending::at_once:
            return progress::abort;
    }
    return {};
}

void engine::on_deadline(std::function<void()> f) { on_deadline_ = std::move(f); }

std::optional<clock::time_point> engine::next_deadline() const {
    constexpr std::int64_t never = INT64_MAX;
    std::int64_t first = never;
    auto const consider = [&first](std::optional<std::int64_t> t) {
        if (t && *t < first) first = *t;
    };
    consider(state_->waiting.next_deadline());
    consider(state_->paused.next_deadline());
    consider(state_->expected.next_deadline());
    for (auto const& db : state_->databases) consider(db->next_deadline());
    // Deadlines may lie beyond what microseconds can count (292,000 years): those never come.
    first = first > never / 1000 ? never : first * 1000;
    consider(state_->held_up.next_deadline_us());
    if (first == never) return {};
    return clock::time_point(std::chrono::microseconds(first));
}

void engine::trust(session& who) {
    state_->admit(who, state_->users.owner(), true);
    who.in_house = true;
}

std::string engine::add_script(std::string body, script_function f) {
    return state_->scripts.add(body, std::move(f));
}

std::uint64_t engine::add_rule(rule r) {
    auto const id = state_->rules.add(std::move(r), 0);
    state_->observe_requests();
    return id;
}
bool engine::remove_rule(std::uint64_t id) {
    bool const was = state_->rules.remove(id);
    state_->observe_requests();
    return was;
}
void engine::clear_rules() {
    state_->rules.clear();
    state_->observe_requests();
}
std::vector<std::string> engine::unmet() const { return state_->rules.unmet(); }

std::vector<recorded_call> engine::calls(call_filter const& f) const { return state_->calls.select(f); }
void engine::clear_calls() { state_->calls.clear(); }

std::uint64_t engine::keep_vigil(condition c, vigils::done f) {
    auto const id = state_->expected.keep(std::move(c), 0, std::move(f));
    state_->expected.look(*state_);
    return id;
}
void engine::forget(std::uint64_t vigil) { state_->expected.forget(vigil); }

void engine::pretend(server_state s) { state_->state = s; }

void engine::describe(std::string const& address, int port, std::string const& unix_path) {
    if (!address.empty()) state_->config.put("bind", address);
    state_->config.put("port", std::to_string(port));
    state_->config.put("unixsocket", unix_path);
}

void engine::run_due() {
    state_->tick();
    state_->end_overdue_waits();
    state_->end_overdue_pause();
    state_->wake_due();
    for (auto const& db : state_->databases) db->expire_due(expiry_batch);
    settle();
}

void engine::catch_up() {
    catch_up_with_time();
    settle();
}

void engine::catch_up_with_time() {
    state_->tick();
    state_->end_overdue_waits();
    state_->end_overdue_pause();
    state_->wake_due();
    for (auto const& db : state_->databases) db->expire_due(db->size());
    state_->shared.deadline_changed = true;
}

bool engine::waits(session const& who) const { return who.rests(); }

bool engine::ended(session const& who) const { return who.closing == session::ending::at_once; }

void engine::release(session& who) { state_->release(who); }

void engine::stop_waiting(session& who) {
    state_->waiting.leave(who);
    state_->paused.leave(who);
    state_->held_up.leave(who);
    state_->expected.forget(std::exchange(who.vigil, 0));
    state_->observe_keys();
}

bool engine::leaves_too_much(session& who, std::size_t bytes) { return state_->leaves_too_much(who, bytes); }

counters& engine::counts() { return state_->counts; }
std::map<std::string, std::uint64_t> const& engine::unsupported() const { return state_->unsupported; }
engine_options const& engine::options() const { return state_->options; }
std::size_t engine::sessions() const { return state_->sessions.size(); }
instance& engine::inside() { return *state_; }

}  // namespace respkit
