// Redis' way of sorting where only a part of the result is wanted.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace respkit {

// Brings the items of [first, last) to their places by order(a, b), which is negative, 0 or positive. It is
// the quicksort of Bentley and McIlroy, "Engineering a Sort Function" (1993), and follows Redis in every
// step: it is not stable, and which of several equal items come to [first, last) depends on its steps.
template <class T, class Order>
class partial_sort {
public:
    partial_sort(std::vector<T>& items, std::size_t first, std::size_t last, Order order)
        : first_(items.data() + first), last_(items.data() + last), order_(order) {
        sort(items.data(), items.data() + items.size());
    }

private:
    void sort(T* begin, T* end) {
        while (begin < last_ && first_ < end) {
            if (end - begin < 7) return insert(begin, end);
            auto const [less, more] = part(begin, end);
            // Which part is sorted first makes no difference but to the depth of the stack.
            if (less - begin < end - more) {
                sort(begin, less);
                begin = more;
            } else {
                sort(more, end);
                end = less;
            }
        }
    }

    // Where the lesser items end and the greater ones begin; what is between them is equal.
    struct parts {
        T* less;
        T* more;
    };
    parts part(T* begin, T* end) {
        std::swap(*begin, *middle(begin, end));
        // Equal ones gather at both ends: [begin, low_equal) and (high_equal, end).
        auto *low_equal = begin + 1, *low = begin + 1, *high = end - 1, *high_equal = end - 1;
        for (;; std::swap(*low++, *high--)) {
            for (int sign; low <= high && (sign = order_(*low, *begin)) <= 0; ++low)
                if (sign == 0) std::swap(*low_equal++, *low);
            for (int sign; low <= high && (sign = order_(*high, *begin)) >= 0; --high)
                if (sign == 0) std::swap(*high, *high_equal--);
            if (low > high) break;
        }
        auto const less = low - low_equal, more = high_equal - high;
        auto const low_moves = std::min(low_equal - begin, less);
        auto const high_moves = std::min(more, end - high_equal - 1);
        std::swap_ranges(begin, begin + low_moves, low - low_moves);
        std::swap_ranges(low, low + high_moves, end - high_moves);
        return {begin + less, end - more};
    }

    void insert(T* begin, T* end) {
        for (auto* fresh = begin + 1; fresh < end; ++fresh)
            for (auto* at = fresh; at > begin && order_(at[-1], *at) > 0; --at) std::swap(at[-1], *at);
    }

    T* middle(T* begin, T* end) const {
        auto const n = end - begin;
        auto *low = begin, *mid = begin + n / 2, *high = end - 1;
        if (n == 7) return mid;
        if (n > 40) {
            auto const step = n / 8;
            low = median(low, low + step, low + 2 * step);
            mid = median(mid - step, mid, mid + step);
            high = median(high - 2 * step, high - step, high);
        }
        return median(low, mid, high);
    }
    T* median(T* a, T* b, T* c) const {
        if (order_(*a, *b) < 0) return order_(*b, *c) < 0 ? b : order_(*a, *c) < 0 ? c : a;
        return order_(*b, *c) > 0 ? b : order_(*a, *c) < 0 ? a : c;
    }

    T const* first_;
    T const* last_;
    Order order_;
};

}  // namespace respkit
