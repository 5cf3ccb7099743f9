// The parameters that CONFIG knows, by what their values may be. Included by config.cpp alone.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>

namespace respkit::config_rows {

inline constexpr std::int64_t int_max = std::numeric_limits<int>::max();
inline constexpr std::int64_t int_min = std::numeric_limits<int>::min();
inline constexpr std::int64_t uint_max = std::numeric_limits<unsigned>::max();
inline constexpr std::int64_t int64_max = std::numeric_limits<std::int64_t>::max();

struct text_row {
    std::string_view name, text;
    std::string_view same_as = {};
};
struct number_row {
    std::string_view name;
    std::int64_t value, least, most;
    std::string_view same_as = {};
};
struct choice_row {
    std::string_view name, value;
    std::array<std::string_view, 8> choices;
};

// The defaults are Redis 7.0.15's, except `save`: nothing is ever saved here.
inline constexpr text_row fixed_rows[] = {
    {"databases", "16"},
    {"daemonize", "no"},
    {"cluster-enabled", "no"},
    {"enable-debug-command", "local"},
    {"port", "6379"},
    {"unixsocket", ""},
    {"tcp-backlog", "511"},
    {"supervised", "no"},
    {"pidfile", ""},
    {"always-show-logo", "no"},
    {"logfile", ""},
    {"syslog-enabled", "no"},
    {"io-threads", "1"},
    {"enable-module-command", "no"},
    {"aclfile", ""},
    {"appenddirname", "appendonlydir"},
    {"appendfilename", "appendonly.aof"},
    {"cluster-config-file", "nodes.conf"},
    {"cluster-port", "0"},
    {"enable-protected-configs", "no"},
    {"io-threads-do-reads", "no"},
    {"replicaof", ""},
    {"slaveof", ""},
    {"syslog-facility", "local0"},
    {"syslog-ident", "redis"},
    {"unixsocketperm", "0"},
};
inline constexpr text_row text_rows[] = {
    {"requirepass", ""},
    {"bind", "127.0.0.1"},
    {"save", ""},
    {"dir", "/"},
    {"dbfilename", "dump.rdb"},
    {"masterauth", ""},
    {"masteruser", ""},
    {"latency-tracking-info-percentiles", "50 99 99.9"},
    {"bind-source-addr", ""},
    {"cluster-announce-hostname", ""},
    {"cluster-announce-ip", ""},
    {"ignore-warnings", ""},
    {"replica-announce-ip", ""},
    {"slave-announce-ip", "", "replica-announce-ip"},
};
inline constexpr text_row yes_no_rows[] = {
    {"appendonly", "no"},
    {"activedefrag", "no"},
    {"activerehashing", "yes"},
    {"aof-use-rdb-preamble", "yes"},
    {"latency-tracking", "yes"},
    {"lazyfree-lazy-eviction", "no"},
    {"lazyfree-lazy-expire", "no"},
    {"lazyfree-lazy-server-del", "no"},
    {"lazyfree-lazy-user-del", "no"},
    {"lazyfree-lazy-user-flush", "no"},
    {"no-appendfsync-on-rewrite", "no"},
    {"protected-mode", "yes"},
    {"rdbchecksum", "yes"},
    {"rdbcompression", "yes"},
    {"replica-read-only", "yes"},
    {"slave-read-only", "yes", "replica-read-only"},
    {"replica-serve-stale-data", "yes"},
    {"stop-writes-on-bgsave-error", "yes"},
    {"aof-disable-auto-gc", "no"},
    {"aof-load-truncated", "yes"},
    {"aof-rewrite-incremental-fsync", "yes"},
    {"aof-timestamp-enabled", "no"},
    {"cluster-allow-pubsubshard-when-down", "yes"},
    {"cluster-allow-reads-when-down", "no"},
    {"cluster-allow-replica-migration", "yes"},
    {"cluster-replica-no-failover", "no"},
    {"cluster-require-full-coverage", "yes"},
    {"cluster-slave-no-failover", "no", "cluster-replica-no-failover"},
    {"crash-log-enabled", "yes"},
    {"crash-memcheck-enabled", "yes"},
    {"dynamic-hz", "yes"},
    {"rdb-del-sync-files", "no"},
    {"rdb-save-incremental-fsync", "yes"},
    {"repl-disable-tcp-nodelay", "no"},
    {"repl-diskless-sync", "yes"},
    {"replica-announced", "yes"},
    {"replica-ignore-disk-write-errors", "no"},
    {"replica-ignore-maxmemory", "yes"},
    {"replica-lazy-flush", "no"},
    {"slave-ignore-maxmemory", "yes", "replica-ignore-maxmemory"},
    {"slave-lazy-flush", "no", "replica-lazy-flush"},
    {"slave-serve-stale-data", "yes", "replica-serve-stale-data"},
};
inline constexpr number_row number_rows[] = {
    {"timeout", 0, 0, int_max},
    {"tcp-keepalive", 300, 0, int_max},
    {"maxclients", 10000, 1, uint_max},
    {"maxmemory-samples", 5, 1, int_max},
    {"hz", 10, 0, int_max},
    {"busy-reply-threshold", 5000, 0, int64_max},
    {"lua-time-limit", 5000, 0, int64_max, "busy-reply-threshold"},
    {"slowlog-log-slower-than", 10000, -1, int64_max},
    {"slowlog-max-len", 128, 0, int64_max},
    {"acllog-max-len", 128, 0, int64_max},
    {"latency-monitor-threshold", 0, 0, int64_max},
    {"hash-max-listpack-entries", 512, 0, int64_max},
    {"hash-max-ziplist-entries", 512, 0, int64_max, "hash-max-listpack-entries"},
    {"set-max-intset-entries", 512, 0, int64_max},
    {"stream-node-max-entries", 100, 0, int64_max},
    {"zset-max-listpack-entries", 128, 0, int64_max},
    {"zset-max-ziplist-entries", 128, 0, int64_max, "zset-max-listpack-entries"},
    {"list-max-listpack-size", -2, int_min, int_max},
    {"list-max-ziplist-size", -2, int_min, int_max, "list-max-listpack-size"},
    {"list-compress-depth", 0, 0, int_max},
    {"repl-timeout", 60, 1, int_max},
    {"min-replicas-to-write", 0, 0, int_max},
    {"tracking-table-max-keys", 1000000, 0, int64_max},
    {"active-defrag-cycle-max", 25, 1, 99},
    {"active-defrag-cycle-min", 1, 1, 99},
    {"active-defrag-max-scan-fields", 1000, 1, int64_max},
    {"active-defrag-threshold-lower", 10, 0, 1000},
    {"active-defrag-threshold-upper", 100, 0, 1000},
    {"active-expire-effort", 1, 1, 10},
    {"auto-aof-rewrite-percentage", 100, 0, int_max},
    {"cluster-announce-bus-port", 0, 0, 65535},
    {"cluster-announce-port", 0, 0, 65535},
    {"cluster-announce-tls-port", 0, 0, 65535},
    {"cluster-migration-barrier", 1, 0, int_max},
    {"cluster-node-timeout", 15000, 0, int64_max},
    {"cluster-replica-validity-factor", 10, 0, int_max},
    {"cluster-slave-validity-factor", 10, 0, int_max, "cluster-replica-validity-factor"},
    {"lfu-decay-time", 1, 0, int_max},
    {"lfu-log-factor", 10, 0, int_max},
    {"min-replicas-max-lag", 10, 0, int_max},
    {"min-slaves-max-lag", 10, 0, int_max, "min-replicas-max-lag"},
    {"min-slaves-to-write", 0, 0, int_max, "min-replicas-to-write"},
    {"repl-backlog-ttl", 3600, 0, int64_max},
    {"repl-diskless-sync-delay", 5, 0, int_max},
    {"repl-diskless-sync-max-replicas", 0, 0, int_max},
    {"repl-ping-replica-period", 10, 1, int_max},
    {"repl-ping-slave-period", 10, 1, int_max, "repl-ping-replica-period"},
    {"replica-announce-port", 0, 0, 65535},
    {"replica-priority", 100, 0, int_max},
    {"shutdown-timeout", 10, 0, int_max},
    {"slave-announce-port", 0, 0, 65535, "replica-announce-port"},
    {"slave-priority", 100, 0, int_max, "replica-priority"},
    {"maxmemory-eviction-tenacity", 10, 0, 100},
};
inline constexpr number_row memory_rows[] = {
    {"maxmemory", 0, 0, int64_max},
    {"proto-max-bulk-len", 512LL << 20, 1LL << 20, int64_max},
    {"client-query-buffer-limit", 1LL << 30, 1LL << 20, int64_max},
    {"hash-max-listpack-value", 64, 0, int64_max},
    {"hash-max-ziplist-value", 64, 0, int64_max, "hash-max-listpack-value"},
    {"hll-sparse-max-bytes", 3000, 0, int64_max},
    {"stream-node-max-bytes", 4096, 0, int64_max},
    {"zset-max-listpack-value", 64, 0, int64_max},
    {"zset-max-ziplist-value", 64, 0, int64_max, "zset-max-listpack-value"},
    {"repl-backlog-size", 1LL << 20, 1, int64_max},
    {"active-defrag-ignore-bytes", 104857600, 0, int64_max},
    {"auto-aof-rewrite-min-size", 67108864, 0, int64_max},
    {"cluster-link-sendbuf-limit", 0, 0, int64_max},
};
inline constexpr choice_row choice_rows[] = {
    {"maxmemory-policy",
     "noeviction",
     {"volatile-lru", "volatile-lfu", "volatile-random", "volatile-ttl", "allkeys-lru", "allkeys-lfu",
      "allkeys-random", "noeviction"}},
    {"appendfsync", "everysec", {"everysec", "always", "no"}},
    {"loglevel", "notice", {"debug", "verbose", "notice", "warning"}},
    {"cluster-preferred-endpoint-type", "ip", {"ip", "hostname", "unknown-endpoint"}},
    {"propagation-error-behavior", "ignore", {"ignore", "panic", "panic-on-replicas"}},
    {"repl-diskless-load", "disabled", {"disabled", "on-empty-db", "swapdb"}},
    {"sanitize-dump-payload", "no", {"no", "yes", "clients"}},
};

}  // namespace respkit::config_rows
