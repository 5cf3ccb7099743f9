// Which rows, options and error texts have been seen to be equal on both servers.
#pragma once

#include <map>
#include <ostream>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "error_texts.hpp"
#include "generator.hpp"

namespace respkit::differential {

class coverage {
public:
    // `rows` are the mock's, `texts` those of its sources.
    coverage(table const& t, ground const& g, std::vector<std::string> const& rows,
             std::vector<error_text> texts);

    void seen(request const& of, std::string_view reply);

    // "rows 212 of 214 …" and what is missing. True if nothing is.
    bool report(std::ostream& out) const;

private:
    void seen_error(std::string_view text);

    struct count {
        std::size_t all = 0;
        std::set<std::string> missing;
    };
    count rows_, options_;
    std::size_t texts_ = 0;
    std::vector<error_text> unseen_texts_;
    std::map<line const*, std::set<std::string>>
        unseen_options_;  // lines none of whose options are missing have gone
    std::unordered_set<std::string> known_errors_;
};

}  // namespace respkit::differential
