// CLIENT TRACKING and its kin: client-side caching.
#include <optional>
#include <string>
#include <vector>

#include <respkit/server/client_rows.hpp>
#include <respkit/server/command.hpp>
#include <respkit/server/instance.hpp>

namespace respkit {
namespace {

struct tracking_request {
    tracker options;
    std::vector<std::string_view> prefixes;
};

// Words 3 and on. Nothing if a complaint has been written.
std::optional<tracking_request> parse(call& c) {
    tracking_request asked;
    auto& o = asked.options;
    auto const refuse = [&](std::string_view text) -> std::optional<tracking_request> {
        c.reply.error(text);
        return {};
    };
    for (std::size_t i = 3; i < c.size(); ++i) {
        bool const more = i + 1 < c.size();
        if (is_word(c[i], "redirect") && more) {
            if (o.redirect) return refuse("ERR A client can only redirect to a single other client");
            auto const id = c.integer(++i);
            if (!id) return {};
            o.redirect = static_cast<std::uint64_t>(*id);
            if (!c.server.sessions.contains(o.redirect))
                return refuse("ERR The client ID you want redirect to does not exist");
        } else if (is_word(c[i], "bcast")) {
            o.broadcast = true;
        } else if (is_word(c[i], "optin")) {
            o.opt_in = true;
        } else if (is_word(c[i], "optout")) {
            o.opt_out = true;
        } else if (is_word(c[i], "noloop")) {
            o.noloop = true;
        } else if (is_word(c[i], "prefix") && more) {
            asked.prefixes.push_back(c[++i]);
        } else {
            return refuse(errors::syntax);
        }
    }
    return asked;
}

// Why these options cannot be, alone or after those that the client has; empty if they can.
std::string_view conflict(tracking_request const& asked, tracker const* now) {
    auto const& o = asked.options;
    if (!o.broadcast && !asked.prefixes.empty()) return "ERR PREFIX option requires BCAST mode to be enabled";
    if (now && now->broadcast != o.broadcast)
        return "ERR You can't switch BCAST mode on/off before disabling tracking for this client, and then "
               "re-enabling it with a different mode.";
    if (o.broadcast && (o.opt_in || o.opt_out)) return "ERR OPTIN and OPTOUT are not compatible with BCAST";
    if (o.opt_in && o.opt_out) return "ERR You can't specify both OPTIN mode and OPTOUT mode";
    if (now && ((o.opt_in && now->opt_out) || (o.opt_out && now->opt_in)))
        return "ERR You can't switch OPTIN/OPTOUT mode before disabling tracking for this client, and then "
               "re-enabling it with a different mode.";
    return {};
}

bool overlap(std::string_view a, std::string_view b) { return a.starts_with(b) || b.starts_with(a); }

std::string overlap_error(std::string_view a, std::string_view which, std::string_view b) {
    auto const c_string = [](std::string_view s) { return std::string(s.substr(0, s.find('\0'))); };
    return "ERR Prefix '" + c_string(a) + "' overlaps with " + std::string(which) + " prefix '" +
           c_string(b) + "'. Prefixes for a single client must not overlap.";
}

// Complains of prefixes that overlap. True if they are to be taken nevertheless: as in Redis, where an
// overlap among the new ones stops only if the first of them is part of it.
bool takes_prefixes(call& c, std::vector<std::string_view> const& prefixes) {
    for (std::size_t i = 0; i < prefixes.size(); ++i) {
        if (c.who.tracks)
            for (auto const& old : c.who.tracks->prefixes)
                if (overlap(prefixes[i], old)) {
                    c.reply.error(overlap_error(prefixes[i], "an existing", old));
                    return false;
                }
        for (std::size_t j = i + 1; j < prefixes.size(); ++j)
            if (overlap(prefixes[i], prefixes[j])) {
                c.reply.error(overlap_error(prefixes[i], "another provided", prefixes[j]));
                return i != 0;
            }
    }
    return true;
}

void changed_tracking(call& c) {
    c.server.observe_keys();
    c.server.observe_commands();
    c.reply.ok();
}

}  // namespace

// CLIENT TRACKING ON | OFF [REDIRECT id] [BCAST] [PREFIX prefix ...] [OPTIN] [OPTOUT] [NOLOOP]
void client_tracking(call& c) {
    auto asked = parse(c);
    if (!asked) return;
    if (is_word(c[2], "off")) {
        c.server.caches.stop(c.who);
        return changed_tracking(c);
    }
    if (!is_word(c[2], "on")) return c.reply.error(errors::syntax);
    if (auto const why = conflict(*asked, c.who.tracks.get()); !why.empty()) return c.reply.error(why);
    if (!takes_prefixes(c, asked->prefixes)) return;
    if (asked->options.broadcast && asked->prefixes.empty()) asked->prefixes.push_back("");
    c.server.caches.start(c.who, std::move(asked->options), asked->prefixes);
    changed_tracking(c);
}

// CLIENT TRACKINGINFO
void client_trackinginfo(call& c) {
    auto const* t = c.who.tracks.get();
    std::vector<std::string_view> flags{t ? "on" : "off"};
    if (t) {
        auto const add = [&](bool set, std::string_view name) {
            if (set) flags.push_back(name);
        };
        add(t->broadcast, "bcast");
        add(t->opt_in, "optin");
        add(t->opt_in && t->caching, "caching-yes");
        add(t->opt_out, "optout");
        add(t->opt_out && t->caching, "caching-no");
        add(t->noloop, "noloop");
        add(t->broken, "broken_redirect");
    }
    c.reply.map(3);
    c.reply.bulk("flags");
    c.reply.set(flags.size());
    for (auto const name : flags) c.reply.bulk(name);
    c.reply.bulk("redirect");
    c.reply.integer(t ? static_cast<std::int64_t>(t->redirect) : -1);
    c.reply.bulk("prefixes");
    c.reply.array(t ? t->prefixes.size() : 0);
    if (!t) return;
    for (auto const& prefix : t->prefixes) c.reply.bulk(prefix);
}

// CLIENT CACHING YES | NO
void client_caching(call& c) {
    auto* t = c.who.tracks.get();
    if (!t)
        return c.reply.error(
            "ERR CLIENT CACHING can be called only when the client is in tracking mode with OPTIN or OPTOUT "
            "mode enabled");
    bool const yes = is_word(c[2], "yes");
    if (!yes && !is_word(c[2], "no")) return c.reply.error(errors::syntax);
    if (yes && !t->opt_in)
        return c.reply.error("ERR CLIENT CACHING YES is only valid when tracking is enabled in OPTIN mode.");
    if (!yes && !t->opt_out)
        return c.reply.error("ERR CLIENT CACHING NO is only valid when tracking is enabled in OPTOUT mode.");
    t->caching = true;
    c.reply.ok();
}

// CLIENT GETREDIR
void client_getredir(call& c) {
    c.reply.integer(c.who.tracks ? static_cast<std::int64_t>(c.who.tracks->redirect) : -1);
}

}  // namespace respkit
