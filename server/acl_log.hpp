// ACL LOG: what has been denied lately.
#pragma once

#include <cstdint>
#include <list>
#include <string>

#include <respkit/server/acl.hpp>

namespace respkit {

class acl_log {
public:
    enum class context : std::uint8_t { toplevel, multi, lua };
    struct entry {
        denial::reason why;
        context where;
        std::string object;  // the command, key, channel, or the word that was to log in
        std::string user;
        std::int64_t at;     // Unix milliseconds
        std::string client;  // its line of CLIENT LIST
        std::uint64_t count = 1;
    };

    // The same again within a minute counts up. No more than `most` are kept.
    void add(entry e, std::size_t most);
    void clear() { entries_.clear(); }
    std::list<entry> const& entries() const { return entries_; }  // the newest first

private:
    std::list<entry> entries_;
};

}  // namespace respkit
