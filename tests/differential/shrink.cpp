#include "shrink.hpp"

#include <respkit/resp/text.hpp>
#include <respkit/resp/value.hpp>

namespace respkit::differential {
namespace {

class shrinker {
public:
    shrinker(player& play, script const& whole, difference const& first)
        : play_(play), best_{whole, first, false}, row_(first.row) {
        best_.few.steps.resize(first.step + 1);
    }

    shrunk run() {
        // What only happens between pipelined requests stays pipelined.
        for (int tries = 0; tries < 3 && !best_.again; ++tries)
            for (bool const pipelined : {false, true}) {
                pipelined_ = pipelined;
                if (fails(best_.few)) break;
            }
        if (!best_.again) return best_;
        for (std::size_t chunk = best_.few.steps.size() / 2; chunk > 1; chunk /= 2) drop_steps(chunk);
        bool shorter = true;
        while (shorter) {
            shorter = drop_steps(1);
            drop_words();
        }
        return best_;
    }

private:
    // Keeps the round if it still fails.
    bool fails(script const& r) {
        if (replays_++ > 2000) return false;
        auto const found = play_.play(r, pipelined_);
        if (!found || found->row != row_) return false;
        best_.few = r;
        best_.few.steps.resize(found->step + 1);
        best_.what = *found;
        best_.again = true;
        return true;
    }

    bool drop_steps(std::size_t chunk) {
        bool any = false;
        for (std::size_t end = best_.few.steps.size(); end >= chunk;) {
            auto shorter = best_.few;
            auto const last = std::min(end, shorter.steps.size());
            if (last < chunk || shorter.steps.size() == chunk) break;
            auto const from = shorter.steps.begin() + static_cast<std::ptrdiff_t>(last - chunk);
            shorter.steps.erase(from, from + static_cast<std::ptrdiff_t>(chunk));
            if (fails(shorter)) any = true;
            end = last - chunk;
        }
        return any;
    }

    void drop_words() {
        for (std::size_t s = 0; s < best_.few.steps.size(); ++s)
            for (std::size_t r = 0; s < best_.few.steps.size() && r < best_.few.steps[s].requests.size(); ++r)
                for (std::size_t width : {8u, 4u, 2u, 1u})
                    if (may_drop_words(s, r)) drop_words(s, r, width);
    }

    bool may_drop_words(std::size_t s, std::size_t r) const {
        return s < best_.few.steps.size() && r < best_.few.steps[s].requests.size() &&
               best_.few.steps[s].requests.size() == 1 && !best_.few.steps[s].requests[r].from->whole;
    }

    void drop_words(std::size_t s, std::size_t r, std::size_t width) {
        auto const words = [&] { return best_.few.steps[s].requests[r].words.size(); };
        auto const name = name_words(best_.few.steps[s].requests[r].from->row).size();
        for (std::size_t end = words(); end >= name + width;) {
            auto shorter = best_.few;
            auto& of = shorter.steps[s].requests[r].words;
            auto const from = of.begin() + static_cast<std::ptrdiff_t>(end - width);
            of.erase(from, from + static_cast<std::ptrdiff_t>(width));
            fails(shorter);
            if (s >= best_.few.steps.size()) return;
            end = std::min(end - width, words());
        }
    }

    player& play_;
    shrunk best_;
    std::string row_;
    bool pipelined_ = false;
    int replays_ = 0;
};

// All replies in `bytes`, for people.
std::string readable(std::string_view bytes) {
    if (bytes.empty()) return "(nothing)";
    std::string out;
    std::size_t used = 0;
    while (auto const v = resp::parse_value(bytes, &used)) {
        out += (out.empty() ? "" : " ") + resp::print(*v);
        bytes.remove_prefix(used);
    }
    return bytes.empty() ? out : out + std::string(bytes);
}

}  // namespace

shrunk shrink(player& play, script const& whole, difference const& first) {
    return shrinker(play, whole, first).run();
}

std::string print_case(player& play, shrunk const& s) {
    play.play(s.few, false);
    fixtures::test_case c;
    auto name = s.what.what.from->row;
    for (auto& letter : name)
        if (letter == '|') letter = '-';
    c.id = "found/" + name + "-" + std::to_string(s.few.seed);
    c.steps = play.transcript();
    constexpr std::size_t most = 6000;
    auto const cut = [](std::string text) {
        return text.size() <= most ? text : text.substr(0, most) + " ...";
    };
    return cut(fixtures::format({{c}, {}})) + "# redis  " + cut(readable(s.what.expected)) + "\n# mock   " +
           cut(readable(s.what.found)) + "\n";
}

}  // namespace respkit::differential
