"""redis-py, blocking and asyncio, against REDIS_HOST:REDIS_PORT."""
import asyncio
import os
import threading
import time

import redis
import redis.asyncio

address = {"host": os.environ["REDIS_HOST"], "port": int(os.environ["REDIS_PORT"])}
checks = failures = 0


def check(what, found, expected):
    global checks, failures
    checks += 1
    if found != expected:
        failures += 1
        print(f"FAIL {what}: expected {expected!r}, found {found!r}")


def error_of(call, *words):
    try:
        return f"no error but {call(*words)!r}"
    except redis.RedisError as error:
        return str(error)


def data(r):
    check("set", r.set("s", "one"), True)
    check("set nx on a key that is there", r.set("s", "two", nx=True), None)
    check("mget", r.mget("s", "missing"), ["one", None])
    check("incrby", r.incrby("n", 41) + r.incr("n"), 83)
    check("rpush", r.rpush("l", "a", "b", "c"), 3)
    check("lrange", r.lrange("l", 0, -1), ["a", "b", "c"])
    check("lpop with a count", r.lpop("l", 2), ["a", "b"])
    check("sadd", r.sadd("set", "x", "y", "x"), 2)
    check("smembers", r.smembers("set"), {"x", "y"})
    check("hset", r.hset("h", mapping={"a": 1, "b": 2}), 2)
    check("hgetall", r.hgetall("h"), {"a": "1", "b": "2"})
    check("zadd", r.zadd("z", {"a": 1.5, "b": -2, "c": float("inf")}), 3)
    check("zrange with scores", r.zrange("z", 0, 1, withscores=True), [("b", -2.0), ("a", 1.5)])
    check("zpopmax", r.zpopmax("z"), [("c", float("inf"))])
    r.xadd("x", {"f": "v"}, id="5-1")
    check("xrange", r.xrange("x"), [("5-1", {"f": "v"})])

    check("set with ex", (r.set("e", "v", ex=100), r.ttl("e")), (True, 100))
    check("persist", (r.persist("e"), r.ttl("e")), (True, -1))
    r.set("e", "v", px=20)
    end = time.monotonic() + 5
    while r.exists("e") and time.monotonic() < end:
        pass
    check("a key expires", r.get("e"), None)

    for i in range(250):
        r.set(f"scan:{i}", i)
    check("scan_iter", len(set(r.scan_iter("scan:*", count=20))), 250)
    check("wrong type", error_of(r.lpush, "s", "x"),
          "WRONGTYPE Operation against a key holding the wrong kind of value")
    check("unknown command", error_of(r.execute_command, "NOSUCH", "a", "b").rstrip(),
          "unknown command 'NOSUCH', with args beginning with: 'a' 'b'")
    check("wrong arity", error_of(r.execute_command, "GET"), "wrong number of arguments for 'get' command")

    raw = redis.Redis(**address)
    big = bytes(range(256)) * 4096
    check("a mebibyte is set", (raw.set("big", big), raw.strlen("big")), (True, 1 << 20))
    check("a mebibyte comes back", raw.get("big") == big, True)


def transactions(r):
    with r.pipeline(transaction=False) as p:
        check("pipeline", p.set("p", 0).incr("p").get("p").execute(), [True, 1, "1"])
    with r.pipeline() as p:
        check("transaction", p.incr("p").lpush("s", "x").get("p").execute(raise_on_error=False)[::2], [2, "2"])
        p.watch("p")
        r.set("p", "changed")
        p.multi()
        p.set("p", "lost")
        check("watch sees the change", error_of(p.execute), "Watched variable changed.")
    check("transaction helper", r.transaction(lambda p: p.multi() or p.get("p"), "p"), ["changed"])


def messages(r):
    with r.pubsub() as s:
        s.subscribe("news")
        s.psubscribe("n*")
        check("subscribed", [s.get_message(timeout=5)["data"] for _ in range(2)], [1, 2])
        check("publish", r.publish("news", "hello"), 2)
        found = [s.get_message(timeout=5) for _ in range(2)]
        check("messages", [(m["type"], m["pattern"], m["data"]) for m in found],
              [("message", None, "hello"), ("pmessage", "n*", "hello")])
        s.ping()
        check("ping while subscribed", s.get_message(timeout=5)["type"], "pong")

    served = []
    waiter = threading.Thread(target=lambda: served.append(redis.Redis(**address).blpop("queue", 5)))
    waiter.start()
    while r.info("clients")["blocked_clients"] == 0:
        pass
    r.rpush("queue", "job")
    waiter.join()
    check("blpop is served", served, [(b"queue", b"job")])
    check("blpop times out", r.blpop("queue", 0.01), None)


def locks(r):
    lock = r.lock("lock", timeout=100)
    check("lock", (lock.acquire(blocking=False), r.lock("lock").acquire(blocking=False)), (True, False))
    check("lock is extended", (lock.extend(50), 140 <= r.ttl("lock") <= 150), (True, True))
    check("lock's time is replaced", (lock.extend(30, replace_ttl=True), r.ttl("lock") <= 30), (True, True))
    check("lock is reacquired", (lock.reacquire(), 90 <= r.ttl("lock") <= 100), (True, True))
    lock.release()
    check("lock is released", r.exists("lock"), 0)
    with r.lock("lock", timeout=100) as held:
        check("lock is held", held.owned(), True)
        r.set("lock", "another's")
        check("another's lock", error_of(held.release), "Cannot release a lock that's no longer owned")
        held.local.token = b"another's"


def users(r):
    r.acl_setuser("alice", enabled=True, reset=True, passwords=["+secret"], commands=["+@read", "+ping"],
                  keys=["cache:*"])
    alice = redis.Redis(**address, username="alice", password="secret")
    check("a user reads", (alice.ping(), alice.get("cache:1")), (True, None))
    check("a user must not write", error_of(alice.set, "cache:1", "x"),
          "this user has no permissions to run the 'set' command")
    check("a user has keys of its own", error_of(alice.get, "other"),
          "this user has no permissions to access one of the keys used as arguments")
    check("a wrong password", error_of(redis.Redis(**address, username="alice", password="x").ping),
          "WRONGPASS invalid username-password pair or user is disabled.")
    check("a user is shown", r.acl_getuser("alice")["keys"], ["~cache:*"])
    check("a user is deleted", (r.acl_deluser("alice"), r.acl_users()), (1, ["default"]))


def connections(r):
    other = redis.Redis(**address, db=1, client_name="named", single_connection_client=True,
                        retry_on_error=[redis.ConnectionError])
    check("database 1 is another", other.get("s"), None)
    check("client name", other.client_getname(), "named")
    number = other.client_id()
    killed = error_of(r.execute_command, "CLIENT KILL", "ID", number)
    if "unknown subcommand" in killed.lower():
        return print("SKIP reconnect: the server has no CLIENT KILL")
    check("client kill", killed, "no error but 1")
    check("reconnected", (other.set("again", 1), other.client_id() > number), (True, True))


async def with_asyncio():
    async with redis.asyncio.Redis(**address, decode_responses=True) as r:
        waiting = asyncio.ensure_future(r.blpop("queue", 5))
        await asyncio.gather(*(r.incr("tasks") for _ in range(20)))
        check("asyncio: twenty at once", await r.get("tasks"), "20")
        while (await r.info("clients"))["blocked_clients"] == 0:
            pass
        await r.rpush("queue", "job")
        check("asyncio: blpop is served", await waiting, ("queue", "job"))


server = redis.Redis(**address, decode_responses=True)
server.flushall()
for topic in (data, transactions, messages, locks, users, connections):
    topic(server)
asyncio.run(with_asyncio())
print("checks", checks)
raise SystemExit(failures > 0)
