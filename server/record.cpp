#include <cstdlib>
#include <cstring>
#include <new>

#include <respkit/server/record.hpp>
#include <respkit/server/values/hash.hpp>
#include <respkit/server/values/list.hpp>
#include <respkit/server/values/set.hpp>
#include <respkit/server/values/sorted_set.hpp>
#include <respkit/server/values/stream.hpp>

namespace respkit {

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
    r->type_ = k;
    if (!key.empty()) std::memcpy(r->bytes(), key.data(), key.size());
    return r;
}

record* record::make_string(std::string_view key, std::size_t capacity) {
    auto* r = allocate(key, capacity, kind::string);
    r->text_.size = 0;
    r->text_.capacity = static_cast<std::uint32_t>(capacity);
    return r;
}

record* record::rekey(record* r, std::string_view key) {
    record* fresh = nullptr;
    if (r->type_ == kind::string) {
        auto const text = r->text();
        fresh = make_string(key, text.size());
        if (!text.empty()) std::memcpy(fresh->text_bytes(), text.data(), text.size());
        fresh->text_size(text.size());
    } else {
        fresh = allocate(key, 0, r->type_);
        fresh->object_ = r->object_;
    }
    std::free(r);
    return fresh;
}

void record::destroy(record* r) {
    switch (r->type_) {
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
