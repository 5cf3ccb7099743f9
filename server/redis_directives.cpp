#include <algorithm>
#include <string_view>

#include <respkit/server/config.hpp>
#include <respkit/server/redis_directives.hpp>

namespace respkit {
namespace {

// Of redis-server 7.0.15, in the order of the alphabet: what its CONFIG GET shows at the start.
constexpr struct {
    std::string_view name, value;
} shown[] = {
    {"acl-pubsub-default", "resetchannels"},
    {"aclfile", ""},
    {"acllog-max-len", "128"},
    {"active-defrag-cycle-max", "25"},
    {"active-defrag-cycle-min", "1"},
    {"active-defrag-ignore-bytes", "104857600"},
    {"active-defrag-max-scan-fields", "1000"},
    {"active-defrag-threshold-lower", "10"},
    {"active-defrag-threshold-upper", "100"},
    {"active-expire-effort", "1"},
    {"aof-disable-auto-gc", "no"},
    {"aof-load-truncated", "yes"},
    {"aof-rewrite-incremental-fsync", "yes"},
    {"aof-timestamp-enabled", "no"},
    {"aof_rewrite_cpulist", ""},
    {"appenddirname", "appendonlydir"},
    {"appendfilename", "appendonly.aof"},
    {"auto-aof-rewrite-min-size", "67108864"},
    {"auto-aof-rewrite-percentage", "100"},
    {"bgsave_cpulist", ""},
    {"bind-source-addr", ""},
    {"bio_cpulist", ""},
    {"cluster-allow-pubsubshard-when-down", "yes"},
    {"cluster-allow-reads-when-down", "no"},
    {"cluster-allow-replica-migration", "yes"},
    {"cluster-announce-bus-port", "0"},
    {"cluster-announce-hostname", ""},
    {"cluster-announce-ip", ""},
    {"cluster-announce-port", "0"},
    {"cluster-announce-tls-port", "0"},
    {"cluster-config-file", "nodes.conf"},
    {"cluster-link-sendbuf-limit", "0"},
    {"cluster-migration-barrier", "1"},
    {"cluster-node-timeout", "15000"},
    {"cluster-port", "0"},
    {"cluster-preferred-endpoint-type", "ip"},
    {"cluster-replica-no-failover", "no"},
    {"cluster-replica-validity-factor", "10"},
    {"cluster-require-full-coverage", "yes"},
    {"cluster-slave-no-failover", "no"},
    {"cluster-slave-validity-factor", "10"},
    {"crash-log-enabled", "yes"},
    {"crash-memcheck-enabled", "yes"},
    {"disable-thp", "yes"},
    {"dynamic-hz", "yes"},
    {"enable-protected-configs", "no"},
    {"ignore-warnings", ""},
    {"io-threads-do-reads", "no"},
    {"jemalloc-bg-thread", "yes"},
    {"lfu-decay-time", "1"},
    {"lfu-log-factor", "10"},
    {"maxmemory-clients", "0"},
    {"maxmemory-eviction-tenacity", "10"},
    {"min-replicas-max-lag", "10"},
    {"min-slaves-max-lag", "10"},
    {"min-slaves-to-write", "0"},
    {"oom-score-adj", "no"},
    {"oom-score-adj-values", "0 200 800"},
    {"proc-title-template", "{title} {listen-addr} {server-mode}"},
    {"propagation-error-behavior", "ignore"},
    {"rdb-del-sync-files", "no"},
    {"rdb-save-incremental-fsync", "yes"},
    {"repl-backlog-ttl", "3600"},
    {"repl-disable-tcp-nodelay", "no"},
    {"repl-diskless-load", "disabled"},
    {"repl-diskless-sync", "yes"},
    {"repl-diskless-sync-delay", "5"},
    {"repl-diskless-sync-max-replicas", "0"},
    {"repl-ping-replica-period", "10"},
    {"repl-ping-slave-period", "10"},
    {"replica-announce-ip", ""},
    {"replica-announce-port", "0"},
    {"replica-announced", "yes"},
    {"replica-ignore-disk-write-errors", "no"},
    {"replica-ignore-maxmemory", "yes"},
    {"replica-lazy-flush", "no"},
    {"replica-priority", "100"},
    {"replicaof", ""},
    {"sanitize-dump-payload", "no"},
    {"server_cpulist", ""},
    {"set-proc-title", "yes"},
    {"shutdown-on-sigint", "default"},
    {"shutdown-on-sigterm", "default"},
    {"shutdown-timeout", "10"},
    {"slave-announce-ip", ""},
    {"slave-announce-port", "0"},
    {"slave-ignore-maxmemory", "yes"},
    {"slave-lazy-flush", "no"},
    {"slave-priority", "100"},
    {"slave-serve-stale-data", "yes"},
    {"slaveof", ""},
    {"socket-mark-id", "0"},
    {"syslog-facility", "local0"},
    {"syslog-ident", "redis"},
    {"tls-auth-clients", "yes"},
    {"tls-ca-cert-dir", ""},
    {"tls-ca-cert-file", ""},
    {"tls-cert-file", ""},
    {"tls-ciphers", ""},
    {"tls-ciphersuites", ""},
    {"tls-client-cert-file", ""},
    {"tls-client-key-file", ""},
    {"tls-client-key-file-pass", ""},
    {"tls-cluster", "no"},
    {"tls-dh-params-file", ""},
    {"tls-key-file", ""},
    {"tls-key-file-pass", ""},
    {"tls-port", "0"},
    {"tls-prefer-server-ciphers", "no"},
    {"tls-protocols", ""},
    {"tls-replication", "no"},
    {"tls-session-cache-size", "20480"},
    {"tls-session-cache-timeout", "300"},
    {"tls-session-caching", "yes"},
    {"unixsocketperm", "0"},
};

// What CONFIG GET does not show: there is no value that asks for nothing.
constexpr std::string_view in_files_only[] = {"list-max-ziplist-entries",
                                              "list-max-ziplist-value",
                                              "loadmodule",
                                              "lua-replicate-commands",
                                              "rename-command",
                                              "sentinel",
                                              "user"};

}  // namespace

bool says_the_same(std::string_view wanted, std::string_view present) {
    auto const number = parse_memory(wanted);
    return wanted == present || (number && number == parse_memory(present));
}

meaning meaning_of(std::string_view name, std::string_view value) {
    auto const* row =
        std::find_if(std::begin(shown), std::end(shown), [&](auto const& r) { return r.name == name; });
    if (row != std::end(shown)) return says_the_same(value, row->value) ? meaning::as_it_is : meaning::none;
    bool const known =
        std::find(std::begin(in_files_only), std::end(in_files_only), name) != std::end(in_files_only);
    return known ? meaning::none : meaning::unknown;
}

}  // namespace respkit
