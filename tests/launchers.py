#!/usr/bin/env python3
"""What launchers of redis-server do, done to respkit-server: their words, config, and what they wait for.

    tests/launchers.py respkit-server

A row is what one launcher of one project runs, as its source has it; ./dev clients runs those that can be installed
as they are. Prints a line for each that fails; the exit code is their number.
"""
import dataclasses
import os
import pathlib
import re
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import time

SECONDS = 20  # for anything to happen


@dataclasses.dataclass
class Launcher:
    name: str
    words: str  # a line a word; {port}, {dir} and {socket} are filled in
    wait: str = "connects"  # to the port; or stdout, or the file of that name, has `ready`
    ready: str = ""
    config: str = None  # a file {dir}/redis.conf, or what is written to standard input
    version: tuple = ()  # the word that asks for the version, and how it is found in the answer
    asks: tuple = ()  # what it asks as soon as it is connected, and the reply; unix socket first if there is one
    end: int = signal.SIGTERM
    code: int = 0


READY = r"[Rr]eady to accept connections"
ON_PORT = "The server is now ready to accept connections on port"
LAUNCHERS = [
    # redis-rs: redis-test/src/server.rs
    Launcher("redis-rs, tcp",
             "--save\n\n--logfile\n{dir}/redis.log\n--enable-debug-command\nyes\n--port\n{port}\n--bind\n127.0.0.1",
             version=("-v", r" v=(\d+)\."), end=signal.SIGKILL, code=-signal.SIGKILL),
    Launcher("redis-rs, unix",
             "--save\n\n--logfile\n{dir}/redis.log\n--enable-debug-command\nyes\n--port\n0\n--unixsocket\n{socket}",
             wait="redis.log", ready=READY, version=("-v", r" v=(\d+)\."), end=signal.SIGKILL, code=-signal.SIGKILL),
    # pytest-redis: pytest_redis/executor/process.py
    Launcher("pytest-redis",
             "--daemonize\nno\n--rdbcompression\nyes\n--rdbchecksum\nno\n--appendonly\nno\n--databases\n8\n--timeout\n0\n"
             "--pidfile\n{dir}/redis-server.pid\n--unixsocket\n{socket}\n--dbfilename\ndump.rdb\n--logfile\n{dir}/redis.log\n"
             "--loglevel\nnotice\n--syslog-enabled\nno\n--bind\n127.0.0.1\n--port\n{port}\n--dir\n{dir}",
             version=("--version", r"(\d+(?:\.\d+)+)"),
             asks=(("CONFIG GET databases", "*2\r\n$9\r\ndatabases\r\n$1\r\n8\r\n"),)),
    Launcher("pytest-redis, with a password and save",
             "--daemonize\nno\n--rdbcompression\nno\n--rdbchecksum\nno\n--appendonly\nno\n--databases\n16\n--timeout\n60\n"
             "--pidfile\n{dir}/redis-server.pid\n--unixsocket\n{socket}\n--dbfilename\ndump.rdb\n--logfile\n{dir}/redis.log\n"
             "--loglevel\nverbose\n--syslog-enabled\nno\n--bind\n127.0.0.1\n--port\n{port}\n--dir\n{dir}\n"
             "--requirepass\nsecret\n--save 900 1 300 10",
             wait="redis.log", ready=READY, version=("--version", r"(\d+(?:\.\d+)+)"),
             asks=(("AUTH secret", "+OK\r\n"),
                   ("CONFIG GET save", "*2\r\n$4\r\nsave\r\n$12\r\n900 1 300 10\r\n"))),
    # embedded-redis: RedisServer.java, RedisServerBuilder.java, AbstractRedisInstance.java
    Launcher("embedded-redis", "--port\n{port}", wait="stdout", ready=ON_PORT),
    Launcher("embedded-redis on aarch64", "--port\n{port}", wait="stdout", ready="Server initialized"),
    Launcher("embedded-redis with settings, a replica", "{dir}/redis.conf\n--port\n{port}\n--slaveof\nlocalhost\n6379",
             wait="stdout", ready=ON_PORT,
             config="daemonize no\nappendonly no\nmaxmemory 128M\nbind 127.0.0.1\n",
             asks=(("CONFIG GET maxmemory", "*2\r\n$9\r\nmaxmemory\r\n$9\r\n128000000\r\n"),)),
    # redis-memory-server: RedisInstance.ts
    Launcher("redis-memory-server", "--save\n\n--appendonly\nno\n--bind\n127.0.0.1\n--port\n{port}", wait="stdout",
             ready=f"(?i){READY}", end=signal.SIGINT),
    # Test::RedisServer: RedisServer.pm; stdout goes to a file that it reads
    Launcher("Test::RedisServer", "{dir}/redis.conf", wait="stdout", ready=READY,
             config="dir {dir}/\nport 0\nunixsocket {socket}\n",
             asks=(("CONFIG SET appendonly no", "+OK\r\n"), ("CONFIG SET save ''", "+OK\r\n"))),
    # tempredis: tempredis.go
    Launcher("tempredis", "-", wait="stdout", ready="The server is now ready to accept connections",
             config="databases 3\nsave \"\"\nunixsocket {socket}\nport 0\n",
             asks=(("CONFIG GET databases", "*2\r\n$9\r\ndatabases\r\n$1\r\n3\r\n"),)),
]


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def until(what, found):
    """found(), once it is true."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        if result := found():
            return result
        time.sleep(0.01)  # as launchers do
    raise AssertionError(f"{what}: not in {SECONDS} s")


def connect(place):
    try:
        if "/" not in place:
            return socket.create_connection(("127.0.0.1", int(place)), SECONDS)
        link = socket.socket(socket.AF_UNIX)
        link.settimeout(SECONDS)
        link.connect(place)
        return link
    except OSError:
        return None


def has(file, pattern):
    return file.exists() and re.search(pattern, file.read_text())


def read_until(stream, pattern):
    """Reads stdout as a launcher does, line by line, and then closes it as embedded-redis does."""
    with selectors.DefaultSelector() as selector:
        selector.register(stream, selectors.EVENT_READ)
        text = b""
        while not re.search(pattern, text.decode()):
            assert selector.select(SECONDS), f"stdout has no {pattern} but {text}"
            more = os.read(stream.fileno(), 4096)
            assert more, f"stdout ended with {text}"
            text += more
    stream.close()


def ask(link, line, expected):
    link.sendall(line.encode() + b"\r\n")
    found = b""
    while len(found) < len(expected):
        more = link.recv(4096)
        assert more, f"{line}: the connection ended behind {found}"
        found += more
    assert found.decode() == expected, f"{line}: expected {expected!r}, found {found!r}"


def launch(program, row, folder):
    where = {"port": str(free_port()), "dir": folder, "socket": f"{folder}/redis.sock"}
    words = row.words.format(**where).split("\n")
    config = row.config and row.config.format(**where)
    if config:
        pathlib.Path(folder, "redis.conf").write_text(config)
    if row.version:
        said = subprocess.run([program, row.version[0]], capture_output=True, text=True, check=True).stdout
        assert re.search(row.version[1], said)[1].startswith("7"), f"{row.version[0]} says {said!r}"
    server = subprocess.Popen([program, *words], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
    try:
        if words[0] == "-":
            server.stdin.write(config.encode())
        server.stdin.close()
        place = where["socket" if "{socket}" in row.words + (row.config or "") else "port"]
        if row.wait == "stdout":
            read_until(server.stdout, row.ready)
        elif row.wait != "connects":
            until(row.wait, lambda: has(pathlib.Path(folder, row.wait), row.ready))
        link = until("a connection", lambda: connect(place))
        for line, expected in row.asks or (("PING", "+PONG\r\n"),):
            ask(link, line, expected)
        if "{port}" in row.words:
            assert until("a connection by TCP", lambda: connect(where["port"]))
        server.send_signal(row.end)
        code = server.wait(SECONDS)
        assert code == row.code, f"ends with {code}, expected {row.code}"
        assert row.end == signal.SIGKILL or not pathlib.Path(where["socket"]).exists(), "the socket stays"
    finally:
        server.kill()
        server.wait()
        said = server.stderr.read().decode()
        server.stderr.close()
        if not server.stdout.closed:
            server.stdout.close()
    assert said.count("\n") <= 1, f"more than a line on stderr: {said}"


def main():
    program = os.path.abspath(sys.argv[1])
    failed = 0
    for row in LAUNCHERS:
        with tempfile.TemporaryDirectory() as folder:
            try:
                launch(program, row, folder)
            except (AssertionError, OSError, subprocess.SubprocessError) as problem:
                failed += 1
                print(f"FAIL {row.name}: {problem}")
    print(f"{len(LAUNCHERS) - failed} passed, {failed} failed")
    return failed


if __name__ == "__main__":
    sys.exit(main())
