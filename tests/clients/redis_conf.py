# REDIS_SERVER under Debian's redis.conf, and under every directive that redis-server itself shows.
import os
import socket
import subprocess
import sys
import tempfile

JUDGE = "/usr/bin/redis-server"
checks = failures = 0


def check(what, found, expected):
    global checks, failures
    checks += 1
    if found != expected:
        failures += 1
        print(f"FAIL {what}: expected {expected!r}, found {found!r}")


class Server:
    """On a unix socket, with these words of its own."""

    def __init__(self, program, folder, *words):
        self.path = f"{folder}/socket"
        ours = ["--port", "0", "--unixsocket", self.path, "--dir", folder, "--daemonize", "no", "--logfile", "",
                "--pidfile", f"{folder}/pid", "--save", ""]
        self.process = subprocess.Popen([program, *words, *ours], text=True, errors="replace",
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.ready = any("eady to accept connections" in line for line in self.process.stdout)

    def ask(self, *words):
        """The strings of the reply, or its line."""
        with socket.socket(socket.AF_UNIX) as link:
            link.connect(self.path)
            link.sendall(f"*{len(words)}\r\n".encode() + b"".join(b"$%d\r\n%s\r\n" % (len(w), w.encode()) for w in words))
            reply = link.makefile("rb")
            head = reply.readline().decode().strip()
            if not head.startswith("*"):
                return head
            return [reply.read(int(reply.readline()[1:]) + 2)[:-2].decode() for _ in range(int(head[1:]))]

    def end(self):
        self.process.terminate()
        said = self.process.communicate()[1]
        return self.process.returncode, said


def directives():
    with tempfile.TemporaryDirectory() as folder:
        judge = Server(JUDGE, folder)
        words = judge.ask("CONFIG", "GET", "*")
        judge.end()
    own = {"port", "unixsocket", "dir", "daemonize", "logfile", "pidfile", "save", "bind"}
    return {name: value for name, value in zip(words[::2], words[1::2]) if name not in own}


def quoted(name, value):
    return f'"{value}"' if name == "proc-title-template" else value  # the one text among lists of words


program = os.environ["REDIS_SERVER"]
shown = directives()
with tempfile.TemporaryDirectory() as folder:
    server = Server(program, folder, "/etc/redis/redis.conf")
    check("Debian's redis.conf", server.ready and server.ask("PING"), "+PONG")
    check("its end", server.end(), (0, ""))

    with open(f"{folder}/all.conf", "w") as file:
        file.writelines(f"{name} {quoted(name, value)}\n" for name, value in shown.items() if value)
    server = Server(program, folder, f"{folder}/all.conf")
    check("all that CONFIG GET shows", server.ready and server.ask("PING"), "+PONG")
    check("its end", server.end(), (0, ""))

    for text in ("nosuch 1", "hz x", "appendonly yes no", 'masterauth "x', "maxmemory 1x"):
        with open(f"{folder}/wrong.conf", "w") as file:
            file.write(f"# a comment\n{text}\n")
        server = Server(program, folder, f"{folder}/wrong.conf")
        check(f"{text}: refused", server.ready, False)
        said = server.end()[1]
        check(f"{text}: the line is named", " line 2" in said or ":2:" in said, True)
print("checks", checks)
sys.exit(1 if failures else 0)
