// Random calls, and whole rounds of them: what each of some connections sends, in one order.
#pragma once

#include <string>
#include <vector>

#include "pools.hpp"
#include "table.hpp"

namespace respkit::differential {

struct request {
    std::vector<std::string> words;
    line const* from = nullptr;
};

// What is sent at once and stays together: nearly always one request.
struct step {
    std::size_t connection = 0;
    std::vector<request> requests;
};

struct script {
    std::uint64_t seed = 0;
    std::size_t connections = 1;
    std::size_t speakers = 1;  // the first of them; the last may only listen
    std::vector<step> steps;
};

// What the two servers have in common.
struct ground {
    std::vector<line const*> lines;
    std::vector<std::string> limits;  // CONFIG parameters that move encodings
    bool multi = false, subscribe = false;
};

class generator {
public:
    explicit generator(ground const& g);

    // The same for the same seed and ground.
    script make(std::uint64_t seed) const;

    static request call(random_source& random, line const& from);

private:
    std::vector<line const*> choose_lines(random_source& random) const;

    ground const& ground_;
    std::vector<std::string> families_;
};

// The parameters that set where encodings change, and Redis' defaults.
struct limit {
    std::string_view name, usual;
    std::string_view pool;
};
std::vector<limit> const& encoding_limits();

}  // namespace respkit::differential
