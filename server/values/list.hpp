// A list: byte strings in order, cheap at both ends.
//
// A doubly linked chain of chunks, each one block of memory with up to ~8 KiB of entries side by side; an
// entry that is larger has a chunk of its own. An entry carries its length on both sides, so that a walk
// goes either way without an index, and a chunk has its free bytes on both sides, so that both ends push
// without moving what is there. An index is found by skipping whole chunks from the nearer end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <respkit/server/hash.hpp>
#include <respkit/server/values/packed.hpp>

namespace respkit {

// Values are shorter than 4 GiB. Views and cursors are valid until the next change of the list; values
// handed in must not point into the list.
class list_value {
    struct chunk;

public:
    explicit list_value(hash_seed) {}
    ~list_value();
    list_value(list_value const& other);
    list_value& operator=(list_value const&) = delete;

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }

    // Stands on an element; false once it has gone off either end.
    class cursor {
    public:
        explicit operator bool() const { return chunk_ != nullptr; }
        std::string_view operator*() const;
        void next();
        void previous();

    private:
        friend class list_value;
        cursor(chunk* c, std::uint32_t at) : chunk_(c), at_(at) {}
        char* entry() const;

        chunk* chunk_;
        std::uint32_t at_;  // where the entry begins
    };
    cursor first() const;
    cursor last() const;
    cursor at(std::size_t index) const;

    // front() and back() need an element.
    std::string_view front() const { return *first(); }
    std::string_view back() const { return *last(); }
    void push_front(std::string_view value) { push(value, true); }
    void push_back(std::string_view value) { push(value, false); }
    void pop_front() { remove_front(1); }
    void pop_back() { remove_back(1); }

    // The cursor that stands on the new element.
    cursor insert_before(cursor where, std::string_view value);
    cursor insert_after(cursor where, std::string_view value);
    void set(cursor where, std::string_view value);

    // Takes `count` elements off one end; at most size().
    void remove_front(std::size_t count);
    void remove_back(std::size_t count);
    // Removes the first (or the last) `most` elements that equal `value`; tells how many it found.
    std::size_t remove(std::string_view value, std::size_t most, bool from_back);

    // Bytes asked of malloc, this object aside.
    std::size_t footprint() const;

private:
    struct chunk {
        chunk* previous;
        chunk* next;
        std::uint32_t count;     // entries
        std::uint32_t capacity;  // bytes behind this header, of which
        std::uint32_t begin;     // these are in use
        std::uint32_t end;

        char* bytes() { return reinterpret_cast<char*>(this + 1); }
        std::size_t used() const { return end - begin; }
    };
    static constexpr std::size_t limit = 8192 - sizeof(chunk) - 16;  // what malloc adds stays within 8 KiB

    static chunk* allocate(std::size_t capacity);

    void push(std::string_view value, bool front);
    void put(chunk* c, std::string_view value, bool front);
    cursor insert(chunk* c, std::uint32_t at, std::string_view value);
    cursor insert_chunk(chunk* after, std::string_view value);
    chunk* make_room(chunk* c, std::size_t n, bool front);
    chunk* resize(chunk* c, std::size_t capacity, std::size_t begin);
    chunk* split(chunk* c, std::uint32_t at);
    void erase(cursor where);
    std::size_t filter(chunk* c, std::string_view value, std::size_t keep, std::size_t most);
    void tidy(chunk* c);
    void link(chunk* c, chunk* after);
    void unlink(chunk* c);

    chunk* head_ = nullptr;
    chunk* tail_ = nullptr;
    std::size_t size_ = 0;
};

inline char* list_value::cursor::entry() const { return chunk_->bytes() + at_; }

inline std::string_view list_value::cursor::operator*() const { return packed::read(entry()); }

inline void list_value::cursor::next() {
    at_ += static_cast<std::uint32_t>(packed::entry_size((**this).size()));
    if (at_ != chunk_->end) return;
    chunk_ = chunk_->next;
    at_ = chunk_ ? chunk_->begin : 0;
}

inline void list_value::cursor::previous() {
    if (at_ == chunk_->begin) {
        chunk_ = chunk_->previous;
        at_ = chunk_ ? chunk_->end : 0;
        if (!chunk_) return;
    }
    at_ -= static_cast<std::uint32_t>(packed::size_before(entry()));
}

inline list_value::cursor list_value::first() const { return {head_, head_ ? head_->begin : 0}; }

inline list_value::cursor list_value::last() const {
    if (!tail_) return {nullptr, 0};
    cursor c(tail_, tail_->end);
    c.previous();
    return c;
}

}  // namespace respkit
