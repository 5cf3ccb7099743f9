// What a test wants to know: whether something is as expected, and if not, how it differs.
#pragma once

#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

namespace respkit {

// Of no test framework, and readable in all of them:
//
//     CHECK(redis.expect_list("q", {"a", "b"}));                          doctest, Catch2: the message is
//     printed auto const q = redis.expect_list("q", {"a", "b"}); EXPECT_TRUE(q) << q.message(); GoogleTest
class [[nodiscard]] check {
public:
    check() = default;  // it is as expected
    static check failed(std::string message) {
        check c;
        c.message_ = std::move(message);
        return c;
    }

    explicit operator bool() const { return message_.empty(); }
    std::string const& message() const { return message_; }  // "" if it is as expected

    friend std::ostream& operator<<(std::ostream& to, check const& c);

private:
    std::string message_;
};

// Whether two texts have the same lines. If not, the message is the headline and the lines of both: "  "
// stands before those they share, "- " before those only expected, "+ " before those only found; long
// stretches without a difference are left out.
check compare_lines(std::string headline, std::vector<std::string> const& expected,
                    std::vector<std::string> const& found);

}  // namespace respkit
