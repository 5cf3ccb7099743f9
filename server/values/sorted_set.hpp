// Members with scores, in the order of the scores; members of equal score in the order of their bytes.
//
// While small it is one string of packed elements, else a tree: Redis' two encodings, and their limits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include <respkit/server/hash.hpp>
#include <respkit/server/random.hpp>
#include <respkit/server/values/packed_scores.hpp>
#include <respkit/server/values/score_tree.hpp>

namespace respkit {

// Members are shorter than 4 GiB, scores are not NaN. Views and elements are valid until the next change;
// what is handed in must not point into the set.
class sorted_set {
public:
    explicit sorted_set(hash_seed seed) : seed_(seed) {}
    void swap(sorted_set& other);

    std::size_t size() const { return tree_ ? tree_->size() : packed_.size(); }
    bool empty() const { return size() == 0; }
    bool compact() const { return !tree_; }  // Redis: "listpack"

    // An element, or none: before the first, behind the last, not found.
    class element {
    public:
        explicit operator bool() const { return large_ || small_; }
        std::string_view member() const { return large_ ? large_.member() : small_.member(); }
        double score() const { return large_ ? large_.score() : small_.score(); }
        element next() const { return large_ ? element(large_.next()) : element(small_.next()); }
        element previous() const { return large_ ? element(large_.previous()) : element(small_.previous()); }

    private:
        friend class sorted_set;
        explicit element(packed_scores::element e) : small_(e) {}
        explicit element(score_tree::element e) : large_(e) {}
        packed_scores::element small_;
        score_tree::element large_;
    };

    element find(std::string_view member) const;
    element first() const { return tree_ ? element(tree_->first()) : element(packed_.first()); }
    element last() const { return tree_ ? element(tree_->last()) : element(packed_.last()); }
    element at(std::size_t rank) const;
    std::size_t rank(element e) const;  // e is one of this set's

    // How many elements are below a score (inclusive: or have it). The same for a member, which has a
    // meaning only where all scores are equal.
    std::size_t below(double score, bool inclusive = false) const;
    std::size_t below(std::string_view member, bool inclusive = false) const;

    // `count` different ranks in an order that means nothing, each as likely as any other; at most size().
    std::vector<std::size_t> sample(random_source& any, std::size_t count) const;

    // Adds a member that is not there. The limits: zset-max-listpack-entries and -value.
    void insert(std::string_view member, double score, std::size_t most_entries = 128,
                std::size_t longest = 64);
    // Gives one that is there another score.
    void score(element e, double score);
    void erase(element e);
    void erase(std::size_t rank, std::size_t count);  // those from this rank on, which are there
    // Makes it compact after all, if it is within the limits.
    void pack(std::size_t most_entries, std::size_t longest);
    void unpack();

    // One step of ZSCAN (see table::scan), f(member, score); a compact set comes all at once.
    template <class F>
    std::uint64_t scan(std::uint64_t cursor, F&& f) const {
        if (tree_) return tree_->scan(cursor, f);
        for (auto e = first(); e; e = e.next()) f(e.member(), e.score());
        return 0;
    }

private:
    hash_seed seed_;
    packed_scores packed_;              // empty while there is a tree
    std::unique_ptr<score_tree> tree_;  // null in the compact form
};

}  // namespace respkit
