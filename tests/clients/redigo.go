// redigo against REDIS_HOST:REDIS_PORT.
package main

import (
	"bytes"
	"fmt"
	"os"
	"sort"
	"strings"
	"time"

	"github.com/gomodule/redigo/redis"
)

var checks, failures int

func check(what string, found interface{}, expected string) {
	checks++
	if text(found) != expected {
		failures++
		fmt.Printf("FAIL %s: expected %s, found %s\n", what, expected, text(found))
	}
}

func connect(options ...redis.DialOption) redis.Conn {
	c, err := redis.Dial("tcp", os.Getenv("REDIS_HOST")+":"+os.Getenv("REDIS_PORT"), options...)
	if err != nil {
		panic(err)
	}
	return c
}

func do(c redis.Conn, command string, words ...interface{}) string {
	reply, err := c.Do(command, words...)
	if err != nil {
		return strings.TrimRight(err.Error(), " ")
	}
	return text(reply)
}

// A reply as text: lists in brackets, a missing value is nil.
func text(reply interface{}) string {
	switch value := reply.(type) {
	case nil:
		return "nil"
	case []byte:
		return string(value)
	case []interface{}:
		words := make([]string, len(value))
		for i := range value {
			words[i] = text(value[i])
		}
		return fmt.Sprint(words)
	}
	return fmt.Sprint(reply)
}

func data(c redis.Conn) {
	check("set", do(c, "SET", "s", "one"), "OK")
	check("set nx on a key that is there", do(c, "SET", "s", "two", "NX"), "nil")
	check("mget", do(c, "MGET", "s", "missing"), "[one nil]")
	check("incrby", do(c, "INCRBY", "n", 41)+do(c, "INCR", "n"), "4142")
	check("rpush", do(c, "RPUSH", "l", "a", "b", "c"), "3")
	check("lrange", do(c, "LRANGE", "l", 0, -1), "[a b c]")
	check("lpop with a count", do(c, "LPOP", "l", 2), "[a b]")
	check("sadd", do(c, "SADD", "set", "x", "y", "x"), "2")
	members, _ := redis.Strings(c.Do("SMEMBERS", "set"))
	sort.Strings(members)
	check("smembers", members, "[x y]")
	check("hset", do(c, "HSET", redis.Args{"h"}.AddFlat(map[string]int{"a": 1, "b": 2})...), "2")
	hash, _ := redis.IntMap(c.Do("HGETALL", "h"))
	check("hgetall", hash, "map[a:1 b:2]")
	check("zadd", do(c, "ZADD", "z", 1.5, "a", -2, "b"), "2")
	check("zrange with scores", do(c, "ZRANGE", "z", 0, -1, "WITHSCORES"), "[b -2 a 1.5]")
	score, _ := redis.Float64(c.Do("ZSCORE", "z", "a"))
	check("zscore", score, "1.5")
	do(c, "XADD", "x", "5-1", "f", "v")
	check("xrange", do(c, "XRANGE", "x", "-", "+"), "[[5-1 [f v]]]")

	check("set with ex", do(c, "SET", "e", "v", "EX", 100)+do(c, "TTL", "e"), "OK100")
	check("persist", do(c, "PERSIST", "e")+do(c, "TTL", "e"), "1-1")
	do(c, "SET", "e", "v", "PX", 20)
	for end := time.Now().Add(5 * time.Second); do(c, "EXISTS", "e") == "1" && time.Now().Before(end); {
	}
	check("a key expires", do(c, "GET", "e"), "nil")

	for i := 0; i < 250; i++ {
		c.Send("SET", fmt.Sprintf("scan:%d", i), i)
	}
	stored, _ := redis.Strings(c.Do(""))
	check("pipeline", len(stored), "250")
	seen := map[string]bool{}
	for cursor, more := 0, true; more; more = cursor != 0 {
		reply, _ := redis.Values(c.Do("SCAN", cursor, "MATCH", "scan:*", "COUNT", 20))
		var keys []string
		redis.Scan(reply, &cursor, &keys)
		for _, key := range keys {
			seen[key] = true
		}
	}
	check("scan", len(seen), "250")
	check("wrong type", do(c, "LPUSH", "s", "x"), "WRONGTYPE Operation against a key holding the wrong kind of value")
	check("unknown command", do(c, "NOSUCH", "a", "b"), "ERR unknown command 'NOSUCH', with args beginning with: 'a' 'b'")
	check("wrong arity", do(c, "GET"), "ERR wrong number of arguments for 'get' command")

	every := make([]byte, 256)
	for i := range every {
		every[i] = byte(i)
	}
	big := bytes.Repeat(every, 4096)
	check("a mebibyte is set", do(c, "SET", "big", big)+do(c, "STRLEN", "big"), "OK1048576")
	check("a mebibyte comes back", do(c, "GET", "big") == string(big), "true")
}

func transactions(c redis.Conn) {
	do(c, "SET", "p", 1)
	c.Send("MULTI")
	c.Send("INCR", "p")
	c.Send("GET", "p")
	check("transaction", do(c, "EXEC"), "[2 2]")
	do(c, "WATCH", "p")
	do(connect(), "SET", "p", "changed")
	c.Send("MULTI")
	c.Send("SET", "p", "lost")
	check("watch sees the change", do(c, "EXEC"), "nil")
	check("the change stays", do(c, "GET", "p"), "changed")
}

func messages(c redis.Conn) {
	s := redis.PubSubConn{Conn: connect()}
	s.Subscribe("news")
	s.PSubscribe("n*")
	check("subscribed", fmt.Sprint(s.Receive(), s.Receive()), "{subscribe news 1} {psubscribe n* 2}")
	check("publish", do(c, "PUBLISH", "news", "hello"), "2")
	check("messages", fmt.Sprintf("%s %s", s.Receive(), s.Receive()), "{news  hello} {news n* hello}")
	s.Ping("still there")
	check("ping while subscribed", s.Receive(), "{still there}")

	popped := make(chan string)
	go func() { popped <- do(connect(), "BLPOP", "queue", 5) }()
	for !strings.Contains(do(c, "INFO", "clients"), "blocked_clients:1") {
	}
	do(c, "RPUSH", "queue", "job")
	check("blpop is served", <-popped, "[queue job]")
	check("blpop times out", do(c, "BLPOP", "queue", 0.01), "nil")
}

func connections(c redis.Conn) {
	pool := redis.Pool{
		MaxIdle:      1,
		Dial:         func() (redis.Conn, error) { return connect(redis.DialDatabase(1), redis.DialClientName("named")), nil },
		TestOnBorrow: func(idle redis.Conn, _ time.Time) error { _, err := idle.Do("PING"); return err },
	}
	defer pool.Close()
	first := pool.Get()
	check("database 1 is another", do(first, "GET", "s"), "nil")
	check("client name", do(first, "CLIENT", "GETNAME"), "named")
	number := do(first, "CLIENT", "ID")
	redis.PubSubConn{Conn: first}.Subscribe("left subscribed")
	first.Close() // the pool unsubscribes and waits for the reply to an ECHO

	again := pool.Get()
	check("the pool clears subscriptions", do(again, "CLIENT", "ID"), number)
	again.Close()
	killed := do(c, "CLIENT", "KILL", "ID", number)
	if strings.Contains(strings.ToLower(killed), "unknown subcommand") {
		fmt.Println("SKIP reconnect: the server has no CLIENT KILL")
		return
	}
	check("client kill", killed, "1")
	again = pool.Get()
	defer again.Close()
	check("the pool notices", do(again, "CLIENT", "ID") != number && do(again, "PING") == "PONG", "true")
}

func main() {
	c := connect()
	do(c, "FLUSHALL")
	data(c)
	transactions(c)
	messages(c)
	connections(c)
	fmt.Println("checks", checks)
	if failures > 0 {
		os.Exit(1)
	}
}
