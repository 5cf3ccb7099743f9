#!/bin/bash
# The programs that people already have, against respkit-server; and respkit-bench against both servers.
# Run from the repository's root after a release build. Prints one line a check; ends at the first failure.
set -euo pipefail

bin=build/release/bin
work=$(mktemp -d)
servers=
trap 'kill $servers 2>/dev/null || true; rm -rf "$work"' EXIT

# A server's first line comes once it listens: reading it is waiting for it.
exec 3< <(exec "$bin/respkit-server" --port 0 --port-file "$work/port")
server=$!
read -r ready <&3
exec 4< <(exec "$bin/respkit-server" --port 0 --unixsocket "$work/socket")
servers="$server $!"
read -r ready_unix <&4
port=${ready##*:}
passed=0

fail() {
    printf 'FAIL  %s\n' "$1"
    [ -z "${2:-}" ] || cat "$2"
    exit 1
}
ok() {
    passed=$((passed + 1))
    printf 'ok    %s\n' "$1"
}

# quiet NAME PATTERN COMMAND...: succeeds, says nothing that looks like trouble, and says PATTERN.
quiet() {
    local name=$1 pattern=$2
    shift 2
    "$@" </dev/null >"$work/out" 2>&1 || fail "$name: exit $?" "$work/out"
    ! grep -aiE 'error|warning|could not|err ' "$work/out" || fail "$name: complains" "$work/out"
    tr '\r' '\n' <"$work/out" | grep -aqE "$pattern" || fail "$name: no line like $pattern" "$work/out"
    ok "$name"
}

[ "$ready" = "respkit-server ready: 127.0.0.1:$(cat "$work/port")" ] || fail "ready line: $ready"
[ "$ready_unix" = "respkit-server ready: unix:$work/socket" ] || fail "ready line: $ready_unix"
ok "ready lines and --port-file"

rb="redis-benchmark -p $port -n 2000"
quiet "redis-benchmark, default suite" 'MSET \(10 keys\): .* requests per second' $rb -q
quiet "redis-benchmark -P 16 -r 10000" 'LRANGE_600' $rb -q -P 16 -r 10000
quiet "redis-benchmark -3 -P 4" 'ZPOPMIN' $rb -q -3 -P 4
quiet "redis-benchmark --threads 2" 'SPOP' $rb -q --threads 2
quiet "redis-benchmark --csv" '^"MSET \(10 keys\)","[0-9.]+"' $rb --csv
quiet "redis-benchmark -s" 'SET: ' redis-benchmark -s "$work/socket" -n 2000 -q -t set,get

cli="redis-cli -p $port"
quiet "redis-cli command" '^PONG$' $cli ping
quiet "redis-cli -3" '^1#|proto' $cli -3 hello 3
printf 'set smoke:a 1\nincr smoke:a\nget smoke:a\n' | $cli >"$work/out" 2>&1
[ "$(tail -1 "$work/out")" = 2 ] && ok "redis-cli from stdin" || fail "redis-cli from stdin" "$work/out"
for i in $(seq 1000); do printf 'SET smoke:%d %d\r\n' "$i" "$i"; done | $cli --pipe >"$work/out" 2>&1
grep -q 'errors: 0, replies: 1000' "$work/out" && ok "redis-cli --pipe" || fail "redis-cli --pipe" "$work/out"
quiet "redis-cli --scan" 'smoke:1000' $cli --scan --pattern 'smoke:1*'
quiet "redis-cli --bigkeys" 'Biggest' $cli --bigkeys

# respkit-bench prints what redis-benchmark prints: 20 lines, nothing else.
"$bin/respkit-bench" -n 2000 -q >"$work/out" 2>"$work/err" || fail "respkit-bench -q: exit $?" "$work/err"
[ "$(grep -cE '^[^:]+: [0-9.]+ requests per second, p50=[0-9.]+ msec$' "$work/out")" = 20 ] &&
    [ "$(wc -l <"$work/out")" = 20 ] && ok "respkit-bench -q, embedded" || fail "respkit-bench -q" "$work/out"
"$bin/respkit-bench" -p "$port" -n 2000 --csv >"$work/ours" 2>/dev/null || fail "respkit-bench --csv: exit $?"
redis-benchmark -p "$port" -n 2000 --csv >"$work/theirs" 2>/dev/null
cmp -s <(cut -d, -f1 "$work/ours") <(cut -d, -f1 "$work/theirs") && cmp -s <(head -1 "$work/ours") <(head -1 "$work/theirs") &&
    ok "respkit-bench --csv: header and titles are redis-benchmark's" || fail "titles differ" "$work/ours"
"$bin/respkit-bench" -s "$work/socket" -n 5003 -P 16 -t set -q >/dev/null 2>&1 || fail "respkit-bench -s"
sets=$(redis-cli -s "$work/socket" info stats | tr -d '\r' | sed -n 's/^total_commands_processed://p')
[ "$sets" -gt 5503 ] && ok "respkit-bench over a unix socket" || fail "respkit-bench -s: $sets commands"

for words in "-q -t ping" "--csv -t set" "-t get" --help --version; do
    code=0
    # shellcheck disable=SC2086  # a list of words
    "$bin/respkit-bench" -n 2000 $words >&- 2>"$work/err" || code=$?
    [ $code = 1 ] && grep -q 'cannot write the results to stdout' "$work/err" || fail "$words and stdout closed: exit $code" "$work/err"
done
ok "respkit-bench whose stdout is closed"

code=0
"$bin/respkit-server" --port "$port" >"$work/out" 2>&1 || code=$?
[ $code = 2 ] && grep -q "$port" "$work/out" && ok "a taken port is one line and exit 2" || fail "taken port" "$work/out"
[ "$("$bin/respkit-server" -- sh -c "redis-cli -p {port} set k v >/dev/null; redis-cli -u \$REDIS_URL get k; exit 7" || echo "$?")" = "v
7" ] && ok "respkit-server -- COMMAND" || fail "respkit-server -- COMMAND"
"$bin/respkit-server" -- sh -c 'kill -TERM $PPID; sleep 5' && fail "SIGTERM is not forwarded" || code=$?
[ "$code" = 143 ] && ok "signals reach the command" || fail "signals reach the command: exit $code"
printf '%d passed, 0 failed\n' "$passed"
