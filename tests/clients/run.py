#!/usr/bin/env python3
"""Runs unmodified clients against redis-server and the mock: one script a client, the same on both servers.

A script finds REDIS_HOST and REDIS_PORT, and in REDIS_SERVER and as `redis-server` on its PATH the program, for those
that start one themselves. It prints `FAIL what: expected ..., found ...` for each check that fails,
`SKIP what: why` for what the server does not have, and `checks N` at its end. `./dev clients` starts the servers.
"""
import argparse
import collections
import dataclasses
import datetime
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
BUILD = HERE.parents[1] / "build" / "clients"  # npm's packages and compiled scripts
PAGE = HERE.parents[1] / "docs" / "clients.md"
SERVERS = ("redis-server", "respkit-server")
SECONDS = 30  # a script that takes longer hangs


@dataclasses.dataclass
class Client:
    name: str
    package: str  # the client itself; its version is the client's
    command: list
    needs: str = ""  # more packages, of Debian's
    build: list = None


def npm(name, package, script):
    return Client(name, f"npm:{package}", ["node", script, name], "" if shutil.which("npm") else "nodejs npm")


def compiled(name, package, needs, compiler, source, *libraries):
    return Client(name, package, [BUILD / name], needs, [*compiler, "-o", BUILD / name, HERE / source, *libraries])


CXX = ["g++", "-std=c++20", "-Wall", "-Wextra"]
GO = ["env", "GO111MODULE=off", "GOPATH=/usr/share/gocode", "go", "build"]
CLIENTS = [
    Client("redis-py", "python3-redis", ["/usr/bin/python3", "redis_py.py"]),
    npm("ioredis-5", "ioredis@5", "ioredis.js"),
    npm("ioredis-6", "ioredis@6", "ioredis.js"),
    npm("iovalkey", "iovalkey@0", "ioredis.js"),
    npm("node-redis-4", "redis@4", "node_redis.js"),
    npm("node-redis-5", "redis@5", "node_redis.js"),
    npm("node-redis-6", "redis@6", "node_redis.js"),
    npm("valkey-glide", "@valkey/valkey-glide@2", "valkey_glide.js"),
    Client("phpredis", "php-redis", ["php", "phpredis.php"], "php-cli"),
    Client("predis", "php-predis", ["php", "predis.php"], "php-cli"),
    Client("redis-rb", "ruby-redis", ["ruby", "redis_rb.rb"]),
    Client("perl-redis", "libredis-perl", ["perl", "redis_pm.pl", "Redis"]),
    Client("perl-redis-fast", "libredis-fast-perl", ["perl", "redis_pm.pl", "Redis::Fast"]),
    Client("redis-lua", "lua-redis", ["lua5.1", "redis_lua.lua"], "lua5.1"),
    compiled("redigo", "golang-github-gomodule-redigo-dev", "golang-go", GO, "redigo.go"),
    compiled("hiredis", "libhiredis-dev", "g++", CXX, "hiredis.cpp", "-lhiredis", "-lpthread"),
    compiled("hiredis-async", "libhiredis-dev", "g++ libevent-dev", CXX, "hiredis_async.cpp", "-lhiredis", "-levent"),
    # and launchers, which start the server
    npm("redis-memory-server", "redis-memory-server@0", "redis_memory_server.js"),
    Client("test-redisserver", "libtest-redisserver-perl", ["perl", "test_redisserver.pl"]),
    compiled("tempredis", "golang-github-stvp-tempredis-dev", "golang-go golang-github-gomodule-redigo-dev", GO,
             "tempredis.go"),
    Client("redis-conf", "redis-server", ["/usr/bin/python3", "redis_conf.py"]),
]


def version(client):
    """The installed version; raises LookupError with the reason if the client is not to be had."""
    if client.package.startswith("npm:"):
        manifest = BUILD / "node_modules" / client.name / "package.json"
        if not manifest.exists():
            print(f"installing {client.package}", file=sys.stderr)
            install = ["npm", "install", "--prefix", BUILD, "--no-audit", "--no-fund", "--ignore-scripts",
                       "--fetch-retries=1"]
            made = shutil.which("npm") and subprocess.run([*install, f"{client.name}@{client.package}"],
                                                          capture_output=True, text=True)
            if not made:
                raise LookupError("there is no npm")
            if made.returncode != 0:
                raise LookupError("npm says " + " ".join(re.findall("^npm error (.*)", made.stderr, re.M)[:2]))
        return json.loads(manifest.read_text())["version"]
    installed = {}
    for package in [client.package, *client.needs.split()]:
        query = subprocess.run(["dpkg-query", "-W", "-f", "${db:Status-Status} ${Version}", package],
                               capture_output=True, text=True)
        if not query.stdout.startswith("installed "):
            raise LookupError(f"apt has installed no {package}")
        installed[package] = query.stdout.split()[1]
    return re.sub(r"^\d+:|[-+~].*$", "", installed[client.package])


@dataclasses.dataclass
class Outcome:
    checks: int = 0
    skipped: list = dataclasses.field(default_factory=list)
    problems: list = dataclasses.field(default_factory=list)

    def __str__(self):
        text = f"FAIL, {self.checks} checks" if self.problems else f"ok {self.checks} checks"
        return text + (f", {len(self.skipped)} skipped" if self.skipped else "")


@dataclasses.dataclass
class Server:
    name: str
    port: str
    program: str

    def environment(self):
        """What a script needs to find the server, or to start another."""
        programs = BUILD / "programs" / self.name
        programs.mkdir(parents=True, exist_ok=True)
        link = programs / "redis-server"
        link.unlink(missing_ok=True)
        link.symlink_to(self.program)
        return {"REDIS_HOST": "127.0.0.1", "REDIS_PORT": self.port, "REDIS_SERVER": self.program,
                "PATH": f"{programs}:{os.environ['PATH']}"}


def run(client, server):
    environment = {**os.environ, **server.environment(), "NODE_PATH": str(BUILD / "node_modules")}
    script = subprocess.Popen(client.command, cwd=HERE, env=environment, text=True, errors="replace",
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    outcome = Outcome()
    try:
        out, err = script.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        outcome.problems.append(f"FAIL no end after {SECONDS} seconds")
        os.killpg(script.pid, signal.SIGKILL)
        out, err = script.communicate()
    outcome.problems += re.findall(r"^FAIL .*", out, re.M)
    outcome.skipped = re.findall(r"^SKIP (.*)", out, re.M)
    counted = re.search(r"^checks (\d+)$", out, re.M)
    if counted:
        outcome.checks = int(counted[1])
    if not outcome.problems and (script.returncode != 0 or not outcome.checks):
        outcome.problems.append(f"FAIL exit {script.returncode}: {err.strip() or 'nothing on stderr'}")
    return outcome


def compile_script(client):
    if not client.build:
        return Outcome()
    BUILD.mkdir(parents=True, exist_ok=True)
    made = subprocess.run(client.build, capture_output=True, text=True)
    return Outcome(problems=[f"FAIL does not compile: {made.stderr}"] if made.returncode else [])


def write_page(rows, skipped, redis):
    """Puts the table between the page's marks."""
    lines = [f"{datetime.date.today()}, beside redis-server {redis}:", "",
             "| client | version | redis-server | respkit-server |", "| --- | --- | --- | --- |",
             *(f"| {' | '.join(row)} |" for row in rows), "",
             *(f"Skipped by {count} clients on {server}: {reason}.\n" for (server, reason), count in skipped.items())]
    PAGE.write_text(re.sub(r"(<!-- written by[^\n]*-->\n).*(<!-- end -->)",
                           lambda marks: marks[1] + "\n".join(lines) + marks[2], PAGE.read_text(), flags=re.S))


def server_version(port):
    info = subprocess.run(["redis-cli", "-p", port, "info", "server"], capture_output=True, text=True, check=True)
    return re.search(r"redis_version:(\S+)", info.stdout)[1]


def main():
    parser = argparse.ArgumentParser(description="Runs real clients against redis-server and the mock.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="a client, or the beginning of some: ioredis")
    parser.add_argument("--packages", action="store_true", help="print what apt has to install, a line a client")
    parser.add_argument("--reference", metavar="PORT", help="redis-server's")
    parser.add_argument("--mock", metavar="PORT", help="respkit-server's")
    parser.add_argument("--program", metavar="PATH", help="respkit-server")
    parser.add_argument("--write", action="store_true", help="write the table of docs/clients.md")
    parser.add_argument("--apt", action="store_true", help="those that come from apt, and those that are named")
    chosen = parser.parse_args()
    clients = [c for c in CLIENTS
               if not (chosen.names or chosen.apt) or any(c.name == n or c.name.startswith(n + "-") for n in chosen.names)
               or (chosen.apt and not c.package.startswith("npm:"))]
    if not clients or (chosen.write and (chosen.names or chosen.apt)):
        parser.error("the clients are " + " ".join(c.name for c in CLIENTS) + "; --write takes all of them")
    if chosen.packages:
        for client in clients:
            print(*[client.package][:not client.package.startswith("npm:")], client.needs)
        return 0

    servers = [Server(SERVERS[0], chosen.reference, shutil.which("redis-server")),
               Server(SERVERS[1], chosen.mock, os.path.abspath(chosen.program))]
    rows, skipped, passed, failed, absent = [], collections.Counter(), 0, 0, 0
    for client in clients:
        try:
            found = version(client)
        except LookupError as reason:
            absent += 1
            rows.append((client.name, "", f"not here: {reason}", ""))
            print(f"{client.name:<20}{'':<8}  not here: {reason}", flush=True)
            continue
        outcomes = [compile_script(client)]
        if not outcomes[0].problems:
            outcomes = [run(client, server) for server in servers]
            judge, mock = outcomes
            if judge.checks != mock.checks and not any(o.problems or o.skipped for o in outcomes):
                mock.problems.append(f"FAIL other checks were made: {mock.checks}, not {judge.checks}")
        failed += sum(bool(o.problems) for o in outcomes)
        passed += sum(not o.problems for o in outcomes)
        texts = [str(o) for o in outcomes]
        rows.append((client.name, found, *texts))
        print(f"{client.name:<20}{found:<8}", *(f"{server} {text:<24}" for server, text in zip(SERVERS, texts)),
              sep="  ", flush=True)
        for server, outcome in zip(SERVERS, outcomes):
            for problem in outcome.problems:
                print(f"    {server}: {problem}", flush=True)
            skipped.update((server, reason) for reason in outcome.skipped)
    if chosen.write:
        write_page(rows, skipped, server_version(chosen.reference))
    for (server, reason), count in skipped.items():
        print(f"skipped by {count} clients on {server}: {reason}")
    print(f"{passed} passed, {failed} failed, {absent} skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
