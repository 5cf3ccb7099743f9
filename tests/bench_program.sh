#!/bin/sh
# respkit-bench's suites and drivers as a program: what is printed, and exit codes. Run beside a server, of which
# REDIS_PORT tells:  respkit-server -- bench_program.sh respkit-bench SCRATCH
set -u
bench=$1
scratch=$2
rm -rf "$scratch"
mkdir -p "$scratch"
trap 'rm -rf "$scratch"' EXIT
export LC_ALL=C.UTF-8
failed=0

# expect CODE TEXT COMMAND...: the exit code, and a text in what is printed ("" for none).
expect() {
    code=$1
    text=$2
    shift 2
    "$@" >"$scratch/out" 2>&1 </dev/null
    got=$?
    if [ $got -ne "$code" ] || { [ -n "$text" ] && ! grep -q -- "$text" "$scratch/out"; }; then
        echo "FAILED: $* (exit $got, wanted $code and '$text')"
        head -20 "$scratch/out"
        failed=1
    fi
}
# count NUMBER PATTERN: so many lines of the last output look like that.
count() {
    [ "$(grep -cE "$2" "$scratch/out")" = "$1" ] && return
    echo "FAILED: $(grep -cE "$2" "$scratch/out") lines like $2, wanted $1"
    cat "$scratch/out"
    failed=1
}

expect 0 'suite redis' "$bench" suite redis --scale 0.01 --json "$scratch/j" --markdown "$scratch/m"
count 15 '^[^:]+: [0-9]+\.[0-9]{2} requests per second$'
count 1 '^scaled   by 0.01: this is not the published table$'
count 1 '^needs    [0-9.]+ GB .*, about '
expect 0 '"suite":"redis"' cat "$scratch/j"
expect 0 '^| PING_BULK | [0-9.]* | 41649.31 | 40371.42 | 0.97 | same within 5 % |' cat "$scratch/m"

expect 0 'left behind at .*key:<12 digits below 2,000>' "$bench" suite jedis --scale 0.002 -p "$REDIS_PORT" --cold
count 36 '^[xo] / [xo] +\| +[12]0 \| +[12]000 \| +1000 \|'
count 4 'requests per second +seed '
count 5 '^[a-e]\) '

# The server is a process of its own, and gone afterwards.
expect 0 'respkit-server in a process of its own' "$bench" suite servicestack --scale 0.0001
count 8 '^[0-9,]+ records \([0-9]+ (thread|caller)s?\) - 00:00:[0-9.]+ \(Server RAM - [0-9,]+ K; Client RAM - [0-9,]+ K\)$'
count 5 '^Inserted [0-9]+ data items with degree of parallelism 32\. Elapsed time: 00:00:[0-9]{2}\.[0-9]{7}'
# A server that is there already keeps what it had, and none of the records.
before=$("$bench" -q -n 1 -p "$REDIS_PORT" DBSIZE 2>/dev/null | wc -l)
expect 0 'Test #4' "$bench" suite servicestack --scale 0.0001 -p "$REDIS_PORT"
[ "$before" = 1 ] || { echo "FAILED: DBSIZE"; failed=1; }

expect 0 'MSET' "$bench" --driver memory -n 1000 -q
count 20 'requests per second, p50='
expect 0 'MSET' "$bench" --driver hiredis -n 1000 -c 4 -q
count 20 'requests per second, p50='

expect 2 'cannot connect to 127.0.0.1:1: .*is a server running there' "$bench" suite jedis -p 1
expect 2 'needs [0-9,]* MB of memory, and [0-9,]* MB are free' "$bench" suite servicestack --scale 1000
expect 2 'cannot write .*(--markdown)' "$bench" suite redis --scale 0.01 --markdown "$scratch/no/such"

# Interrupted, it prints what there is.
"$bench" suite jedis >"$scratch/out" 2>&1 </dev/null &
bench_process=$!
until grep -q '^1. CPU info' "$scratch/out" || ! kill -0 $bench_process; do :; done
kill -INT $bench_process
wait $bench_process
[ $? = 1 ] || { echo "FAILED: exit code after SIGINT"; failed=1; }
count 1 '^partial  [0-9]+ of 40 lines of the table'
exit $failed
