// What an operation costs on containers of ten elements to a million.
//
// A container is described by a Kind, its operations by rows. Sizes stay what they are while something is
// measured: a row that adds an element takes one out, too.
#pragma once

#include <algorithm>
#include <benchmark/benchmark.h>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <malloc.h>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <respkit/server/random.hpp>

namespace respkit::micro {

inline constexpr std::size_t sizes[] = {10, 100, 1'000, 10'000, 100'000, 1'000'000};

// Nine bytes: the first, then a number's eight digits. With a digit as the first it reads as an integer.
class name {
public:
    name(char first, std::uint64_t n) : text_{first} {
        for (auto at = sizeof text_; --at; n /= 10) text_[at] = static_cast<char>('0' + n % 10);
    }
    operator std::string_view() const { return {text_, sizeof text_}; }

private:
    char text_[9];
};

// Something that no optimizer can know without looking at the bytes; there is at least one.
inline std::size_t touch(std::string_view bytes) {
    return bytes.size() + static_cast<unsigned char>(bytes[0]);
}

// Kind has  using container = …;
//           static constexpr char const* title, without a slash;
//           static std::unique_ptr<container> make(std::size_t size);
//           static constexpr char first;  of the names in it, which are numbered from 0
template <class Kind>
struct subject {
    explicit subject(std::size_t n) : size(n), made(Kind::make(n)) {}

    std::size_t below(std::size_t n) { return static_cast<std::size_t>(any.below(n)); }
    std::size_t random() { return below(size); }
    std::size_t central() { return size / 4 + below(size / 2); }  // in the middle half
    name present() { return {Kind::first, random()}; }
    name absent() { return {Kind::first, size + random()}; }
    typename Kind::container* operator->() { return made.get(); }

    std::size_t const size;
    std::unique_ptr<typename Kind::container> const made;
    random_source any{1};
};

template <class Kind>
struct row {
    char const* title;
    std::size_t (*run)(subject<Kind>&);  // once; what it returns depends on all that it has done
    bool per_element = false;            // it goes through all elements, and the time of one is wanted
};

// What is to be measured. Must live until it has been.
class suite {
public:
    template <class Kind>
    void measure(std::initializer_list<row<Kind>> rows) {
        for (auto const n : sizes) {
            auto const seen = std::make_shared<std::weak_ptr<subject<Kind>>>();
            for (auto const& r : rows)
                benchmark::RegisterBenchmark(
                    label<Kind>(r.title, n).c_str(),
                    [this, seen, r, n](auto& state) { repeat(state, r, *subject_of(*seen, n)); });
        }
    }

    // Counts the bytes of memory that an element costs, the container's own included.
    template <class Kind>
    void weigh() {
        for (auto const n : sizes) {
            auto const count = [n](auto& state) {
                while (state.KeepRunning()) state.counters["bytes"] = bytes_per_element<Kind>(n);
            };
            auto* const b = benchmark::RegisterBenchmark(label<Kind>("bytes", n).c_str(), count);
            b->Iterations(1)->Repetitions(1);
        }
    }

private:
    template <class Kind>
    static std::string label(char const* title, std::size_t n) {
        return std::string(Kind::title) + '/' + title + '/' + std::to_string(n);
    }

    // The rows of one size share a subject; there is one subject at a time.
    template <class Kind>
    std::shared_ptr<subject<Kind>> subject_of(std::weak_ptr<subject<Kind>>& seen, std::size_t n) {
        if (auto s = seen.lock()) return s;
        current_.reset();
        auto s = std::make_shared<subject<Kind>>(n);
        seen = s;
        current_ = s;
        return s;
    }

    template <class Kind>
    static void repeat(benchmark::State& state, row<Kind> const& r, subject<Kind>& s) {
        auto const batch = static_cast<benchmark::IterationCount>(r.per_element ? s.size : 1);
        while (state.KeepRunningBatch(batch)) benchmark::DoNotOptimize(r.run(s));
        if constexpr (requires { s->size(); })
            if (s->size() != s.size) state.SkipWithError("the size has changed");
    }

    static double bytes_in_use() {
        auto const info = mallinfo2();
        return static_cast<double>(info.uordblks + info.hblkhd);
    }

    // Of so many copies that what malloc keeps for itself does not count.
    template <class Kind>
    static double bytes_per_element(std::size_t n) {
        std::vector<std::unique_ptr<typename Kind::container>> copies(std::max<std::size_t>(100'000 / n, 1));
        auto const before = bytes_in_use();
        for (auto& c : copies) c = Kind::make(n);
        return (bytes_in_use() - before) / static_cast<double>(n * copies.size());
    }

    std::shared_ptr<void> current_;
};

// The families of rows.
void add_overhead(suite& s);
void add_lists(suite& s);
void add_sets(suite& s);
void add_hashes(suite& s);
void add_sorted_sets(suite& s);
void add_streams(suite& s);
void add_keyspaces(suite& s);
void add_commands(suite& s);

}  // namespace respkit::micro
