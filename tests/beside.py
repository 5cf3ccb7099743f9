#!/usr/bin/env python3
"""respkit-server as a program: a command beside it, signals, streams that are closed.

    tests/beside.py respkit-server

Prints a line for each check that fails; the exit code is 1 if there is one.
"""
import os
import pty
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

SERVER = os.path.abspath(sys.argv[1])
SECONDS = 20  # for anything to happen
checks = failures = 0


def check(what, found, expected):
    global checks, failures
    checks += 1
    if isinstance(expected, re.Pattern) and isinstance(found, str) and expected.fullmatch(found):
        return
    if found != expected:
        failures += 1
        print(f"FAIL {what}: expected {expected!r}, found {found!r}")


def run(*words, **more):
    ended = subprocess.run([SERVER, *words], capture_output=True, text=True, timeout=SECONDS,
                           stdin=subprocess.DEVNULL, **more)
    return ended.returncode, ended.stdout, ended.stderr


def shell(line):
    """With $server for the program."""
    ended = subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=SECONDS,
                           env={**os.environ, "server": SERVER})
    return ended.returncode, ended.stdout, ended.stderr


def processes(mark):
    """Processes that have the mark in their environment, the living ones."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                if f"MARK={mark}\0".encode() in file.read():
                    found.append(name)
        except OSError:
            pass
    return found


def languages():
    ask = 'import os, socket, sys; s = socket.create_connection((os.environ["REDIS_HOST"], int(os.environ["REDIS_PORT"]))); '
    check("python3", run("--", "python3", "-c", ask + 's.sendall(b"PING\\r\\n"); print(s.recv(9)); sys.exit(3)'),
          (3, "b'+PONG\\r\\n'\n", ""))
    if shutil.which("node"):
        check("node", run("--", "node", "-e", """
            const s = require('net').connect(process.env.RESPKIT_PORT, process.env.RESPKIT_HOST, () => s.write('PING\\r\\n'));
            s.on('data', (text) => { process.stdout.write(text); process.exit(4); });"""), (4, "+PONG\n", ""))
    check("a shell's pipeline", run("--", "bash", "-c", """
        exec 3<>/dev/tcp/$REDIS_HOST/{port}; printf 'SET k v\\r\\nGET k\\r\\n' >&3; head -3 <&3 | tr -d '\\r' | tail -1;
        echo $REDIS_URL | sed 's/[0-9]*$/N/'; exit 5"""), (5, "v\nredis://127.0.0.1:N\n", ""))
    check("a password", run("--requirepass", "a b", "--", "sh", "-c", "echo ${REDIS_URL%@*}"),
          (0, "redis://:a%20b\n", ""))
    check("a unix socket alone", run("--port", "0", "--unixsocket", "/tmp/beside.sock", "--", "sh", "-c",
                                     "echo $REDIS_URL ${REDIS_HOST-none} ${REDIS_PORT-none}"),
          (0, "unix:///tmp/beside.sock none none\n", ""))
    check("a pipe that is closed", shell("$server -- yes | head -1"), (0, "y\n", ""))


def endings():
    check("exit 126", run("--", "sh", "-c", "exit 126")[0], 126)
    check("a signal", run("--", "sh", "-c", "kill -SEGV $$")[0], 128 + signal.SIGSEGV)
    check("no such command", run("--", "no-such-command"),
          (127, "", "respkit-server: cannot run 'no-such-command': No such file or directory\n"))
    check("not a program", run("--", "/etc/passwd"),
          (126, "", "respkit-server: cannot run '/etc/passwd': Permission denied\n"))
    check("a folder", run("--", "/tmp")[0], 126)
    with tempfile.TemporaryDirectory() as folder:
        script = f"{folder}/script"
        with open(script, "w") as file:
            file.write("echo $1; exit 6\n")
        os.chmod(script, 0o755)
        check("a script without #!", run("--", script, "hello"), (6, "hello\n", ""))
    ask = "exec 3<>/dev/tcp/$REDIS_HOST/$REDIS_PORT; printf 'NOSUCH\\r\\nnosuch 1\\r\\nQUIT\\r\\n' >&3; cat <&3 >/dev/null"
    line = "respkit-server: asked for, but not supported: nosuch (2)\n"
    check("commands that are not here", run("--", "bash", "-c", ask), (0, "", line))
    check("--quiet", run("--quiet", "--", "bash", "-c", ask), (0, "", ""))
    check("--strict", run("--strict", "--", "bash", "-c", ask), (1, "", line))
    check("--strict, the command's own code", run("--strict", "--", "bash", "-c", ask + "; exit 9"), (9, "", line))
    check("--strict and nothing missing", run("--strict", "--", "true"), (0, "", ""))
    check("a command that leaves a process", run("--", "sh", "-c", "(exec >/dev/null 2>&1; sleep 0.1; kill $$) & exit 0"),
          (0, "", ""))


LEAVES = "setsid sleep 100 >/dev/null 2>&1 </dev/null & sleep 100 >/dev/null 2>&1 & "
STUBBORN = "(trap '' INT TERM; sleep 100; sleep 100) >/dev/null 2>&1 & "


def signals():
    """From another process: forwarded, and nothing is left of what the command has started."""
    for name in ("INT", "TERM", "HUP", "QUIT", "USR1"):
        mark = f"{os.getpid()}-{name}"
        command = f"import signal, subprocess, sys; subprocess.Popen(['sh', '-c', {LEAVES!r}])\n"
        command += f"signal.signal(signal.SIG{name}, lambda *_: sys.exit(40))\nprint('up', flush=True)\n"
        command += "while True: signal.pause()\n"
        server = subprocess.Popen([SERVER, "--", "python3", "-c", command], stdout=subprocess.PIPE, text=True,
                                  env={**os.environ, "MARK": mark})
        server.stdout.readline()
        server.send_signal(signal.Signals[f"SIG{name}"])
        check(f"SIG{name} reaches the command", server.wait(SECONDS), 40)
        server.stdout.close()
        left = processes(mark)
        # USR1 asks for no end: what a command starts and leaves is meant to stay.
        check(f"what SIG{name} leaves behind", bool(left), name == "USR1")
        for process in left:
            os.kill(int(process), signal.SIGKILL)


def terminal(command):
    """Runs it on a terminal, types Ctrl-C once it says that it is up; its code, and what is left."""
    mark = f"{os.getpid()}-terminal"
    process, screen = pty.fork()
    if process == 0:
        os.environ["MARK"] = mark
        os.execv(SERVER, [SERVER, "--", *command])
    text = b""
    try:
        while select.select([screen], [], [], SECONDS)[0]:
            text += os.read(screen, 4096)
            if b"up" in text:
                os.write(screen, b"\x03")
                text = b""
    except OSError:
        pass  # the terminal's other end has been closed
    os.close(screen)
    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    return code, processes(mark)


def ctrl_c():
    check("Ctrl-C ends a shell and what it has started", terminal(["sh", "-c", LEAVES + "echo up; wait"]), (130, []))
    check("Ctrl-C ends what will not be asked", terminal(["sh", "-c", STUBBORN + "echo up; wait"]), (130, []))
    check("Ctrl-C ends a pipeline", terminal(["sh", "-c", "echo up; sleep 100 | cat"]), (130, []))
    check("Ctrl-C comes once, and to a command that handles it", terminal(
        ["python3", "-c", "import signal, sys, time\ncame = []\nsignal.signal(signal.SIGINT, lambda *_: came.append(1))\n"
         "print('up', flush=True)\nwhile not came: time.sleep(0.01)\ntime.sleep(0.1)\nsys.exit(40 + len(came))"]), (41, []))
    if shutil.which("node"):
        check("Ctrl-C ends node", terminal(["node", "-e", "setInterval(() => {}, 1000); console.log('up')"]), (130, []))


def streams():
    closed = re.compile("respkit-server: cannot write to standard output: Bad file descriptor\n")
    for option in ("--help", "--version", "--commands", "--commands-table"):
        code, _, said = shell(f"$server {option} >&-")
        check(f"{option} and stdout closed", code, 1)
        check(f"{option} and stdout closed, in words", said, closed)
    check("--help and a full disk", shell("$server --help >/dev/full")[0], 1)
    # The ready lines cannot be written: a server nonetheless, whose sockets have nothing of them.
    code, found, said = shell("""
        $server --port 0 --port-file $0.$$ >&- 2>$0.$$.err <&- & until [ -s $0.$$ ]; do :; done
        exec 3<>/dev/tcp/127.0.0.1/$(cat $0.$$); printf 'PING\\r\\n' >&3; head -1 <&3
        kill $!; wait $!; echo $?; cat $0.$$.err >&2; rm $0.$$*""".replace("$0", tempfile.gettempdir() + "/beside"))
    check("a server whose stdout is closed", (code, found), (0, "+PONG\n0\n"))
    check("a server whose stdout is closed, in words", said, closed)
    check("nobody reads", shell("$server -- sh -c 'echo x; exit 7' | true; echo ${PIPESTATUS[0]}")[1] in ("7\n", "141\n"),
          True)
    check("all closed", shell("$server -- sh -c 'exit 8' <&- >&- 2>&-")[0], 8)
    check("an option and stderr closed", shell("$server --nosuch 2>&-")[0], 2)


def config():
    with tempfile.TemporaryDirectory() as folder:
        def write(name, text):
            with open(f"{folder}/{name}", "w") as file:
                file.write(text)
            return f"{folder}/{name}"
        write("a.inc", "requirepass 'a'\nappendonly yes")
        write("b.inc", "\nrequirepass \"b\"")
        main = write("main.conf", f"include {folder}/*.inc\nio-threads 4\ncluster-enabled yes\ninclude {folder}/none*\n")
        ignored = "respkit-server: io-threads, cluster-enabled have no meaning here: ignored\n"
        check("included files", run(main, "--", "sh", "-c", "echo ${REDIS_URL%@*}"), (0, "redis://:b\n", ignored))
        check("included files, then options", run(main, "--requirepass", "c", "--", "sh", "-c", "echo ${REDIS_URL%@*}"),
              (0, "redis://:c\n", ignored))
        write("b.inc", "\nrequirepass b c")
        check("a mistake in an included file", run(main),
              (2, "", f"respkit-server: {folder}/b.inc:2: requirepass takes one value, got 2\n"))
        loop = write("loop.conf", f"include {folder}/loop.conf")
        check("a file that includes itself", run(loop),
              (2, "", f"respkit-server: {loop}:1: '{loop}' includes itself, or is included too deep\n"))
        check("a binary", run(sys.executable)[0], 2)
        check("standard input", shell("printf 'port 0\nrequirepass d' | $server - -- sh -c 'echo ${REDIS_URL%@*}'"),
              (0, "redis://:d\n", ""))

        # The one who starts it finds it listening, or why not.
        daemon = write("daemon.conf", f"daemonize yes\ndir {folder}\npidfile pid\nlogfile log\nport 0\n")
        check("daemonize", run(daemon, "--port-file", f"{folder}/port")[0], 0)
        port = open(f"{folder}/port").read().strip()
        with socket.create_connection(("127.0.0.1", int(port))) as link:
            link.sendall(b"PING\r\n")
            check("daemonize, a reply", link.recv(99), b"+PONG\r\n")
            check("daemonize, the log", "Ready to accept connections" in open(f"{folder}/log").read(), True)
            code, _, said = run(daemon, "--port", port)
            check("daemonize and a port that is taken", (code, said.count("\n"), port in said), (2, 1, True))
            os.kill(int(open(f"{folder}/pid").read()), signal.SIGTERM)
            check("daemonize, the end", link.recv(99), b"")
        check("a log that cannot be written", run("--logfile", f"{folder}/no/log"),
              (2, "", f"respkit-server: cannot write --logfile {folder}/no/log: No such file or directory\n"))


for part in (config, languages, endings, signals, ctrl_c, streams):
    part()
print(f"{checks} checks, {failures} failed")
sys.exit(1 if failures else 0)
