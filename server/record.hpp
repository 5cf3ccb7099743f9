// A key and its value: one block of memory holding the links, the key and, for a string, the value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <respkit/server/hash.hpp>

namespace respkit {

class list_value;
class set_value;
class hash_value;
class sorted_set;
class stream_value;

enum class kind : std::uint8_t { string, list, set, hash, sorted_set, stream };

// What TYPE answers.
std::string_view name_of(kind k);

template <class T>
inline constexpr kind kind_of = kind::string;
template <>
inline constexpr kind kind_of<list_value> = kind::list;
template <>
inline constexpr kind kind_of<set_value> = kind::set;
template <>
inline constexpr kind kind_of<hash_value> = kind::hash;
template <>
inline constexpr kind kind_of<sorted_set> = kind::sorted_set;
template <>
inline constexpr kind kind_of<stream_value> = kind::stream;

// How Redis would keep a string, where its bytes do not tell: what OBJECT ENCODING and REFCOUNT answer.
enum class string_form : std::uint8_t {
    automatic,  // an integer if it reads as one (small ones are shared), else text
    unshared,   // the same, but even a small integer is the key's own: made by COPY
    text,       // text even if it reads as an integer: made by INCRBYFLOAT
    raw,        // text with room to grow: written in part, by APPEND, SETRANGE, SETBIT
};

// Laid out as: record, key bytes, string bytes. Made and destroyed here only; a node of table<record>.
class record {
public:
    record* next = nullptr;
    std::uint32_t hash = 0;
    std::uint32_t deadline_slot = 0;  // where in the keyspace's deadlines, 0: never expires

    // No string may be longer, whatever proto-max-bulk-len says: sizes are 32 bits, with slack for growth.
    static constexpr std::size_t longest_text = (std::size_t{1} << 32) - (std::size_t{2} << 20);

    // Room for a string of `capacity` bytes, empty for now.
    static record* make_string(std::string_view key, std::size_t capacity);
    // Takes over a container made with new.
    template <class T>
    static record* make(std::string_view key, T* object) {
        auto* r = allocate(key, 0, kind_of<T>);
        r->object_ = object;
        return r;
    }
    // The same value under another key: a string is copied, a container shared until `r` leaves it.
    static record* with_key(record const& r, std::string_view key);
    static void leave(record* r);  // destroys all but the container
    // The same value once more. Neither knows of the other.
    static record* copy(record const& r, std::string_view key, hash_seed seed);
    static void destroy(record* r);

    std::string_view key() const { return {bytes(), key_size_}; }
    kind type() const { return static_cast<kind>(type_); }

    // When a command last looked at the value, in seconds; they wrap after half a year, as in Redis.
    void used_at(std::uint32_t second) { used_ = second & 0xffffff; }
    std::uint32_t idle(std::uint32_t second) const { return (second - used_) & 0xffffff; }

    // Strings.
    std::string_view text() const { return {bytes() + key_size_, text_.size}; }
    char* text_bytes() { return bytes() + key_size_; }
    std::size_t capacity() const { return text_.capacity; }
    // At most capacity(); bytes beyond the old size are whatever they were.
    void text_size(std::size_t n) { text_.size = static_cast<std::uint32_t>(n); }
    string_form form() const { return static_cast<string_form>(form_); }
    void form(string_form f) { form_ = static_cast<unsigned>(f) & 3; }

    // A container without elements that is no stream. Only while its command runs, or has failed.
    bool is_empty() const;

    // Containers: T must match type().
    template <class T>
    T* object() const {
        return static_cast<T*>(object_);
    }

    // Bytes of this block, as asked of malloc.
    std::size_t footprint() const {
        return sizeof(record) + key_size_ + (type() == kind::string ? text_.capacity : 0);
    }

private:
    struct extent {
        std::uint32_t size;
        std::uint32_t capacity;
    };
    static record* allocate(std::string_view key, std::size_t capacity, kind k);
    static record* copy_string(record const& r, std::string_view key);
    char* bytes() { return reinterpret_cast<char*>(this + 1); }
    char const* bytes() const { return reinterpret_cast<char const*>(this + 1); }

    std::uint32_t key_size_ = 0;
    std::uint32_t type_ : 6 = 0;
    std::uint32_t form_ : 2 = 0;
    std::uint32_t used_ : 24 = 0;
    union {
        extent text_ = {};
        void* object_;
    };
};

}  // namespace respkit
