#include <cstdlib>
#include <cstring>
#include <new>
#include <unordered_set>
#include <utility>

#include <respkit/server/values/hash.hpp>

namespace respkit {

hash_value::node* hash_value::node::make(std::string_view field, std::string_view value) {
    void* block = std::malloc(sizeof(node) + field.size() + value.size());
    if (!block) throw std::bad_alloc();
    auto* n = new (block) node{nullptr, 0, static_cast<std::uint32_t>(field.size()), 0,
                               static_cast<std::uint32_t>(value.size())};
    if (!field.empty()) std::memcpy(n + 1, field.data(), field.size());
    n->value(value);
    return n;
}

void hash_value::node::destroy(node* n) { std::free(n); }

void hash_value::node::value(std::string_view v) {
    if (!v.empty()) std::memcpy(reinterpret_cast<char*>(this + 1) + field_size, v.data(), v.size());
    value_size = static_cast<std::uint32_t>(v.size());
}

std::optional<hash_value::pair> hash_value::find_packed(std::string_view field) const {
    for (auto const* at = packed_.data(); at != packed_.data() + packed_.size();) {
        auto const found = read_pair(at);
        if (found.field == field) return found;
        at = found.end();
    }
    return {};
}

void hash_value::expand() {
    auto nodes = std::make_unique<table<node>>(seed_);
    for_each(
        [&](std::string_view field, std::string_view value) { nodes->insert(node::make(field, value)); });
    fields_ = std::move(nodes);
    std::string().swap(packed_);  // assigning {} would keep its memory
    packed_size_ = 0;
}

bool hash_value::set(std::string_view field, std::string_view value, std::size_t most_entries,
                     std::size_t longest) {
    if (!fields_ && (field.size() > longest || value.size() > longest)) expand();
    if (fields_) return set_node(field, value);
    bool const fresh = set_packed(field, value);
    if (packed_size_ > most_entries) expand();
    return fresh;
}

bool hash_value::set_packed(std::string_view field, std::string_view value) {
    auto const old = find_packed(field);
    if (!old) {
        packed::append(packed_, field);
        packed::append(packed_, value);
        ++packed_size_;
        return true;
    }
    auto const begin = static_cast<std::size_t>(old->field.data() + old->field.size() - packed_.data());
    auto const end = static_cast<std::size_t>(old->end() - packed_.data());
    char length[5];
    auto const length_size = static_cast<std::size_t>(packed::write_length(length, value.size()) - length);
    auto const before = end - begin;
    auto const after = length_size + value.size();
    if (after > before)
        packed_.insert(end, after - before, '\0');
    else
        packed_.erase(begin, before - after);
    packed_.replace(begin, length_size, length, length_size);
    packed_.replace(begin + length_size, value.size(), value);
    return false;
}

bool hash_value::set_node(std::string_view field, std::string_view value) {
    auto const h = fields_->hash(field);
    auto** const link = fields_->find(field, h);
    if (!link) {
        fields_->insert(node::make(field, value), h);
        return true;
    }
    auto* const old = *link;
    // A value that has become much shorter gives its room back.
    if (value.size() <= old->capacity && value.size() >= old->capacity / 4) {
        old->value(value);
        return false;
    }
    auto* const bigger = node::make(field, value);
    bigger->next = old->next;
    bigger->hash = h;
    *link = bigger;
    node::destroy(old);
    return false;
}

std::optional<std::string_view> hash_value::get(std::string_view field) const {
    if (fields_) {
        auto** const link = fields_->find(field);
        if (!link) return {};
        return (*link)->value();
    }
    auto const found = find_packed(field);
    if (!found) return {};
    return found->value;
}

bool hash_value::erase(std::string_view field) {
    if (fields_) return fields_->erase(field);
    auto const found = find_packed(field);
    if (!found) return false;
    auto const head = packed::length_size(found->field.size());
    auto const begin = static_cast<std::size_t>(found->field.data() - packed_.data()) - head;
    packed_.erase(begin, static_cast<std::size_t>(found->end() - packed_.data()) - begin);
    --packed_size_;
    return true;
}

hash_value::pair hash_value::random(random_source& any) const {
    if (fields_) {
        auto const* n = fields_->random(any);
        return {n->key(), n->value()};
    }
    auto const* at = packed_.data();
    for (auto skip = any.below(packed_size_); skip; --skip) at = read_pair(at).end();
    return read_pair(at);
}

std::vector<hash_value::pair> hash_value::sample(random_source& any, std::size_t count) const {
    std::vector<pair> chosen;
    if (fields_ && count < size() / 3) {  // few of many: draw until new
        std::unordered_set<node const*> seen;
        while (chosen.size() < count)
            if (auto const* n = fields_->random(any); seen.insert(n).second)
                chosen.push_back({n->key(), n->value()});
        return chosen;
    }
    // Each is taken with the chance that leaves exactly `count` at the end.
    auto left = size();
    for_each([&](std::string_view field, std::string_view value) {
        if (any.below(left--) < count - chosen.size()) chosen.push_back({field, value});
    });
    return chosen;
}

}  // namespace respkit
