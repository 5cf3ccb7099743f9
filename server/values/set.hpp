// A set of byte strings, in no order that means anything.
//
// While all its members are integers, and not too many, they are a sorted vector; after that, and for
// good, a hash table whose nodes carry their member inline.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include <respkit/resp/number.hpp>
#include <respkit/server/hash.hpp>
#include <respkit/server/random.hpp>
#include <respkit/server/table.hpp>

namespace respkit {

// Views handed to a callback die when it returns. A callback must not call the set.
class set_value {
public:
    explicit set_value(hash_seed seed) : seed_(seed) {}
    set_value(set_value const& other);
    set_value(set_value&&) = default;
    set_value& operator=(set_value&&) = default;

    std::size_t size() const { return members_ ? members_->size() : numbers_.size(); }
    bool empty() const { return size() == 0; }
    bool compact() const { return !members_; }  // Redis: "intset"

    // Whether the member is new. `most_integers`: set-max-intset-entries.
    bool add(std::string_view member, std::size_t most_integers = 512);
    bool remove(std::string_view member);
    bool contains(std::string_view member) const;

    // f(std::string_view) for every member, integers in ascending order.
    template <class F>
    void for_each(F&& f) const {
        if (members_)
            members_->for_each([&](node& n) { f(n.key()); });
        else
            for (auto const n : numbers_) f(digits(n).view());
    }

    // One step of SSCAN (see table::scan); integers come all at once.
    template <class F>
    std::uint64_t scan(std::uint64_t cursor, F&& f) const {
        if (members_) return members_->scan(cursor, [&](node& n) { f(n.key()); });
        for_each(f);
        return 0;
    }

    // f(std::string_view) for a random member; the set must not be empty.
    template <class F>
    void pick(random_source& any, F&& f) const {
        if (members_)
            f(members_->random(any)->key());
        else
            f(digits(numbers_[any.below(numbers_.size())]).view());
    }

    // The same, and removes it.
    template <class F>
    void pop(random_source& any, F&& f) {
        if (members_) {
            auto const* const lucky = members_->random(any);
            f(lucky->key());
            discard(members_->find(lucky->key(), lucky->hash));
        } else {
            auto const at = static_cast<std::ptrdiff_t>(any.below(numbers_.size()));
            f(digits(numbers_.begin()[at]).view());
            numbers_.erase(numbers_.begin() + at);
        }
    }

    // f for `count` different random members, in random order; at most size().
    template <class F>
    void sample(random_source& any, std::size_t count, F&& f) const {
        for (auto const& chosen : choose(any, count))
            members_ ? f(chosen.member) : f(digits(chosen.number).view());
    }

private:
    // One block of memory: this, then the member.
    struct node {
        node* next;
        std::uint32_t hash;
        std::uint32_t size;

        std::string_view key() const { return {reinterpret_cast<char const*>(this + 1), size}; }
        static node* make(std::string_view member);
        static void destroy(node* n);
    };

    class digits {
    public:
        explicit digits(std::int64_t n) : end_(resp::write_integer(text_, n)) {}
        std::string_view view() const { return {text_, static_cast<std::size_t>(end_ - text_)}; }

    private:
        char text_[resp::integer_digits];
        char const* end_;
    };

    struct choice {
        std::int64_t number;
        std::string_view member;
    };
    std::vector<choice> choose(random_source& any, std::size_t count) const;

    void discard(node** link) { node::destroy(members_->take(link)); }
    void expand();

    hash_seed seed_;
    std::vector<std::int64_t> numbers_;     // sorted
    std::unique_ptr<table<node>> members_;  // once not null, numbers_ is empty
};

}  // namespace respkit
