// What stands in the holes of requests: numbers and GUIDs, the same in every run of one seed.
#pragma once

#include <cstdint>
#include <span>

#include <respkit/bench/random.hpp>
#include <respkit/bench/workload.hpp>

namespace respkit::bench {

// Writes twelve decimal digits.
void write_digits(char* to, std::uint64_t number);

// Writes the 36 characters of a version 4 GUID, another one for each number.
void write_guid(char* to, std::uint64_t seed, std::uint64_t number);

class namer {
public:
    namer(naming how, std::uint64_t keyspace, std::uint64_t seed, std::uint64_t records_seed)
        : how_(how), keyspace_(keyspace), records_seed_(records_seed), random_(seed) {}

    // Fills the holes of the operation of that number.
    void fill(char* bytes, std::span<std::size_t const> holes, std::uint64_t number) {
        for (auto const hole : holes) {
            if (how_ == naming::random)
                write_digits(bytes + hole, random_.below(keyspace_));
            else if (how_ == naming::counted)
                write_digits(bytes + hole, number);
            else
                write_guid(bytes + hole, records_seed_, number);
        }
    }

private:
    naming how_;
    std::uint64_t keyspace_, records_seed_;
    random_source random_;
};

}  // namespace respkit::bench
