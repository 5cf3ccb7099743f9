// The hash table under everything: the keyspace, sets and hashes.
//
// Chained buckets, a power of two of them, over nodes that carry their own link and hash: a record is one
// block of memory and its key is stored nowhere else. Growing and shrinking move one bucket at each
// operation (both bucket arrays live meanwhile), so no request waits for a rehash of millions. scan() walks
// buckets in reverse-binary order, which makes a cursor valid across growth and shrinking: an element that
// is there from the first call to the last is returned at least once.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <string_view>
#include <utility>

#include <respkit/server/hash.hpp>
#include <respkit/server/random.hpp>

namespace respkit {

// Node has:  Node* next; std::uint32_t hash;   for the table's use
//            std::string_view key() const;
//            static void destroy(Node*);       called for every node the table still owns when it dies
template <class Node>
class table {
public:
    explicit table(hash_seed seed) : seed_(seed) {}
    ~table() { clear(); }
    table(table const&) = delete;
    table& operator=(table const&) = delete;

    void swap(table& other) {
        std::swap(seed_, other.seed_);
        std::swap(now_, other.now_);
        std::swap(next_, other.next_);
        std::swap(moved_, other.moved_);
        std::swap(size_, other.size_);
    }

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    std::size_t buckets() const { return now_.count + next_.count; }
    std::uint32_t hash(std::string_view key) const {
        return static_cast<std::uint32_t>(siphash13(key, seed_));
    }

    // The link that points at the node, or null. Assigning to *link replaces the node (same key, same
    // hash). Valid until the next call of a non-const member.
    Node** find(std::string_view key) { return find(key, hash(key)); }
    Node** find(std::string_view key, std::uint32_t h) {
        if (moving()) move_some();
        if (size_ == 0) return nullptr;
        if (moving()) {
            std::size_t const at = h & next_.mask();
            if (auto** link = search(&next_.heads[at], key, h)) return link;
        }
        return search(&now_.heads[h & now_.mask()], key, h);
    }
    bool contains(std::string_view key) { return find(key) != nullptr; }

    // Takes over a node whose key is not in the table. Sets its hash.
    void insert(Node* node) { insert(node, hash(node->key())); }
    void insert(Node* node, std::uint32_t h) {
        if (moving())
            move_some();
        else if (size_ >= now_.count)
            resize(now_.count ? 2 * now_.count : smallest);
        node->hash = h;
        auto& home = moving() ? next_ : now_;
        auto** head = &home.heads[h & home.mask()];
        node->next = *head;
        *head = node;
        ++size_;
    }

    // Unlinks and returns the node at a link given by find(); the caller owns it.
    Node* take(Node** link) {
        Node* node = *link;
        *link = node->next;
        --size_;
        if (moving()) move_some();
        if (!moving() && now_.count > smallest && size_ < now_.count / 8) resize(std::bit_ceil(size_ + 1));
        return node;
    }
    bool erase(std::string_view key) {
        auto** link = find(key);
        if (!link) return false;
        Node::destroy(take(link));
        return true;
    }

    void clear() {
        for (auto* array : {&now_, &next_})
            for (std::size_t i = 0; i < array->count; ++i)
                for (Node* node = array->heads[i]; node;) Node::destroy(std::exchange(node, node->next));
        now_ = {};
        next_ = {};
        size_ = 0;
        moved_ = 0;
    }

    // f(Node&) for every node. f must not change the table.
    template <class F>
    void for_each(F&& f) const {
        for (auto const* array : {&now_, &next_})
            for (std::size_t i = 0; i < array->count; ++i)
                for (Node* node = array->heads[i]; node; node = node->next) f(*node);
    }

    // Visits one bucket (while moving: one of the smaller array and all it splits into) and returns the
    // cursor to go on with; 0 begins and means done. f must not change the table.
    template <class F>
    std::uint64_t scan(std::uint64_t cursor, F&& f) const {
        if (size_ == 0) return 0;
        auto const* small = &now_;
        auto const* large = &next_;
        if (!moving()) {
            visit(small->heads[cursor & small->mask()], f);
            return advance(cursor, small->mask());
        }
        if (small->count > large->count) std::swap(small, large);
        visit(small->heads[cursor & small->mask()], f);
        do {
            visit(large->heads[cursor & large->mask()], f);
            cursor = advance(cursor, large->mask());
        } while (cursor & (small->mask() ^ large->mask()));
        return cursor;
    }

    // A random bucket that is not empty, a random node of it; null if there is none.
    Node* random(random_source& any) {
        if (size_ == 0) return nullptr;
        if (moving()) move_some();
        Node* head = nullptr;
        while (!head) {
            if (moving()) {
                std::size_t const at = moved_ + any.below(now_.count - moved_ + next_.count);
                head = at < now_.count ? now_.heads[at] : next_.heads[at - now_.count];
            } else {
                head = now_.heads[any.below(now_.count)];
            }
        }
        std::size_t length = 0;
        for (Node* node = head; node; node = node->next) ++length;
        for (auto skip = any.below(length); skip; --skip) head = head->next;
        return head;
    }

private:
    static constexpr std::size_t smallest = 4;

    // calloc'ed, so that a large array costs no time before its pages are used.
    struct heads_array {
        struct release {
            void operator()(Node** p) const { std::free(p); }
        };
        std::unique_ptr<Node*[], release> heads;
        std::size_t count = 0;
        std::size_t mask() const { return count - 1; }
    };

    static heads_array allocate(std::size_t count) {
        heads_array a;
        a.heads.reset(static_cast<Node**>(std::calloc(count, sizeof(Node*))));
        if (!a.heads) throw std::bad_alloc();
        a.count = count;
        return a;
    }

    bool moving() const { return next_.count != 0; }

    void resize(std::size_t count) {
        if (count < smallest) count = smallest;
        if (now_.count == 0)
            now_ = allocate(count);
        else if (count != now_.count)
            try {
                next_ = allocate(count);
            } catch (std::bad_alloc const&) {
                // As it is it works, too, only slower.
            }
    }

    // Moves one non-empty bucket, looking at no more than eight cache lines of empty ones.
    void move_some() {
        for (int empties = 64; moved_ < now_.count && !now_.heads[moved_]; ++moved_)
            if (--empties == 0) return;
        if (moved_ < now_.count) {
            Node* node = std::exchange(now_.heads[moved_++], nullptr);
            while (node) {
                Node* following = node->next;
                auto** head = &next_.heads[node->hash & next_.mask()];
                node->next = *head;
                *head = node;
                node = following;
            }
        }
        if (moved_ == now_.count) {
            now_ = std::move(next_);
            next_ = {};
            moved_ = 0;
        }
    }

    Node** search(Node** link, std::string_view key, std::uint32_t h) {
        for (; *link; link = &(*link)->next)
            if ((*link)->hash == h && (*link)->key() == key) return link;
        return nullptr;
    }

    template <class F>
    static void visit(Node* node, F&& f) {
        for (; node; node = node->next) f(*node);
    }

    // Increments the cursor's bits under the mask from the highest down.
    static std::uint64_t advance(std::uint64_t cursor, std::uint64_t mask) {
        return reverse(reverse(cursor | ~mask) + 1);
    }
    static std::uint64_t reverse(std::uint64_t v) {
        v = ((v >> 1) & 0x5555555555555555ULL) | ((v & 0x5555555555555555ULL) << 1);
        v = ((v >> 2) & 0x3333333333333333ULL) | ((v & 0x3333333333333333ULL) << 2);
        v = ((v >> 4) & 0x0f0f0f0f0f0f0f0fULL) | ((v & 0x0f0f0f0f0f0f0f0fULL) << 4);
        return __builtin_bswap64(v);
    }

    hash_seed seed_;
    heads_array now_;
    heads_array next_;       // where nodes are moving to; empty otherwise
    std::size_t moved_ = 0;  // buckets of now_ below this one have moved
    std::size_t size_ = 0;
};

}  // namespace respkit
