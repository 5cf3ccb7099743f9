// What is sent: redis-benchmark's twenty tests as rows, and any command of the user's own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace respkit::bench {

// What a test needs to find on the server, filled in before the clock runs.
enum class need {
    nothing,
    keys,        // the string keys that it reads
    list,        // elements in mylist, one for every pop
    set,         // members of myset, one for every pop
    sorted_set,  // members of myzset, one for every pop
    long_list,   // as many elements in mylist as LRANGE asks for
};

// Which replies count as hits.
enum class hit { none, not_null, not_empty, whole_range };

// What takes the place of __rand_int__.
enum class naming {
    none,     // nothing: it is sent as it is
    random,   // a number below the keyspace, another one each time
    counted,  // the number of the operation
    record,   // it stays; but __record__… becomes the GUID that belongs to the operation's number
};

struct workload {
    std::string title;               // as redis-benchmark prints it
    std::string label;               // the same in at most 16 columns
    std::vector<std::string> words;  // the command; __rand_int__ stands for a random number
    bool is_inline = false;          // sent as a line of text instead of an array
    need needs = need::nothing;
    hit counts = hit::none;
    std::size_t range = 0;       // elements that LRANGE asks for
    std::vector<workload> then;  // further commands of the same operation (not for the event loop)
};

// The twenty tests in their order, with values of `data_size` bytes. `random`: __rand_int__ will be replaced,
// and ZADD's score is one.
std::vector<workload> redis_tests(std::size_t data_size, bool random);
// Those among them that a list of -t tokens names, in the order of the table; all if it is empty.
std::vector<workload> select(std::vector<workload> const& all, std::span<std::string const> tokens);
// The first token that names no test.
std::optional<std::string> unknown_token(std::span<std::string const> tokens);
std::string known_tokens();

// A command of the user's own, titled by its text.
workload custom(std::vector<std::string> words);

// redis-benchmark's payload: the same bytes in every run and for every key ("VXK…").
std::string payload(std::size_t size);

// A request ready to be sent, and where in it random numbers go.
struct request {
    static constexpr std::string_view placeholder = "__rand_int__";  // as wide as a number
    static constexpr std::size_t digits = 12;
    static constexpr std::string_view record_placeholder = "__record__-a-guid-has-36-characters_";

    struct place {
        std::size_t at, size;
    };
    std::string bytes;
    std::vector<std::size_t> holes;  // empty unless something is to be put there
    std::vector<place> words;        // where they stand in the bytes; none if it is inline
};
request encode(workload const& w, naming how);
// The bytes and holes of it, `times` in a row.
request repeat(request const& r, std::size_t times);

}  // namespace respkit::bench
