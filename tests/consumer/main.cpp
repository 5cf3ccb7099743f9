#include <iostream>

#include <respkit/resp/reply.hpp>
#include <respkit/resp/text.hpp>
#include <respkit/server/mock.hpp>

int main() {
    respkit::resp::reply_reader reader;
    respkit::resp::node n;
    auto const step = reader.next(":42\r\n", n);
    if (step.what != respkit::resp::reply_reader::status::got_node || n.integer != 42) return 1;

    respkit::mock redis;
    redis.run({"SET", "greeting", "hello"});
    auto const reply = redis.run({"GET", "greeting"});
    std::cout << redis.url() << " says " << respkit::resp::print(reply) << "\n";
    return reply.text == "hello" ? 0 : 1;
}
