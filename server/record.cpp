#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include <respkit/server/record.hpp>
#include <respkit/server/values/hash.hpp>
#include <respkit/server/values/list.hpp>
#include <respkit/server/values/set.hpp>
#include <respkit/server/values/sorted_set.hpp>
#include <respkit/server/values/stream.hpp>

namespace respkit {

namespace {

// A copy is as compact as its original, whatever the limits are now.
constexpr std::size_t limit_for(bool compact) { return compact ? ~std::size_t{0} : 0; }

std::unique_ptr<hash_value> copy_of(hash_value const& from, hash_seed seed) {
    auto to = std::make_unique<hash_value>(seed);
    auto const limit = limit_for(from.compact());
    from.for_each(
        [&](std::string_view field, std::string_view value) { to->set(field, value, limit, limit); });
    return to;
}

std::unique_ptr<sorted_set> copy_of(sorted_set const& from, hash_seed seed) {
    auto to = std::make_unique<sorted_set>(seed);
    auto const limit = limit_for(from.compact());
    for (auto e = from.first(); e; e = e.next()) to->insert(e.member(), e.score(), limit, limit);
    return to;
}

}  // namespace

std::string_view name_of(kind k) {
    switch (k) {
        case kind::string:
            return "string";
        case kind::list:
            return "list";
        case kind::set:
            return "set";
        case kind::hash:
            return "hash";
        case kind::sorted_set:
            return "zset";
        case kind::stream:
            return "stream";
    }
    return "none";
}

record* record::allocate(std::string_view key, std::size_t capacity, kind k) {
    void* block = std::malloc(sizeof(record) + key.size() + capacity);
    if (!block) throw std::bad_alloc();
    auto* r = new (block) record;
    r->key_size_ = static_cast<std::uint32_t>(key.size());
    r->type_ = static_cast<unsigned>(k) & 63;
    if (!key.empty()) std::memcpy(r->bytes(), key.data(), key.size());
    return r;
}

record* record::make_string(std::string_view key, std::size_t capacity) {
    auto* r = allocate(key, capacity, kind::string);
    r->text_.size = 0;
    r->text_.capacity = static_cast<std::uint32_t>(capacity);
    return r;
}

record* record::with_key(record const& r, std::string_view key) {
    if (r.type() == kind::string) return copy_string(r, key);
    auto* fresh = allocate(key, 0, r.type());
    fresh->object_ = r.object_;
    return fresh;
}

void record::leave(record* r) { std::free(r); }

bool record::is_empty() const {
    switch (type()) {
        case kind::list:
            return object<list_value>()->empty();
        case kind::set:
            return object<set_value>()->empty();
        case kind::hash:
            return object<hash_value>()->empty();
        case kind::sorted_set:
            return object<sorted_set>()->empty();
        case kind::string:
        case kind::stream:
            break;
    }
    return false;
}

record* record::copy_string(record const& r, std::string_view key) {
    auto const text = r.text();
    auto* fresh = make_string(key, text.size());
    if (!text.empty()) std::memcpy(fresh->text_bytes(), text.data(), text.size());
    fresh->text_size(text.size());
    fresh->form_ = r.form_;
    return fresh;
}

record* record::copy(record const& r, std::string_view key, hash_seed seed) {
    switch (r.type()) {
        case kind::string:
            break;
        case kind::list:
            return make(key, new list_value(*r.object<list_value>()));
        case kind::set:
            return make(key, new set_value(*r.object<set_value>()));
        case kind::hash:
            return make(key, copy_of(*r.object<hash_value>(), seed).release());
        case kind::sorted_set:
            return make(key, copy_of(*r.object<sorted_set>(), seed).release());
        case kind::stream:
            return make(key, new stream_value(*r.object<stream_value>()));
    }
    auto* fresh = copy_string(r, key);
    if (r.form() == string_form::automatic) fresh->form(string_form::unshared);
    return fresh;
}

void record::destroy(record* r) {
    switch (r->type()) {
        case kind::string:
            break;
        case kind::list:
            delete r->object<list_value>();
            break;
        case kind::set:
            delete r->object<set_value>();
            break;
        case kind::hash:
            delete r->object<hash_value>();
            break;
        case kind::sorted_set:
            delete r->object<sorted_set>();
            break;
        case kind::stream:
            delete r->object<stream_value>();
            break;
    }
    std::free(r);
}

}  // namespace respkit
