#include <algorithm>
#include <utility>

#include <respkit/resp/number.hpp>
#include <respkit/server/command.hpp>
#include <respkit/server/digest.hpp>
#include <respkit/server/instance.hpp>
#include <respkit/server/scripts.hpp>

namespace respkit {
namespace {

using resp::value;

bool is_digest(std::string_view word) {
    return word.size() == 40 && word.find_first_not_of("0123456789abcdefABCDEF") == word.npos;
}

value error(std::string text) { return value{.type = resp::type::error, .text = std::move(text)}; }

// redis-py's Lock: the token under KEYS[1] is whose lock it is.
bool holds_lock(script_call& s) {
    s.line = 2;
    auto const token = s.call({"get", s.key(0)});
    return !token.null && !s.args.empty() && token.text == s.args[0];
}

value lock_release(script_call& s) {
    if (!holds_lock(s)) return value::of(0);
    s.line = 6;
    s.call({"del", s.key(0)});
    return value::of(1);
}

// ARGV[2]: milliseconds; ARGV[3]: "0", if they are to be added to what is left.
value lock_extend(script_call& s) {
    if (!holds_lock(s)) return value::of(0);
    s.line = 6;
    auto const left = s.call({"pttl", s.key(0)}).integer;
    if (left < 0) return value::of(0);
    std::string time(s.arg(1));
    if (s.args.size() > 2 && s.args[2] == "0") {
        auto const more = resp::parse_integer(time);
        std::int64_t sum = 0;
        if (!more || __builtin_add_overflow(*more, left, &sum))
            throw script_error(std::string(errors::not_integer));
        time = std::to_string(sum);
    }
    s.line = 18;
    s.call({"pexpire", s.key(0), time});
    return value::of(1);
}

value lock_reacquire(script_call& s) {
    if (!holds_lock(s)) return value::of(0);
    s.line = 6;
    s.call({"pexpire", s.key(0), s.arg(1)});
    return value::of(1);
}

std::string one_line(std::string text) {
    for (char& c : text)
        if (c == '\r' || c == '\n') c = ' ';
    return text;
}

void reply_with(resp::writer& out, value const& v) {
    using resp::type;
    auto const each = [&] {
        for (auto const& item : v.items) reply_with(out, item);
    };
    if (v.null) return out.null();
    switch (v.type) {
        case type::integer:
            return out.integer(v.integer);
        case type::boolean:
            return v.integer ? out.integer(1) : out.null();
        case type::bulk:
            return out.bulk(v.text);
        case type::simple:
            return out.simple(one_line(v.text));
        case type::error:
        case type::bulk_error:
            return out.error(v.text);
        case type::real:
            return out.real(one_line(v.text));
        case type::big_number:
            return out.big_number(one_line(v.text));
        case type::verbatim:
            return v.text.size() < 4 ? out.bulk(v.text)
                                     : out.verbatim(v.text.substr(0, 3), std::string_view(v.text).substr(4));
        case type::array:
        case type::push:
            out.array(v.items.size());
            return each();
        case type::set:
            out.set(v.items.size());
            return each();
        case type::map:
            out.map(v.items.size() / 2);
            for (std::size_t i = 0; i < v.items.size() / 2 * 2; ++i) reply_with(out, v.items[i]);
            return;
        default:
            return out.null();
    }
}

}  // namespace

script_store::script_store() {
    by_sha_["c3f8721cbb97f72bc19e972846bd7aaf91901658"] = {lock_release};
    by_sha_["a4e8783852e6b949f9ef3a97212805108459a890"] = {lock_extend};
    by_sha_["1cac51482acf5858da00f6d685d68f886cd6b6b2"] = {lock_reacquire};
}

std::string script_store::add(std::string_view body, script_function f) {
    auto sha = is_digest(body) ? lower_case(body) : sha1(body);
    by_sha_[sha] = {std::move(f), true};
    return sha;
}

script_store::script* script_store::find(std::string_view sha) {
    auto const at = by_sha_.find(lower_case(sha));
    return at == by_sha_.end() ? nullptr : &at->second;
}

void script_store::flush() {
    for (auto& [sha, s] : by_sha_) s.loaded = false;
}

value script_call::call(std::span<std::string_view const> words) {
    auto reply = pcall(words);
    if (!reply.is_error()) return reply;
    script_error e(reply.text);
    e.counted = answered_;
    throw e;
}

// The gates of scripts, in Redis' order (script.c: scriptCall).
value script_call::pcall(std::span<std::string_view const> words) {
    answered_ = false;
    if (words.empty()) return error("ERR Please specify at least one argument for this redis lib call");
    auto const* row = server_.commands.find(words[0]);
    if (row && !row->subcommands.empty() && words.size() > 1)
        row = command_table::find_subcommand(*row, words[1], server_.options.emulate);
    if (!row) {
        server_.count_unsupported(lower_case(printable(words[0])));
        return error("ERR Unknown Redis command called from script");
    }
    auto const refused = [&](std::string text) {
        ++server_.by_command[row->number].rejected;
        return error(std::move(text));
    };
    if (!arity_fits(row->arity, words.size()))
        return refused("ERR Wrong number of args calling Redis command from script");
    if (row->flags & flag::noscript) return refused("ERR This Redis command is not allowed from script");
    if (!who_.account->unlimited())
        if (auto const d = server_.forbids(who_, *row, words, acl_log::context::lua))
            return refused(d.why == denial::command
                               ? "ERR The user executing the script can't run this command or subcommand"
                           : d.why == denial::key
                               ? "ERR The user executing the script can't access at least one of the keys "
                                 "mentioned in the command arguments"
                               : "ERR The user executing the script can't publish to the channel mentioned "
                                 "in the command");
    if (read_only_ && row->flags & (flag::write | flag::like_write))
        return refused("ERR Write commands are not allowed from read-only scripts.");
    if (auto const why = refusal(server_.state, row->flags, false); !why.empty())
        return refused(std::string(why));
    std::string out;
    answered_ = true;
    server_.execute_in_script(who_, *row, words, out);
    return resp::parse_value(out).value_or(value{.null = true});
}

void run_script(call& c, std::string_view sha, bool read_only) {
    // A script may add another one of its name: its function must outlive that.
    auto const run = c.server.scripts.find(sha)->run;
    auto const count = static_cast<std::size_t>(*resp::parse_integer(c[2]));
    script_call s(c.words.subspan(3, count), c.words.subspan(3 + count), c.server, c.who, read_only);

    // It selects for itself, and nobody waits in it.
    struct state {
        session& who;
        int const db = who.db;
        bool const executing = std::exchange(who.executing, true);
        ~state() {
            who.db = db;
            who.executing = executing;
        }
    } const kept{c.who};
    auto const failed = [&](std::string const& text) {
        c.reply.error(text + " script: " + std::string(sha) + ", on @user_script:" + std::to_string(s.line) +
                      '.');
    };
    try {
        reply_with(c.reply, run(s));
    } catch (script_error const& e) {
        c.error_counted = e.counted;
        failed(e.what());
    } catch (std::bad_alloc const&) {
        throw;
    } catch (std::exception const& e) {
        failed("ERR " + std::string(e.what()));
    } catch (...) {
        failed("ERR the script has thrown what is no std::exception");
    }
}

}  // namespace respkit
