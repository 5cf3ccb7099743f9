// MONITOR: clients that see every command.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <respkit/server/session.hpp>

namespace respkit {

class monitor_list {
public:
    bool empty() const { return sessions_.empty(); }
    bool enter(session& who);  // false: it is in
    void leave(session& who);

    // Shows them what `who`, or a script for him, has asked for, `now_us` Unix microseconds.
    void show(session const& who, std::int64_t now_us, std::span<std::string_view const> words,
              bool in_script = false) const;

private:
    std::vector<session*> sessions_;
};

}  // namespace respkit
