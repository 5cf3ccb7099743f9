// What the program says where: results on stdout, everything else on stderr.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <respkit/bench/result.hpp>

namespace respkit::bench {

void say(std::string const& line);  // on stderr

// stdout, with an eye on whether it takes what is written; without UTF-8 in the locale, in ASCII.
class output {
public:
    void write(std::string const& text);
    bool failed() const { return failed_; }

private:
    bool failed_ = false;
};

// One line on the terminal that is written over and over, and wiped before anything else is said.
class progress_line {
public:
    explicit progress_line(bool wanted);
    ~progress_line() { wipe(); }
    progress_line(progress_line const&) = delete;
    progress_line& operator=(progress_line const&) = delete;

    void show(std::string_view test, std::string_view stage, std::uint64_t count, std::uint64_t of);
    void wipe();

private:
    bool on_, shown_ = false;
};

// Files for results. What is there stays until there is a result; both say what is wrong and with which
// option.
bool can_write(std::string const& path, char const* option);
bool write_file(std::string const& path, std::string const& text, char const* option);

// Whether a test's replies are as they should be, up to a share of error replies; and what is wrong with
// them.
bool acceptable(test_result const& t, double allowed_errors);
void say_what_failed(test_result const& t);

}  // namespace respkit::bench
