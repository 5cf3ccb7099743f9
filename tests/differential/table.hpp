// The generator's table, commands.txt: one line per command says how calls of it look and how replies to it
// are compared.
//
//     [lists]                                       begins a family
//     LPOS list element [RANK rank] [COUNT count]   a row's name ("CLIENT|SETNAME"), then its words
//     SMEMBERS set : unordered                      behind " : ", what is not compared byte for byte
//     never SHUTDOWN : why no calls are made        a row without a line
//     unseen "OOM " : why no random call earns it   an error text
//     uncased "OOM " : why no case shows it         an error text
//
// Words in capitals, in quotes, or beginning with a digit stand for themselves; words in small letters pick
// from a pool (pools.hpp); "#pool" counts its picks first, as numkeys does. [a], (a)+, (a)*, (a|b): perhaps,
// once or more, any number of times, one of them.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace respkit::differential {

struct pattern {
    enum class kind { word, pool, sequence, choice };
    kind what = kind::sequence;
    std::string text = {};            // the word itself, or the pool's name
    bool counted = false;             // a pool whose picks are preceded by their number
    std::vector<pattern> parts = {};  // of a sequence; or one of a choice
    int least = 1, most = 1;          // how many times in turn

    bool is_optional() const { return least == 0; }
};

// What of two replies must be equal.
enum class rule {
    exact,      // every byte
    unordered,  // the elements, in whatever order
    pairs,      // keys with their values, in whatever order
    near,       // integers, more or less: `tolerance`
    shape,      // types and numbers of elements
    type,       // nothing but the type
    scan,       // what a whole iteration brings, in whatever order
    scan_pairs,
    sort,  // unordered where SORT does not sort
};

struct line {
    std::string row = {};  // as COMMAND LIST has it: "client|setname"
    std::string family = {};
    pattern arguments = {};
    rule compare = rule::exact;
    std::int64_t tolerance = 0;
    int weight = 4;
    bool whole = false;                  // never spoilt: it would become another line's call
    bool refused = false;                // answered with an error whatever its options
    bool waits = false;                  // may bring no reply at once, or more than one
    bool apart = false;                  // subscribes: not inside MULTI, where it tears replies apart
    std::string then = {};               // sent right behind it with the same first argument
    std::set<std::string> options = {};  // its words in capitals
    int number = 0;
};

struct exception {
    std::string what;  // a row's name, or how an error text begins
    std::string why;
};

struct table {
    std::vector<line> lines;
    std::vector<exception> never, unseen, uncased;
};

// Throws std::runtime_error, "file:line: message".
table parse_table(std::string_view text, std::string const& file);
table load_table(std::string const& file);

// The words a call begins with: "CLIENT SETNAME" is two.
std::vector<std::string> name_words(std::string_view row);

}  // namespace respkit::differential
