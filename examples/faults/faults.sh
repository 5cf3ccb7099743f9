#!/bin/sh
# The same with redis-cli alone:
#
#     respkit-server -- sh examples/faults/faults.sh
set -eu
cli() { redis-cli -h "$REDIS_HOST" -p "$REDIS_PORT" "$@"; }

# The code under test: a read that waits out a server that is still loading.
fetch() {
    for try in 1 2 3; do
        reply=$(cli get "$1" 2>&1)
        case $reply in LOADING*) ;; *) echo "$reply"; return ;; esac
    done
    return 1
}

cli set greeting hello >/dev/null
cli respkit rule add on get times 2 error "LOADING Redis is loading the dataset in memory" >/dev/null
[ "$(fetch greeting)" = hello ]

cli respkit rule add on get times 1 prefix 4 reset >/dev/null
cli get greeting 2>&1 | grep -q 'reset\|closed'
[ "$(fetch greeting)" = hello ]

cli respkit rule add on get times 1 noreply >/dev/null
if timeout 0.3 redis-cli -h "$REDIS_HOST" -p "$REDIS_PORT" get greeting; then
    echo "a reply came out of a black hole" >&2
    exit 1
fi
echo "faults.sh: retried on LOADING, survived a reset, timed out on a black hole"
