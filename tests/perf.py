#!/usr/bin/env python3
"""CPU per operation, as ratios taken in one interleaved run: respkit-server to redis-server, respkit-bench to
redis-benchmark. Servers on the first core, load on the last. Prints Markdown.

    tests/perf.py [--rounds 5] [--tests set,get]
"""
import argparse
import json
import os
import resource
import socket
import statistics
import subprocess
import tempfile
import time

BIN = "build/release/bin/"
LAST = str(os.cpu_count() - 1)
LOADS = ((1, 100_000), (16, 800_000), (64, 1_600_000))


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def start(words, port):
    process = subprocess.Popen(["taskset", "-c", "0", *words, "--port", str(port)], stdout=subprocess.DEVNULL)
    for _ in range(100):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return process
        except ConnectionRefusedError:
            time.sleep(0.05)
    raise SystemExit(f"{words[0]} did not start")


def process_cpu(pid):
    """Nanoseconds, all threads: the clock that clock_getcpuclockid() names for a process."""
    return time.clock_gettime_ns((~pid << 3) | 2)


def children_cpu():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1e9 * (used.ru_utime + used.ru_stime)


def load(words):
    before = children_cpu()
    done = subprocess.run(["taskset", "-c", LAST, *words], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(words)}: {done.stderr.strip()}")
    return children_cpu() - before


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--tests", default="set,get")
    o = options.parse_args()

    folder = tempfile.mkdtemp()
    report = os.path.join(folder, "run.json")
    ports = {"redis": free_port(), "respkit": free_port()}
    servers = {
        "redis": start(["redis-server", "--save", "", "--dir", folder], ports["redis"]),
        "respkit": start([BIN + "respkit-server", "--quiet"], ports["respkit"]),
    }
    try:
        print("| load | redis ns/op | respkit ns/op | server ratio | redis-benchmark ns/op | respkit-bench ns/op | bench ratio |")
        print("| --- | --- | --- | --- | --- | --- | --- |")
        for test in o.tests.split(","):
            for depth, n in LOADS:
                common = ["-t", test, "-n", str(n), "-P", str(depth), "-c", "50", "-r", "100000", "-q"]
                server = {"redis": [], "respkit": []}
                client = {"theirs": [], "ours": []}
                for _ in range(o.rounds):
                    for name, port in ports.items():
                        before = process_cpu(servers[name].pid)
                        theirs = load(["redis-benchmark", "-p", str(port), *common])
                        server[name].append((process_cpu(servers[name].pid) - before) / n)
                        load([BIN + "respkit-bench", "-p", str(port), *common, "--json", report])
                        client["theirs"].append(theirs / n)
                        with open(report) as file:
                            client["ours"].append(json.load(file)["tests"][0]["cpu_ns_per_op"]["client"])
                ratio = lambda a, b: statistics.median(x / y for x, y in zip(a, b))
                middle = statistics.median
                print(f"| {test.upper()}, pipeline {depth} | {middle(server['redis']):,.0f} | {middle(server['respkit']):,.0f} | "
                      f"{ratio(server['respkit'], server['redis']):.2f} | {middle(client['theirs']):,.0f} | "
                      f"{middle(client['ours']):,.0f} | {ratio(client['ours'], client['theirs']):.2f} |", flush=True)
    finally:
        for process in servers.values():
            process.terminate()
            process.wait()


if __name__ == "__main__":
    main()
