#include <algorithm>
#include <string>
#include <vector>

#include <respkit/server/glob.hpp>
#include <respkit/server/instance.hpp>

namespace respkit {

void instance::admit(session& who, user& as, bool authenticated) {
    who.account = &as;
    who.authenticated = authenticated;
    who.reader.authenticated(authenticated);
}

void instance::admit_as_default(session& who) {
    admit(who, users.default_user(), !users.asks_for_password());
}

bool instance::log_in(session& who, std::string_view name, std::string_view password,
                      std::span<std::string_view const> words) {
    auto* u = users.find(name);
    if (u && u->accepts(password)) {
        admit(who, *u, true);
        return true;
    }
    denied.add({.why = denial::login,
                .where = who.executing ? acl_log::context::multi : acl_log::context::toplevel,
                .object = std::string(words[0]),
                .user = std::string(name),
                .at = shared.now,
                .client = describe(who, words)},
               static_cast<std::size_t>(config.number("acllog-max-len")));
    return false;
}

denial instance::forbids(session& who, command const& row, std::span<std::string_view const> words,
                         acl_log::context where) {
    auto const d = who.account->check(row, words);
    if (d)
        denied.add({.why = d.why,
                    .where = where,
                    .object = d.why == denial::command ? full_name(row) : std::string(words[d.word]),
                    .user = who.account->name,
                    .at = shared.now,
                    .client = describe(who, words)},
                   static_cast<std::size_t>(config.number("acllog-max-len")));
    return d;
}

namespace {

// What the changed user may listen to no longer.
bool hears_too_much(session const& s, std::vector<std::string> const& allowed) {
    for (auto const t : {topic::channel, topic::pattern, topic::shard_channel})
        for (auto const& name : s.subscribed[static_cast<std::size_t>(t)])
            if (std::none_of(allowed.begin(), allowed.end(), [&](auto const& pattern) {
                    return t == topic::pattern ? pattern == name : glob_match(pattern, name);
                }))
                return true;
    return false;
}

}  // namespace

void instance::change(user& u, user const& to) {
    std::vector<std::string> allowed;
    bool every = false;
    for (auto const& set : to.sets) {
        every |= set.every_channel();
        allowed.insert(allowed.end(), set.channel_patterns().begin(), set.channel_patterns().end());
    }
    std::vector<session*> losing;
    for (auto const& [id, s] : sessions)
        if (!every && s->account == &u && s->subscriber() && hears_too_much(*s, allowed)) losing.push_back(s);
    // As Redis: patterns that are all there again are not looked at.
    bool fewer = false;
    for (auto const& set : u.sets)
        for (auto const& pattern : set.channel_patterns())
            fewer |= std::find(allowed.begin(), allowed.end(), pattern) == allowed.end();
    u = to;
    for (auto* s : losing)
        if (fewer) drop(*s);
}

void instance::begin_users_again() {
    auto const old = users.begin_again(options.password, options.users);
    for (auto const& [id, s] : sessions) {
        if (s->account == &users.owner()) continue;
        auto* const same = users.find(s->account->name);
        admit(*s, same ? *same : users.default_user(), same && s->authenticated);
    }
    denied.clear();
}

void instance::drop(session& who) {
    if (&who == running)
        who.closing = session::ending::after_reply;
    else
        end(who);
}

bool instance::remove_user(std::string_view name) {
    auto const gone = users.remove(name);
    if (!gone) return false;
    std::vector<session*> theirs;
    for (auto const& [id, s] : sessions)
        if (s->account == gone.get()) theirs.push_back(s);
    for (auto* s : theirs) {
        admit(*s, users.default_user(), false);
        drop(*s);
    }
    return true;
}

}  // namespace respkit
