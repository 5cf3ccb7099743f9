"""Does my code survive a bad day? Run it beside a server of its own:

    respkit-server -- python3 examples/faults/faults.py
"""
import os

import redis

HOST, PORT = os.environ["REDIS_HOST"], int(os.environ["REDIS_PORT"])


def rule(*words):
    return server.execute_command("RESPKIT", "RULE", "ADD", *words)


def fetch(key, tries=3):
    """The code under test: a read that waits out a server that is still loading, or a lost connection."""
    for last in reversed(range(tries)):
        client = redis.Redis(HOST, PORT, decode_responses=True, socket_timeout=0.2)
        try:
            return client.get(key)
        except (redis.exceptions.BusyLoadingError, redis.exceptions.ConnectionError):
            if not last:
                raise
        finally:
            client.close()


server = redis.Redis(HOST, PORT, decode_responses=True)
server.execute_command("RESPKIT", "CALLS", "ON")
server.set("greeting", "hello")

# It loads for two requests.
rule("ON", "GET", "TIMES", "2", "ERROR", "LOADING Redis is loading the dataset in memory")
assert fetch("greeting") == "hello"
assert server.execute_command("RESPKIT", "CALLS", "COUNT", "COMMAND", "GET") == 3

# The connection is reset in the middle of a reply.
rule("ON", "GET", "TIMES", "1", "PREFIX", "4", "RESET")
assert fetch("greeting") == "hello"

# A black hole: the request is taken, nothing comes back.
hole = rule("ON", "GET", "NOREPLY")
try:
    fetch("greeting")
    raise SystemExit("a reply came out of a black hole")
except redis.exceptions.TimeoutError:
    pass
server.execute_command("RESPKIT", "RULE", "DELETE", hole)
assert fetch("greeting") == "hello"

# Time moves when the test says so.
server.set("session", "x", ex=3600)
server.execute_command("RESPKIT", "CLOCK", "ADVANCE", "60m")
server.execute_command("RESPKIT", "CLOCK", "ADVANCE", "1s")
assert fetch("session") is None
print("faults.py: retried on LOADING, survived a reset, timed out on a black hole, saw a key expire")
