#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <respkit/server/command_table.hpp>
#include <respkit/server/reference.hpp>

namespace respkit {
namespace {

std::string upper(std::string text) {
    for (auto& c : text)
        if (c >= 'a' && c <= 'z')
            c = static_cast<char>(c - 'a' + 'A');
        else if (c == '|')
            c = ' ';
    return text;
}

// Every command of Redis 7.0.15, by group as COMMAND DOCS has them, and the subcommands of those that are
// here; what is for servers among themselves and for Redis' own tests is left out.
constexpr struct {
    std::string_view group;
    std::string_view names;
} of_redis[] = {
    {"bitmap", "bitcount bitfield bitfield_ro bitop bitpos getbit setbit"},
    {"cluster", "asking cluster readonly readwrite"},
    {"connection",
     "auth client client|caching client|getname client|getredir client|id client|info client|kill "
     "client|list "
     "client|no-evict client|pause client|reply client|setname client|tracking client|trackinginfo "
     "client|unblock client|unpause echo hello ping quit reset select"},
    {"generic",
     "copy del dump exists expire expireat expiretime keys migrate move object persist pexpire pexpireat "
     "pexpiretime pttl randomkey rename renamenx restore scan sort sort_ro touch ttl type unlink wait"},
    {"geo",
     "geoadd geodist geohash geopos georadius georadius_ro georadiusbymember georadiusbymember_ro "
     "geosearch geosearchstore"},
    {"hash",
     "hdel hexists hget hgetall hincrby hincrbyfloat hkeys hlen hmget hmset hrandfield hscan hset "
     "hsetnx hstrlen hvals"},
    {"hyperloglog", "pfadd pfcount pfmerge"},
    {"list",
     "blmove blmpop blpop brpop brpoplpush lindex linsert llen lmove lmpop lpop lpos lpush lpushx "
     "lrange lrem lset ltrim rpop rpoplpush rpush rpushx"},
    {"pubsub",
     "psubscribe publish pubsub punsubscribe spublish ssubscribe subscribe sunsubscribe "
     "unsubscribe"},
    {"scripting",
     "eval eval_ro evalsha evalsha_ro fcall fcall_ro function function|delete function|dump function|flush "
     "function|kill function|list function|load function|restore function|stats "
     "script script|debug script|exists script|flush "
     "script|kill script|load"},
    {"server",
     "acl bgrewriteaof bgsave command config dbsize debug failover flushall flushdb info lastsave "
     "latency lolwut memory module monitor replicaof role save shutdown slaveof slowlog swapdb time "
     "acl|cat acl|deluser acl|dryrun acl|genpass acl|getuser acl|list acl|load acl|log acl|save acl|setuser "
     "acl|users acl|whoami "
     "command|count command|docs command|getkeys command|getkeysandflags command|info command|list "
     "config|get config|resetstat config|rewrite config|set memory|doctor memory|malloc-stats "
     "memory|purge memory|stats memory|usage"},
    {"set",
     "sadd scard sdiff sdiffstore sinter sintercard sinterstore sismember smembers smismember smove "
     "spop srandmember srem sscan sunion sunionstore"},
    {"sorted-set",
     "bzmpop bzpopmax bzpopmin zadd zcard zcount zdiff zdiffstore zincrby zinter zintercard zinterstore "
     "zlexcount zmpop zmscore zpopmax zpopmin zrandmember zrange zrangebylex zrangebyscore zrangestore zrank "
     "zrem zremrangebylex zremrangebyrank zremrangebyscore zrevrange zrevrangebylex zrevrangebyscore "
     "zrevrank "
     "zscan zscore zunion zunionstore"},
    {"stream",
     "xack xadd xautoclaim xclaim xdel xgroup xinfo xlen xpending xrange xread xreadgroup xrevrange "
     "xsetid xtrim"},
    {"string",
     "append decr decrby get getdel getex getrange getset incr incrby incrbyfloat lcs mget mset "
     "msetnx psetex set setex setnx setrange strlen substr"},
    {"transactions", "discard exec multi unwatch watch"},
};

enum class presence { here, missing, part_of_missing };

// Of "get" or "client|id". A subcommand is nothing of its own where its command is missing.
presence look_up(std::string_view name, command_table const& table) {
    auto const bar = std::min(name.find('|'), name.size());
    auto const* row = table.find(name.substr(0, bar));
    if (bar == name.size()) return row ? presence::here : presence::missing;
    if (!row) return presence::part_of_missing;
    auto const* sub = command_table::find_subcommand(*row, name.substr(bar + 1), emulation::redis_7_0);
    return sub ? presence::here : presence::missing;
}

// The commands of one group that are here, or those that are not.
std::string names_of(std::string_view names, command_table const& table, presence wanted) {
    std::string out;
    while (!names.empty()) {
        auto const name = names.substr(0, names.find(' '));
        names.remove_prefix(std::min(name.size() + 1, names.size()));
        bool const told = wanted == presence::missing || name.find('|') == name.npos;
        if (told && look_up(name, table) == wanted)
            (out += out.empty() ? "" : ", ") += upper(std::string(name));
    }
    return out;
}

void add_row(std::string& page, command const& row) {
    page += "| " + upper(full_name(row)) + " | " + std::string(row.since) + " | " + std::string(row.summary);
    page += row.since_7_2 ? " (`--emulate 7.2`) |\n" : " |\n";
}

}  // namespace

std::string commands_page() {
    command_table const table(emulation::redis_7_2);
    std::map<std::string_view, std::vector<command const*>> groups;
    for (auto const* row : table.all()) groups[row->group].push_back(row);

    std::string page =
        "# Commands\n\nEvery command of this page answers byte for byte as Redis 7.0.15 does, in RESP2 and "
        "RESP3, "
        "errors\nincluded. What people read (HELP, the summaries of COMMAND DOCS, parts of INFO) is in our "
        "own words; what is "
        "random\nin Redis is random here. What is not here stands at the end, and is answered as Redis "
        "answers a command that it does\nnot know.\n\n"
        "<!-- written by: respkit-server --commands -->\n";
    for (auto& [group, rows] : groups) {
        std::sort(rows.begin(), rows.end(), [](auto* a, auto* b) { return a->name < b->name; });
        page += "\n## " + std::string(group) + "\n\n| command | since | |\n| --- | --- | --- |\n";
        for (auto const* row : rows) {
            if (row->run) add_row(page, *row);
            for (auto const& sub : row->subcommands) add_row(page, sub);
        }
    }
    page += "\n## Not here\n\n| group | commands of Redis 7.0.15 |\n| --- | --- |\n";
    for (auto const& [group, names] : of_redis)
        if (auto const missing = names_of(names, table, presence::missing); !missing.empty())
            page += "| " + std::string(group) + " | " + missing + " |\n";
    return page;
}

std::string commands_table() {
    command_table const table(emulation::redis_7_0);
    std::string out = "| group | here | not here |\n| --- | --- | --- |\n";
    for (auto const& [group, names] : of_redis)
        out += "| " + std::string(group) + " | " + names_of(names, table, presence::here) + " | " +
               names_of(names, table, presence::missing) + " |\n";
    return out;
}

}  // namespace respkit
