// When keys expire: a heap of deadlines in which each record knows its place.
#pragma once

#include <cstdint>
#include <vector>

#include <respkit/server/record.hpp>

namespace respkit {

// Unix time in milliseconds throughout. A record in here has deadline_slot != 0.
class deadlines {
public:
    std::size_t size() const { return heap_.size(); }
    bool has(record const& r) const { return r.deadline_slot != 0; }
    std::int64_t of(record const& r) const { return heap_[r.deadline_slot - 1].when; }

    // The record that expires first; there must be one.
    record& first() const { return *heap_.front().who; }
    std::int64_t first_time() const { return heap_.front().when; }

    void set(record& r, std::int64_t when) {
        if (!has(r)) {
            heap_.push_back({when, &r});
            r.deadline_slot = static_cast<std::uint32_t>(heap_.size());
        }
        std::size_t const at = r.deadline_slot - 1;
        heap_[at].when = when;
        sink(rise(at));
    }

    void remove(record& r) {
        if (!has(r)) return;
        std::size_t const at = r.deadline_slot - 1;
        r.deadline_slot = 0;
        auto const last = heap_.back();
        heap_.pop_back();
        if (at == heap_.size()) return;
        place(at, last);
        sink(rise(at));
    }

    // The record has moved to another address; its slot came along.
    void moved(record& r) {
        if (has(r)) heap_[r.deadline_slot - 1].who = &r;
    }

    std::int64_t average() const {
        long double sum = 0;
        for (auto const& e : heap_) sum += static_cast<long double>(e.when);
        return static_cast<std::int64_t>(sum / static_cast<long double>(heap_.size()));
    }

    void clear() { heap_.clear(); }

private:
    struct entry {
        std::int64_t when;
        record* who;
    };

    void place(std::size_t at, entry e) {
        heap_[at] = e;
        e.who->deadline_slot = static_cast<std::uint32_t>(at + 1);
    }
    std::size_t rise(std::size_t at) {
        entry const e = heap_[at];
        for (; at > 0 && heap_[(at - 1) / 2].when > e.when; at = (at - 1) / 2) place(at, heap_[(at - 1) / 2]);
        place(at, e);
        return at;
    }
    void sink(std::size_t at) {
        entry const e = heap_[at];
        for (std::size_t child; (child = 2 * at + 1) < heap_.size(); at = child) {
            if (child + 1 < heap_.size() && heap_[child + 1].when < heap_[child].when) ++child;
            if (heap_[child].when >= e.when) break;
            place(at, heap_[child]);
        }
        place(at, e);
    }

    std::vector<entry> heap_;
};

}  // namespace respkit
