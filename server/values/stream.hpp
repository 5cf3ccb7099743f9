// A stream: entries of fields with values, in the order of their ids.
//
// Entries lie packed in blocks, and those whose fields are called like the first entry's of their block store
// values only. Blocks end where Redis' nodes end: trimming by "about so many" takes whole ones away, and
// leaves as many entries as Redis would.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <respkit/server/hash.hpp>
#include <respkit/server/values/packed.hpp>

namespace respkit {

struct stream_id {
    std::uint64_t ms = 0;
    std::uint64_t sequence = 0;

    auto operator<=>(stream_id const&) const = default;
    static constexpr stream_id greatest() { return {~std::uint64_t{0}, ~std::uint64_t{0}}; }
    std::optional<stream_id> next() const;
    std::optional<stream_id> previous() const;
    std::string text() const;  // "5-0"
};

// How much of a stream goes: all but the last entries, or all before an id.
struct stream_trim {
    enum { none, length, id } by = none;
    std::uint64_t most_entries = 0;
    stream_id first_kept = {};
    bool roughly = false;     // whole blocks only, so a little less
    std::uint64_t limit = 0;  // of entries to take away; 0: none
};

// Views are valid until the next change; what is handed in must not point into the stream.
class stream_value {
    struct block;

public:
    static constexpr std::size_t block_entries = 100;                // Redis: stream-node-max-entries
    static constexpr std::size_t block_bytes = 4096;                 // and stream-node-max-bytes
    static constexpr std::size_t most_bytes = std::size_t{1} << 30;  // in one entry

    explicit stream_value(hash_seed) {}

    std::size_t size() const { return size_; }
    std::size_t footprint() const {  // bytes of its blocks
        std::size_t out = 0;
        for (auto const& b : blocks_) out += sizeof b + b.names.capacity() + b.bytes.capacity();
        return out;
    }
    stream_id last_id() const { return last_id_; }  // that was ever given, though its entry may be gone

    // `words`: field value field value …; `id` is greater than last_id().
    void append(stream_id id, std::span<std::string_view const> words);
    bool erase(stream_id id);
    std::size_t trim(stream_trim const& t);  // returns how many entries are gone

    class entry {
    public:
        stream_id id;
        std::size_t size = 0;  // in fields

        // f(field, value) for every field.
        template <class F>
        void for_each(F&& f) const {
            auto const* name = names_;
            auto const* at = bytes_;
            for (auto left = size; left; --left) {
                auto const field = packed::read(name ? name : at);
                auto const* const after = field.data() + field.size();
                auto const value = packed::read(name ? at : after);
                at = value.data() + value.size();
                if (name) name = after;
                f(field, value);
            }
        }

    private:
        friend class stream_value;
        char const* names_ = nullptr;  // of its fields, if they do not stand before their values
        char const* bytes_ = nullptr;
    };

    // The entries from `first` to `last`, both included, but no more than `most`.
    std::vector<entry> range(stream_id first, stream_id last, std::size_t most) const;
    // Those counted from `last` backwards, the last one first.
    std::vector<entry> reverse_range(stream_id first, stream_id last, std::size_t most) const;

private:
    struct block {
        stream_id first;  // of the entries that were ever in it; ids are stored relative to it
        stream_id last;
        std::size_t live = 0;
        std::size_t gone = 0;
        std::size_t weight = 0;  // in bytes of Redis' node, which keeps entries that are gone
        std::size_t name_count = 0;
        std::string names;  // of the first entry's fields
        std::string bytes;

        bool takes(std::size_t payload) const {
            return weight + payload < block_bytes && live + gone < block_entries;
        }
        void begin(stream_id id, std::span<std::string_view const> words);
        void append(stream_id id, std::span<std::string_view const> words);
        bool has_names_of(std::span<std::string_view const> words) const;
        // The entry at `at`, which is moved behind it.
        entry read(char const*& at) const;
        char const* end() const { return bytes.data() + bytes.size(); }
        bool erase(stream_id id);
        // Takes `count` entries away from the front.
        void drop(std::size_t count);
        std::size_t count_before(stream_id id) const;
    };
    std::deque<block>::const_iterator block_of(stream_id id) const;

    std::deque<block> blocks_;
    std::size_t size_ = 0;
    stream_id last_id_;
};

}  // namespace respkit
