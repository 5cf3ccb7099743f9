// From words to a command: the gates every request passes, in Redis' order (server.c: processCommand).
#include <string>
#include <utility>

#include <respkit/server/instance.hpp>
#include <respkit/server/key_specs.hpp>

namespace respkit {
namespace {

std::string unknown_command(std::span<std::string_view const> words) {
    std::string text = "ERR unknown command '";
    text += printable(words[0]);
    text += "', with args beginning with: ";
    std::size_t const begin = text.size();
    for (auto const word : words.subspan(1)) {
        std::size_t const shown = text.size() - begin;
        if (shown >= 128) break;
        text += '\'';
        text += printable(word, 128 - shown);
        text += "' ";
    }
    return text;
}

std::string unknown_subcommand(command const& container, std::string_view word) {
    std::string text = "ERR unknown subcommand '";
    text += printable(word);
    text += "'. Try ";
    for (char const c : container.name) text += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    return text + " HELP.";
}

std::string no_permission(denial d, command const& row) {
    if (d.why == denial::command)
        return "NOPERM this user has no permissions to run the '" + full_name(row) + "' command";
    return d.why == denial::key
               ? "NOPERM this user has no permissions to access one of the keys used as arguments"
               : "NOPERM this user has no permissions to access one of the channels used as arguments";
}

// What would need Redis' file format is refused in words; other commands that do not exist are as unknown as
// they are to Redis.
constexpr struct {
    std::string_view name;
    std::string_view why;
} never_here[] = {
    {"dump", "ERR DUMP is not supported: this server has no RDB format. COPY duplicates a key"},
    {"restore", "ERR RESTORE is not supported: this server has no RDB format"},
};

// The words that are nobody else's business.
std::vector<std::size_t> secrets(command const& row, std::span<std::string_view const> words) {
    std::vector<std::size_t> found;
    if (row.name == "auth")
        for (std::size_t i = 1; i < words.size() && words.size() <= 3; ++i) found.push_back(i);
    for (std::size_t i = 2; row.name == "hello" && i + 2 < words.size(); ++i)
        if (is_word(words[i], "auth")) found.insert(found.end(), {i + 1, i + 2});
    return found;
}

// Clients choose these names: no more than so many are kept.
void count_name(std::map<std::string, std::uint64_t>& counts, std::string name) {
    constexpr std::size_t most_names = 1000;
    auto const at = counts.find(name);
    if (at != counts.end())
        ++at->second;
    else
        ++counts[counts.size() < most_names ? std::move(name) : "(others)"];
}

// A browser tricked into talking to us must not get far (CVE-2016 cross-protocol scripting): Redis hangs up.
bool is_http(std::string_view word) { return is_word(word, "post") || is_word(word, "host:"); }

}  // namespace

void instance::dispatch(session& who, std::span<std::string_view const> words) {
    // Clients tend to repeat themselves.
    auto const* row = who.last_command && command_table::is_named(*who.last_command, words[0])
                          ? who.last_command
                          : commands.find(words[0]);
    if (row && !row->subcommands.empty() && words.size() > 1) {
        auto const* sub = command_table::find_subcommand(*row, words[1], options.emulate);
        if (!sub) {
            count_unsupported(full_name(*row) + '|' + lower_case(printable(words[1])));
            return refuse(who, row, unknown_subcommand(*row, words[1]));
        }
        row = sub;
    }
    if (!row && is_http(words[0])) {
        who.closing = session::ending::at_once;
        return;
    }
    if (!row) {
        count_unsupported(lower_case(printable(words[0])));
        for (auto const& [name, why] : never_here)
            if (is_word(words[0], name)) return refuse(who, nullptr, why);
        return refuse(who, nullptr, unknown_command(words));
    }
    who.last_command = row;
    if (!arity_fits(row->arity, words.size())) return refuse(who, row, errors::wrong_arity(full_name(*row)));
    if (!who.authenticated && !(row->flags & flag::no_auth) && users.asks_for_password())
        return refuse(who, row, errors::no_auth);

    if (who.multi && row->flags & flag::no_multi)
        return refuse(who, row, "ERR Command not allowed inside a transaction");
    if (!who.account->unlimited()) [[unlikely]]
        if (auto const d =
                forbids(who, *row, words, who.multi ? acl_log::context::multi : acl_log::context::toplevel))
            return refuse(who, row, no_permission(d, *row));
    if (state != server_state::normal) [[unlikely]] {
        bool const queueing = who.multi && !(row->flags & flag::never_queued);
        auto const why = refusal(state, effects_of(who, *row), queueing);
        if (!why.empty()) return refuse(who, row, why);
    }
    if (who.subscriber() && who.protocol == resp::version::v2 && !(row->flags & flag::for_subscribers))
        return refuse(
            who, row,
            "ERR Can't execute '" + full_name(*row) +
                "': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this "
                "context");
    if (who.monitors) [[unlikely]] {
        // It is a kind of replica to Redis: kept from the keys, not held up.
        if (row->flags & (flag::readonly | flag::write | flag::like_write))
            return refuse(who, row, "ERR Replica can't interact with the keyspace");
    } else if (paused.on() && hold(who, *row, words)) [[unlikely]] {
        return;
    }
    if (who.multi && !(row->flags & flag::never_queued)) return queue(who, *row, words);
    execute(who, *row, words);
    if (caches.pending()) [[unlikely]]
        caches.tell_pending();
    if (waiting.has_ready()) [[unlikely]]
        serve_waiting();
}

// A request that does not get as far as its command. It spoils the transaction it was meant for.
void instance::refuse(session& who, command const* row, std::string_view text) {
    if (row) ++by_command[row->number].rejected;
    bool const is_exec = row && row->name == "exec";
    if (is_exec && text.starts_with("ERR ")) text.remove_prefix(4);
    resp::writer reply(replies_to(who), who.protocol);
    if (is_exec) {
        reply.error("EXECABORT Transaction discarded because of: " + std::string(text));
        who.multi.reset();
        watched.unwatch(who);
        observe_keys();
    } else {
        reply.error(text);
        if (who.multi) who.multi->poisoned = true;
    }
    count_error(reply.last_error());
}

void instance::execute(session& who, command const& row, std::span<std::string_view const> words, target to) {
    auto const command = [](call& c) {
        c.row.run(c);
        return true;
    };
    auto& db = database(who.db);
    auto& n = by_command[row.number];
    if (std::exchange(sample, false)) {
        auto const start = std::chrono::steady_clock::now();
        run(who, row, db, words, to, command);
        n.time += std::chrono::steady_clock::now() - start;
        ++n.sampled;
    } else {
        run(who, row, db, words, to, command);
    }
    ++n.calls;
    ++counts.commands;
    if (overheard) [[unlikely]]
        overhear(who, row, words, to.in_script);
}

// For those who monitor, and for the one who tracks what it has read.
void instance::overhear(session& who, command const& row, std::span<std::string_view const> words,
                        bool in_script) {
    if (!(row.flags & (flag::skip_monitor | flag::admin))) {
        std::vector<std::string_view> shown(words.begin(), words.end());
        for (auto const i : secrets(row, words)) shown[i] = "(redacted)";
        monitors.show(who, now_us, shown, in_script);
    }
    // What a script reads counts, not what it is called with.
    if (!who.tracks || !(row.flags & flag::readonly) || row.categories & category::scripting) return;
    std::vector<std::string_view> keys;
    for (auto const& k : keys_of(row, words).value_or(std::vector<found_key>())) keys.push_back(words[k.at]);
    caches.remember(who, keys);
}

// What the command may do; EXEC, what the commands that it is about to run may do.
std::uint32_t instance::effects_of(session const& who, command const& row) {
    std::uint32_t flags = row.flags;
    if (who.multi && row.name == "exec")
        for (auto const& queued : who.multi->queue)
            flags |= queued.row->flags & (flag::write | flag::like_write | flag::denyoom);
    return flags;
}

// A request that CLIENT PAUSE applies to is kept; it will be dispatched again.
bool instance::hold(session& who, command const& row, std::span<std::string_view const> words) {
    end_overdue_pause();
    if (!paused.applies(effects_of(who, row) & (flag::write | flag::like_write))) return false;
    who.held.emplace(words.begin(), words.end());
    paused.enter(who);
    shared.deadline_changed = true;
    return true;
}

void instance::end_pause() {
    for (auto* who : paused.end()) wake(*who);
}

void instance::end_overdue_pause() {
    if (paused.overdue(shared.now)) end_pause();
}

void instance::queue(session& who, command const& row, std::span<std::string_view const> words) {
    auto& t = *who.multi;
    for (auto const word : words) t.bytes += word.size() + sizeof(std::string);
    t.queue.push_back({&row, {words.begin(), words.end()}});
    if (t.bytes > options.query_limit) who.closing = session::ending::at_once;
    resp::writer(replies_to(who), who.protocol).simple("QUEUED");
}

void instance::count_unsupported(std::string name) { count_name(unsupported, std::move(name)); }

void instance::count_error(std::string_view reply) {
    ++counts.errors;
    count_name(error_counts,
               std::string(reply.substr(1, std::min<std::size_t>(reply.find_first_of(" \r"), 65) - 1)));
}

void instance::tick() {
    now_us = time.now().time_since_epoch().count();
    shared.now = now_us / 1000;
}

}  // namespace respkit
