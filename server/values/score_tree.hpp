// A large sorted set: what is said of sorted_set holds here, too.
//
// A hash table finds a member's node. A B+ tree over the nodes keeps the order: its leaves hold scores and
// nodes side by side, so that a search compares what lies together in memory and looks into a node only
// when scores are equal; its branches hold how many elements are below, so that ranks take logarithmic
// time too. Each node knows its neighbours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <respkit/server/hash.hpp>
#include <respkit/server/table.hpp>

namespace respkit {

class score_tree {
    // One block of memory: this, then the member.
    struct node {
        node* next;  // the table's
        std::uint32_t hash;
        std::uint32_t size;
        double score;
        node* before;
        node* after;

        std::string_view key() const { return {reinterpret_cast<char const*>(this + 1), size}; }
        static node* make(std::string_view member, double score);
        static void destroy(node* n);
    };

public:
    explicit score_tree(hash_seed seed) : nodes_(seed) {}
    ~score_tree();
    score_tree(score_tree const&) = delete;
    score_tree& operator=(score_tree const&) = delete;

    std::size_t size() const { return nodes_.size(); }

    class element {
    public:
        element() = default;
        explicit operator bool() const { return node_ != nullptr; }
        std::string_view member() const { return node_->key(); }
        double score() const { return node_->score; }
        element next() const { return element(node_->after); }
        element previous() const { return element(node_->before); }

    private:
        friend class score_tree;
        explicit element(node* n) : node_(n) {}
        node* node_ = nullptr;
    };

    element find(std::string_view member) const;
    element first() const { return element(first_); }
    element last() const { return element(last_); }
    element at(std::size_t rank) const;
    std::size_t rank(element e) const;
    std::size_t below(double score, bool inclusive = false) const;
    std::size_t below(std::string_view member, bool inclusive = false) const;

    void insert(std::string_view member, double score);
    void score(element e, double score);
    void erase(element e);

    template <class F>
    std::uint64_t scan(std::uint64_t cursor, F&& f) const {
        return nodes_.scan(cursor, [&](node& n) { f(n.key(), n.score); });
    }

private:
    struct place {
        double score;
        node* element;
    };
    struct branch {
        place first;  // the least element below
        void* child;
        std::size_t size;  // elements below
    };
    // One block of memory: this, then room for `capacity` slots.
    template <class Slot>
    struct block {
        std::uint32_t count;
        std::uint32_t capacity;
        Slot* slots() { return reinterpret_cast<Slot*>(this + 1); }
        Slot const* slots() const { return reinterpret_cast<Slot const*>(this + 1); }
    };
    using leaf = block<place>;
    using inner = block<branch>;

    // The way from the root to a leaf: steps[h] is the block at height h > 0 and the slot taken.
    struct step {
        inner* at;
        std::uint32_t slot;
    };
    static constexpr std::size_t tallest = 40;
    struct path {
        step steps[tallest];
        leaf* end;
        std::uint32_t place;  // of the first that is not less than what was looked for
    };

    template <class Right, class Less>
    void descend(Right&& goes_right, Less&& is_less, path& to) const;
    void descend(node const& n, path& to) const;
    template <class Less>
    std::size_t count_while(Less&& is_less) const;
    std::size_t rank(path const& way) const;
    // These allocate blocks of a kilobyte and could not go back half-way: without memory even for that the
    // program ends, as Redis does.
    void link(node* n) noexcept;
    void unlink(node* n) noexcept;
    void split(path const& way, branch fresh);
    void settle(path const& way);
    static void unite(inner* parent, std::uint32_t slot, std::size_t height);
    static void release(void* root, std::size_t height);

    mutable table<node> nodes_;  // looking something up moves its buckets along
    void* root_ = nullptr;       // a leaf if height_ is 0, else an inner block
    std::size_t height_ = 0;
    node* first_ = nullptr;
    node* last_ = nullptr;
};

}  // namespace respkit
