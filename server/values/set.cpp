#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <unordered_set>

#include <respkit/server/values/set.hpp>

namespace respkit {

set_value::node* set_value::node::make(std::string_view member) {
    void* block = std::malloc(sizeof(node) + member.size());
    if (!block) throw std::bad_alloc();
    auto* n = new (block) node{nullptr, 0, static_cast<std::uint32_t>(member.size())};
    if (!member.empty()) std::memcpy(n + 1, member.data(), member.size());
    return n;
}

void set_value::node::destroy(node* n) { std::free(n); }

set_value::set_value(set_value const& other) : seed_(other.seed_), numbers_(other.numbers_) {
    if (!other.members_) return;
    members_ = std::make_unique<table<node>>(seed_);
    other.members_->for_each([&](node& n) { members_->insert(node::make(n.key()), n.hash); });
}

// From numbers to nodes.
void set_value::expand() {
    members_ = std::make_unique<table<node>>(seed_);
    for (auto const n : numbers_) members_->insert(node::make(digits(n).view()));
    std::vector<std::int64_t>().swap(numbers_);  // assigning {} would keep its memory
}

bool set_value::add(std::string_view member, std::size_t most_integers) {
    if (!members_) {
        if (auto const n = resp::parse_integer(member)) {
            auto const at = std::lower_bound(numbers_.begin(), numbers_.end(), *n);
            if (at != numbers_.end() && *at == *n) return false;
            numbers_.insert(at, *n);
            if (numbers_.size() > most_integers) expand();
            return true;
        }
        expand();
    }
    auto const h = members_->hash(member);
    if (members_->find(member, h)) return false;
    members_->insert(node::make(member), h);
    return true;
}

bool set_value::remove(std::string_view member) {
    if (members_) return members_->erase(member);
    auto const n = resp::parse_integer(member);
    if (!n) return false;
    auto const at = std::lower_bound(numbers_.begin(), numbers_.end(), *n);
    if (at == numbers_.end() || *at != *n) return false;
    numbers_.erase(at);
    return true;
}

bool set_value::contains(std::string_view member) const {
    if (members_) return members_->contains(member);
    auto const n = resp::parse_integer(member);
    return n && std::binary_search(numbers_.begin(), numbers_.end(), *n);
}

std::vector<set_value::choice> set_value::choose(random_source& any, std::size_t count) const {
    std::vector<choice> chosen;
    if (members_ && count < size() / 3) {  // few of many: draw until new
        std::unordered_set<node const*> seen;
        while (chosen.size() < count)
            if (auto const* n = members_->random(any); seen.insert(n).second) chosen.push_back({0, n->key()});
        return chosen;
    }
    chosen.reserve(size());
    if (members_)
        members_->for_each([&](node& n) { chosen.push_back({0, n.key()}); });
    else
        for (auto const n : numbers_) chosen.push_back({n, {}});
    for (std::size_t i = 0; i < count; ++i) std::swap(chosen[i], chosen[i + any.below(chosen.size() - i)]);
    chosen.resize(count);
    return chosen;
}

}  // namespace respkit
