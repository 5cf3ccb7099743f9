// A small sorted set: what is said of sorted_set holds here, too.
//
// One string with all elements in their order. Each is its score, then its member as list_value has it, with
// the length on both sides, so that a walk goes either way.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

#include <respkit/server/values/packed.hpp>

namespace respkit {

class packed_scores {
public:
    std::size_t size() const { return size_; }

    class element {
    public:
        element() = default;
        explicit operator bool() const { return at_ != nullptr; }
        std::string_view member() const { return packed::read(at_ + sizeof(double)); }
        double score() const {
            double score;
            std::memcpy(&score, at_, sizeof score);
            return score;
        }
        element next() const { return of_->before_end(at_ + size()); }
        element previous() const { return at_ == of_->begin() ? element() : of_->ends_at(at_); }

    private:
        friend class packed_scores;
        element(packed_scores const* of, char const* at) : of_(of), at_(at) {}
        std::size_t size() const { return sizeof(double) + packed::entry_size(member().size()); }

        packed_scores const* of_ = nullptr;
        char const* at_ = nullptr;
    };

    element find(std::string_view member) const;
    element first() const { return before_end(begin()); }
    element last() const { return size_ ? ends_at(end()) : element(); }
    element at(std::size_t rank) const;
    std::size_t rank(element e) const;

    // How many of the first elements are so.
    template <class Less>
    std::size_t count_while(Less&& is_less) const {
        std::size_t n = 0;
        for (auto e = first(); e && is_less(e); e = e.next()) ++n;
        return n;
    }

    void insert(std::string_view member, double score);
    void push_back(std::string_view member, double score);  // which belongs there
    void score(element e, double score);
    void erase(element first, std::size_t count = 1);

private:
    char const* begin() const { return bytes_.data(); }
    char const* end() const { return bytes_.data() + bytes_.size(); }
    element before_end(char const* at) const { return at == end() ? element() : element(this, at); }
    element ends_at(char const* end) const { return {this, end - packed::size_before(end) - sizeof(double)}; }
    void put(std::size_t at, std::string_view member, double score);

    std::string bytes_;
    std::size_t size_ = 0;
};

}  // namespace respkit
