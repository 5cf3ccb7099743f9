#include <unordered_set>
#include <utility>

#include <respkit/server/values/sorted_set.hpp>

namespace respkit {
namespace {

// Redis writes integral scores of small sets as integers, which know no -0.
double small_score(double score) { return score == 0 ? 0.0 : score; }

}  // namespace

void sorted_set::swap(sorted_set& other) {
    std::swap(seed_, other.seed_);
    std::swap(packed_, other.packed_);
    std::swap(tree_, other.tree_);
}

sorted_set::element sorted_set::find(std::string_view member) const {
    return tree_ ? element(tree_->find(member)) : element(packed_.find(member));
}

sorted_set::element sorted_set::at(std::size_t rank) const {
    return tree_ ? element(tree_->at(rank)) : element(packed_.at(rank));
}

std::size_t sorted_set::rank(element e) const {
    return tree_ ? tree_->rank(e.large_) : packed_.rank(e.small_);
}

std::size_t sorted_set::below(double score, bool inclusive) const {
    if (tree_) return tree_->below(score, inclusive);
    return packed_.count_while(
        [&](auto const& e) { return e.score() < score || (inclusive && e.score() == score); });
}

std::size_t sorted_set::below(std::string_view member, bool inclusive) const {
    if (tree_) return tree_->below(member, inclusive);
    return packed_.count_while(
        [&](auto const& e) { return e.member() < member || (inclusive && e.member() == member); });
}

void sorted_set::insert(std::string_view member, double score, std::size_t most_entries,
                        std::size_t longest) {
    if (size() >= most_entries || member.size() > longest) unpack();
    tree_ ? tree_->insert(member, score) : packed_.insert(member, small_score(score));
}

void sorted_set::score(element e, double score) {
    tree_ ? tree_->score(e.large_, score) : packed_.score(e.small_, small_score(score));
}

void sorted_set::erase(element e) { tree_ ? tree_->erase(e.large_) : packed_.erase(e.small_); }

void sorted_set::erase(std::size_t rank, std::size_t count) {
    if (count == 0) return;
    if (!tree_) return packed_.erase(packed_.at(rank), count);
    for (auto e = tree_->at(rank); count; --count) {
        auto const following = e.next();
        tree_->erase(e);
        e = following;
    }
}

void sorted_set::pack(std::size_t most_entries, std::size_t longest) {
    if (!tree_ || size() > most_entries) return;
    for (auto e = first(); e; e = e.next())
        if (e.member().size() > longest) return;
    for (auto e = first(); e; e = e.next()) packed_.push_back(e.member(), small_score(e.score()));
    tree_.reset();
}

void sorted_set::unpack() {
    if (tree_) return;
    auto tree = std::make_unique<score_tree>(seed_);
    for (auto e = first(); e; e = e.next()) tree->insert(e.member(), e.score());
    tree_ = std::move(tree);
    std::exchange(packed_, packed_scores());  // assigning {} alone would keep its memory
}

// Floyd's way: as many draws as there are ranks to choose.
std::vector<std::size_t> sorted_set::sample(random_source& any, std::size_t count) const {
    std::vector<std::size_t> ranks;
    ranks.reserve(count);
    std::unordered_set<std::size_t> seen;
    for (auto last = size() - count; last < size(); ++last) {
        auto const drawn = any.below(last + 1);
        ranks.push_back(seen.insert(drawn).second ? drawn : last);
        seen.insert(ranks.back());
    }
    return ranks;
}

}  // namespace respkit
