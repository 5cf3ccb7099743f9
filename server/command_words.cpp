#include <respkit/server/command_words.hpp>

namespace respkit {

std::uint32_t categories_of(command const& row) {
    auto all = row.categories;
    auto const implies = [&](std::uint32_t flags, std::uint32_t categories) {
        if (row.flags & flags) all |= categories;
    };
    implies(flag::write, category::write);
    if (!(all & category::scripting)) implies(flag::readonly, category::read);
    implies(flag::admin, category::admin | category::dangerous);
    implies(flag::pubsub, category::pubsub);
    implies(flag::blocking, category::blocking);
    return all | (row.flags & flag::fast ? category::fast : category::slow);
}

}  // namespace respkit
