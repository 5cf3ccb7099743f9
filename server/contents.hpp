// What keys hold, in values of the standard library and in lines for people.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <respkit/server/database.hpp>
#include <respkit/server/instance.hpp>

namespace respkit::contents {

std::string text(record const& r);
std::vector<std::string> list(record const& r);
std::set<std::string> set(record const& r);
std::map<std::string, std::string> hash(record const& r);
database::scores zset(record const& r);

// One line for each element; containers without an order are sorted. Equal lines, equal contents.
std::vector<std::string> lines(std::string const& text);
std::vector<std::string> lines(std::vector<std::string> const& list);
std::vector<std::string> lines(std::set<std::string> const& set);
std::vector<std::string> lines(std::map<std::string, std::string> const& hash);
std::vector<std::string> lines(database::scores const& zset);
std::vector<std::string> lines(record const& r);

// Names of the keys that have not expired, sorted.
std::vector<std::string> keys(keyspace& db, std::string_view pattern = "*");

// A database / all that hold anything, for people.
std::string dump(keyspace& db);
std::string dump(instance& server);

}  // namespace respkit::contents
