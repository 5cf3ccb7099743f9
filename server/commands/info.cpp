// INFO. Fields that clients and tools read hold the truth about this process; what a mock has no such thing
// for (a replication backlog, a save to disk) shows what an idle Redis shows.
#include <cstdio>
#include <fstream>
#include <malloc.h>
#include <string>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <respkit/server/command.hpp>
#include <respkit/server/instance.hpp>

namespace respkit {
namespace {

class section {
public:
    section(std::string& out, std::string_view title) : out_(out) {
        if (!out_.empty()) out_ += "\r\n";
        out_ += "# ";
        out_ += title;
        out_ += "\r\n";
    }
    section& add(std::string_view name, std::string_view value) {
        out_ += name;
        out_ += ':';
        out_ += value;
        out_ += "\r\n";
        return *this;
    }
    section& add(std::string_view name, std::uint64_t value) { return add(name, std::to_string(value)); }
    section& zeros(std::initializer_list<std::string_view> names) {
        for (auto const name : names) add(name, "0");
        return *this;
    }

private:
    std::string& out_;
};

std::string seconds(timeval t) {
    char text[32];
    std::snprintf(text, sizeof text, "%lld.%06ld", static_cast<long long>(t.tv_sec),
                  static_cast<long>(t.tv_usec));
    return text;
}

std::string human(std::uint64_t bytes) {
    constexpr char units[] = {'K', 'M', 'G', 'T'};
    if (bytes < 1024) return std::to_string(bytes) + "B";
    double value = static_cast<double>(bytes) / 1024;
    std::size_t unit = 0;
    for (; value >= 1024 && unit + 1 < std::size(units); ++unit) value /= 1024;
    char text[32];
    std::snprintf(text, sizeof text, "%.2f%c", value, units[unit]);
    return text;
}

std::string ratio(std::uint64_t a, std::uint64_t b) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2f", b ? static_cast<double>(a) / static_cast<double>(b) : 0.0);
    return text;
}

std::uint64_t resident_bytes() {
    std::uint64_t total = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> total >> resident;
    return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

void server(call& c, std::string& out) {
    auto const& s = c.server;
    utsname machine{};
    uname(&machine);
    auto const uptime =
        static_cast<std::uint64_t>(std::max<std::int64_t>(s.now_us - s.started_us, 0)) / 1000000;
    section(out, "Server")
        .add("redis_version", s.version())
        .add("redis_git_sha1", "00000000")
        .add("redis_git_dirty", "0")
        .add("redis_build_id", "0")
        .add("redis_mode", "standalone")
        .add("os", std::string(machine.sysname) + ' ' + machine.release + ' ' + machine.machine)
        .add("arch_bits", "64")
        .add("monotonic_clock", "POSIX clock_gettime")
        .add("multiplexing_api", "epoll")
        .add("atomicvar_api", "c11-builtin")
        .add("gcc_version", __VERSION__)
        .add("process_id", static_cast<std::uint64_t>(getpid()))
        .add("process_supervised", "no")
        .add("run_id", s.run_id)
        .add("tcp_port", s.config.get("port"))
        .add("server_time_usec", static_cast<std::uint64_t>(s.now_us))
        .add("uptime_in_seconds", uptime)
        .add("uptime_in_days", uptime / 86400)
        .add("hz", "10")
        .add("configured_hz", "10")
        .add("lru_clock", static_cast<std::uint64_t>(s.now_us / 1000000) & 0xffffff)
        .add("executable", "respkit-server")
        .add("config_file", "")
        .add("io_threads_active", "0");
}

void clients(call& c, std::string& out) {
    section(out, "Clients")
        .add("connected_clients", c.server.sessions.size())
        .add("cluster_connections", "0")
        .add("maxclients", c.server.options.max_clients)
        .zeros({"client_recent_max_input_buffer", "client_recent_max_output_buffer"})
        .add("blocked_clients", c.server.waiting.size() + c.server.paused.size())
        .add("tracking_clients", c.server.caches.clients())
        .add("clients_in_timeout_table", c.server.waiting.timeouts());
}

void memory(call& c, std::string& out) {
    auto const heap = mallinfo2();
    std::uint64_t const used = heap.uordblks + heap.hblkhd;
    auto const rss = resident_bytes();
    auto const total = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                       static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    section(out, "Memory")
        .add("used_memory", used)
        .add("used_memory_human", human(used))
        .add("used_memory_rss", rss)
        .add("used_memory_rss_human", human(rss))
        .add("total_system_memory", total)
        .add("total_system_memory_human", human(total))
        .zeros({"used_memory_lua", "used_memory_vm_eval", "number_of_functions", "number_of_libraries",
                "used_memory_vm_functions", "used_memory_vm_total", "used_memory_functions"})
        .add("maxmemory", c.server.config.get("maxmemory"))
        .add("maxmemory_human", human(static_cast<std::uint64_t>(c.server.config.number("maxmemory"))))
        .add("maxmemory_policy", c.server.config.get("maxmemory-policy"))
        .add("mem_fragmentation_ratio", ratio(rss, used))
        .add("mem_fragmentation_bytes",
             std::to_string(static_cast<std::int64_t>(rss) - static_cast<std::int64_t>(used)))
        .zeros({"mem_not_counted_for_evict", "mem_replication_backlog", "mem_total_replication_buffers",
                "mem_clients_slaves", "mem_cluster_links", "mem_aof_buffer"})
        .add("mem_allocator", "libc")
        .zeros({"active_defrag_running", "lazyfree_pending_objects", "lazyfreed_objects"});
}

void persistence(call& c, std::string& out) {
    section(out, "Persistence")
        .zeros({"loading", "async_loading", "current_cow_peak", "current_cow_size", "current_cow_size_age"})
        .add("current_fork_perc", "0.00")
        .zeros({"current_save_keys_processed", "current_save_keys_total"})
        .add("rdb_changes_since_last_save", c.server.shared.changes)
        .add("rdb_bgsave_in_progress", "0")
        .add("rdb_last_save_time", static_cast<std::uint64_t>(c.server.saved_us / 1000000))
        .add("rdb_last_bgsave_status", "ok")
        .add("rdb_last_bgsave_time_sec", "-1")
        .add("rdb_current_bgsave_time_sec", "-1")
        .zeros({"rdb_saves", "rdb_last_cow_size", "rdb_last_load_keys_expired", "rdb_last_load_keys_loaded",
                "aof_enabled", "aof_rewrite_in_progress", "aof_rewrite_scheduled"})
        .add("aof_last_rewrite_time_sec", "-1")
        .add("aof_current_rewrite_time_sec", "-1")
        .add("aof_last_bgrewrite_status", "ok")
        .zeros({"aof_rewrites", "aof_rewrites_consecutive_failures"})
        .add("aof_last_write_status", "ok")
        .zeros({"aof_last_cow_size", "module_fork_in_progress", "module_fork_last_cow_size"});
}

void stats(call& c, std::string& out) {
    auto const& n = c.server.counts;
    section(out, "Stats")
        .add("total_connections_received", n.connections)
        .add("total_commands_processed", n.commands)
        .add("total_net_input_bytes", n.bytes_in)
        .add("total_net_output_bytes", n.bytes_out)
        .zeros({"total_net_repl_input_bytes", "total_net_repl_output_bytes"})
        .add("instantaneous_input_repl_kbps", "0.00")
        .add("instantaneous_output_repl_kbps", "0.00")
        .add("rejected_connections", n.rejected_connections)
        .zeros({"sync_full", "sync_partial_ok", "sync_partial_err"})
        .add("expired_keys", n.expired_keys)
        .add("expired_stale_perc", "0.00")
        .zeros({"expired_time_cap_reached_count", "evicted_keys", "evicted_clients",
                "total_eviction_exceeded_time", "current_eviction_exceeded_time"})
        .add("keyspace_hits", n.keyspace_hits)
        .add("keyspace_misses", n.keyspace_misses)
        .add("pubsub_channels", c.server.channels.of(topic::channel).size())
        .add("pubsub_patterns", c.server.channels.of(topic::pattern).size())
        .add("pubsubshard_channels", c.server.channels.of(topic::shard_channel).size())
        .zeros({"latest_fork_usec", "total_forks", "migrate_cached_sockets", "slave_expires_tracked_keys",
                "active_defrag_hits", "active_defrag_misses", "active_defrag_key_hits",
                "active_defrag_key_misses", "total_active_defrag_time", "current_active_defrag_time"})
        .add("tracking_total_keys", c.server.caches.keys())
        .add("tracking_total_items", c.server.caches.items())
        .add("tracking_total_prefixes", c.server.caches.prefixes())
        .zeros({"unexpected_error_replies"})
        .add("total_error_replies", n.errors)
        .add("dump_payload_sanitizations", "0")
        .add("total_reads_processed", n.reads)
        .add("total_writes_processed", n.writes)
        .zeros({"io_threaded_reads_processed", "io_threaded_writes_processed", "reply_buffer_shrinks",
                "reply_buffer_expands"});
}

void replication(call& c, std::string& out) {
    section(out, "Replication")
        .add("role", "master")
        .add("connected_slaves", "0")
        .add("master_failover_state", "no-failover")
        .add("master_replid", c.server.run_id)
        .add("master_replid2", std::string(40, '0'))
        .add("master_repl_offset", "0")
        .add("second_repl_offset", "-1")
        .add("repl_backlog_active", "0")
        .add("repl_backlog_size", c.server.config.get("repl-backlog-size"))
        .zeros({"repl_backlog_first_byte_offset", "repl_backlog_histlen"});
}

// Commands run on the server's one thread, so "main thread" is whoever asks.
void cpu(call&, std::string& out) {
    rusage process{}, thread{};
    getrusage(RUSAGE_SELF, &process);
    getrusage(RUSAGE_THREAD, &thread);
    section(out, "CPU")
        .add("used_cpu_sys", seconds(process.ru_stime))
        .add("used_cpu_user", seconds(process.ru_utime))
        .add("used_cpu_sys_children", "0.000000")
        .add("used_cpu_user_children", "0.000000")
        .add("used_cpu_sys_main_thread", seconds(thread.ru_stime))
        .add("used_cpu_user_main_thread", seconds(thread.ru_utime));
}

void modules(call&, std::string& out) { section(out, "Modules"); }

// Times are those of samples, the first command of each batch.
void command_line(call& c, section& out, command const& row) {
    auto const& n = c.server.by_command[row.number];
    if (!n.calls && !n.rejected) return;
    double const each =
        n.sampled ? static_cast<double>(n.time.count()) / 1000 / static_cast<double>(n.sampled) : 0;
    char text[160];
    std::snprintf(text, sizeof text,
                  "calls=%llu,usec=%.0f,usec_per_call=%.2f,rejected_calls=%llu,failed_calls=%llu",
                  static_cast<unsigned long long>(n.calls), each * static_cast<double>(n.calls), each,
                  static_cast<unsigned long long>(n.rejected), static_cast<unsigned long long>(n.failed));
    out.add("cmdstat_" + full_name(row), text);
}

void commandstats(call& c, std::string& out) {
    section s(out, "Commandstats");
    for (auto const* row : c.server.commands.all()) {
        command_line(c, s, *row);
        for (auto const& sub : row->subcommands) command_line(c, s, sub);
    }
}

void errorstats(call& c, std::string& out) {
    section s(out, "Errorstats");
    for (auto const& [code, n] : c.server.error_counts)
        s.add("errorstat_" + code, "count=" + std::to_string(n));
}

void cluster(call&, std::string& out) { section(out, "Cluster").add("cluster_enabled", "0"); }

void keyspaces(call& c, std::string& out) {
    section s(out, "Keyspace");
    for (std::size_t i = 0; i < c.server.databases.size(); ++i) {
        auto const& db = *c.server.databases[i];
        if (db.size() == 0) continue;
        s.add("db" + std::to_string(i), "keys=" + std::to_string(db.size()) +
                                            ",expires=" + std::to_string(db.expiring()) +
                                            ",avg_ttl=" + std::to_string(db.average_time_to_live()));
    }
}

// Ours; shown only when named.
void respkit_section(call& c, std::string& out) {
    auto const& n = c.server.counts;
    char text[32];
    std::snprintf(text, sizeof text, "%.2f",
                  n.reads ? static_cast<double>(n.commands) / static_cast<double>(n.reads) : 0.0);
    section(out, "respkit").add("respkit_version", RESPKIT_VERSION).add("commands_per_read", text);
}

struct row {
    std::string_view name;
    void (*write)(call&, std::string&);
    enum { by_default, in_all, if_named } shown = by_default;
};

constexpr row sections[] = {
    {"server", server},
    {"clients", clients},
    {"memory", memory},
    {"persistence", persistence},
    {"stats", stats},
    {"replication", replication},
    {"cpu", cpu},
    {"modules", modules},
    {"commandstats", commandstats, row::in_all},
    {"errorstats", errorstats},
    {"cluster", cluster},
    {"keyspace", keyspaces},
    {"respkit", respkit_section, row::if_named},
};

// INFO [section ...]
void info(call& c) {
    auto const asked = [&](row const& s) {
        if (c.size() == 1) return s.shown == row::by_default;
        for (auto const word : c.words.subspan(1)) {
            if (is_word(word, s.name)) return true;
            if (s.shown == row::by_default && is_word(word, "default")) return true;
            if (s.shown != row::if_named && (is_word(word, "all") || is_word(word, "everything")))
                return true;
        }
        return false;
    };
    std::string out;
    for (auto const& s : sections)
        if (asked(s)) s.write(c, out);
    c.reply.verbatim("txt", out);
}

constexpr command rows[] = {
    {.name = "info",
     .arity = -1,
     .flags = flag::loading | flag::stale,
     .categories = category::dangerous,
     .run = info,
     .tips = {"nondeterministic_output", "request_policy:all_shards", "response_policy:special"},
     .since = "1.0.0",
     .group = "server",
     .summary = "Describes the server's state"},
};

}  // namespace

std::span<command const> info_commands() { return rows; }

}  // namespace respkit
