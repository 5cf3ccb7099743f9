// tempredis, which starts the first redis-server on the PATH and writes it a config to standard input.
package main

import (
	"fmt"
	"os"

	"github.com/gomodule/redigo/redis"
	"github.com/stvp/tempredis"
)

var checks, failures int

func check(what string, found interface{}, expected string) {
	checks++
	if fmt.Sprint(found) != expected {
		failures++
		fmt.Printf("FAIL %s: expected %s, found %v\n", what, expected, found)
	}
}

func start(config tempredis.Config) *tempredis.Server {
	server, err := tempredis.Start(config)
	if err != nil {
		panic(err)
	}
	return server
}

func do(server *tempredis.Server, command string, words ...interface{}) string {
	c, err := redis.Dial("unix", server.Socket())
	if err != nil {
		return err.Error()
	}
	defer c.Close()
	reply, err := c.Do(command, words...)
	if err != nil {
		return err.Error()
	}
	if list, err := redis.Strings(reply, nil); err == nil {
		return fmt.Sprint(list)
	}
	return fmt.Sprint(reply)
}

func main() {
	plain := start(nil)
	check("ping", do(plain, "PING"), "PONG")
	check("set", do(plain, "SET", "k", "v"), "OK")

	// An empty value is written as quotes.
	other := start(tempredis.Config{"databases": "3", "save": "", "masterauth": "a"})
	check("databases of the config", do(other, "CONFIG", "GET", "databases"), "[databases 3]")
	check("an empty value", do(other, "CONFIG", "GET", "save"), "[save ]")
	check("a select beyond them", do(other, "SELECT", "3"), "ERR DB index is out of range")
	check("two servers share nothing", do(other, "DBSIZE"), "0")

	check("term", other.Term(), "<nil>")
	check("term again", other.Term() != nil, "true")
	check("kill", plain.Kill(), "<nil>")

	failed, err := tempredis.Start(tempredis.Config{"oops": "borked"})
	check("a config that is wrong", err, "EOF")
	failed.Kill()
	fmt.Println("checks", checks)
	if failures > 0 {
		os.Exit(1)
	}
}
