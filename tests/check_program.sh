#!/bin/sh
# respkit-check as a program: what it prints where, and its exit codes. Run beside a server, of which
# REDIS_HOST and REDIS_PORT tell:  respkit-server -- check_program.sh respkit-check SCRATCH
set -u
check=$1
scratch=$2
target="$REDIS_HOST:$REDIS_PORT"
rm -rf "$scratch"
mkdir -p "$scratch/cases"
trap 'rm -rf "$scratch"' EXIT
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

printf 'case  x/right\n> GET k\n< (nil)\n\ncase  x/wrong\n> GET k\n< "v"\n' >"$scratch/cases/x.rt"
mine="--fixtures $scratch/cases"

expect 0 'protocol/spec/map' "$check" --list
expect 0 '19 passed' "$check" "$target" protocol/spec
expect 0 'conforms to L5' "$check" "$target" --only protocol/limits --jobs 1
expect 0 'no level was checked whole' "$check" "$target" --only protocol/spec --skip protocol/spec/m
expect 0 '127.0.0.1:6379' "$check" --help
expect 0 'run   *x/right' "$check" "$target" $mine --dry-run
expect 1 'FAIL  x/wrong' "$check" "$target" $mine
expect 1 'again     respkit-check' "$check" "$target" $mine x/wrong
expect 0 '1 passed' "$check" "$target" $mine x/right
expect 2 'no case has such an id' "$check" "$target" $mine y
expect 2 'see --help' "$check" --nonsense
expect 2 'see --help' "$check" "$target" --jobs 0
expect 2 'see --help' "$check" "$target" --tap --json
expect 2 'cannot connect' "$check" 127.0.0.1:1
expect 2 'cannot be written' "$check" "$target" $mine --junit "$scratch/no/such/folder.xml"
expect 1 '^not ok 2 - x/wrong' "$check" "$target" $mine --tap
expect 1 '"outcome":"failed"' "$check" "$target" $mine --json
expect 1 'FAIL' "$check" "$target" $mine --junit "$scratch/j.xml" --markdown "$scratch/m.md"
expect 0 '<testcase classname="x" name="wrong" file="x.rt" line="5"' cat "$scratch/j.xml"
expect 0 '| x | 1 | 1 | 0 |' cat "$scratch/m.md"

# Standard output is closed: its number must not become the connection's.
for words in --list --help "$target protocol/spec" "$target --dry-run protocol/spec" "record $target"; do
    # shellcheck disable=SC2086  # lists of words
    expect 1 'standard output cannot be written' sh -c 'echo "SET k v" | "$0" "$@" >&-' "$check" $words
done

printf 'SET k "a b"\n# kept\n\n>> "GET k\\r\\n"\n' | "$check" record "$target" >"$scratch/recorded" ||
    { echo "FAILED: record"; failed=1; }
expect 0 '< "a b"' cat "$scratch/recorded"
expect 0 '# kept' cat "$scratch/recorded"
printf 'PING\n>> GET\n' >"$scratch/commands"
expect 2 'standard input:2:' sh -c '"$1" record "$2" <"$3"' sh "$check" "$target" "$scratch/commands"
expect 0 '' "$check" $mine record "$target" "$scratch/cases/x.rt"
expect 0 '2 passed' "$check" "$target" $mine
printf 'case  x/a\n>   GET   k\n<< "$-1\\r\\n"\n' >"$scratch/cases/x.rt"
expect 0 '' "$check" $mine format --printed "$scratch/cases/x.rt"
expect 0 '^< (nil)$' cat "$scratch/cases/x.rt"
printf 'case  x/a\n> GET k\n< [1 2]\n' >"$scratch/cases/x.rt"
expect 2 'x.rt:3:6: .,. or a closing bracket is due' "$check" "$target" $mine

exit $failed
