// A hash: fields with values.
//
// While small it is one string of packed pairs in the order in which the fields came; after that, and for
// good, a hash table whose nodes carry field and value inline.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <respkit/server/hash.hpp>
#include <respkit/server/random.hpp>
#include <respkit/server/table.hpp>
#include <respkit/server/values/packed.hpp>

namespace respkit {

// Fields and values are shorter than 4 GiB. Views are valid until the next call of a member that is not
// const; what is handed in must not point into the hash.
class hash_value {
public:
    explicit hash_value(hash_seed seed) : seed_(seed) {}

    std::size_t size() const { return fields_ ? fields_->size() : packed_size_; }
    bool empty() const { return size() == 0; }
    bool compact() const { return !fields_; }  // Redis: "listpack"

    // Whether the field is new. The limits of the packed form: hash-max-listpack-entries and -value.
    bool set(std::string_view field, std::string_view value, std::size_t most_entries = 512,
             std::size_t longest = 64);
    std::optional<std::string_view> get(std::string_view field) const;
    bool contains(std::string_view field) const { return get(field).has_value(); }
    bool erase(std::string_view field);

    // f(field, value) for every field. f must not change the hash.
    template <class F>
    void for_each(F&& f) const {
        if (fields_) return fields_->for_each([&](node& n) { f(n.key(), n.value()); });
        for (auto const* at = packed_.data(); at != packed_.data() + packed_.size();) {
            auto const found = read_pair(at);
            f(found.field, found.value);
            at = found.end();
        }
    }

    // One step of HSCAN (see table::scan); the packed form comes all at once.
    template <class F>
    std::uint64_t scan(std::uint64_t cursor, F&& f) const {
        if (fields_) return fields_->scan(cursor, [&](node& n) { f(n.key(), n.value()); });
        for_each(f);
        return 0;
    }

    // A random pair; the hash must not be empty.
    struct pair {
        std::string_view field;
        std::string_view value;
        char const* end() const { return value.data() + value.size(); }
    };
    pair random(random_source& any) const;

    // `count` different random pairs, at most size(); of the packed form in its order.
    std::vector<pair> sample(random_source& any, std::size_t count) const;

private:
    // One block of memory: this, the field, the value, room to spare.
    struct node {
        node* next;
        std::uint32_t hash;
        std::uint32_t field_size;
        std::uint32_t value_size;
        std::uint32_t capacity;  // for the value

        std::string_view key() const { return {bytes(), field_size}; }
        std::string_view value() const { return {bytes() + field_size, value_size}; }
        char const* bytes() const { return reinterpret_cast<char const*>(this + 1); }
        // `value` fits.
        void value(std::string_view v);
        static node* make(std::string_view field, std::string_view value);
        static void destroy(node* n);
    };

    static pair read_pair(char const* at) {
        auto const field = packed::read(at);
        return {field, packed::read(field.data() + field.size())};
    }
    bool set_packed(std::string_view field, std::string_view value);
    bool set_node(std::string_view field, std::string_view value);
    std::optional<pair> find_packed(std::string_view field) const;
    void expand();

    hash_seed seed_;
    std::string packed_;
    std::size_t packed_size_ = 0;
    std::unique_ptr<table<node>> fields_;  // once not null, packed_ is empty
};

}  // namespace respkit
