#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include <respkit/server/keyspace.hpp>

namespace respkit {

record* keyspace::peek(std::string_view key) {
    auto** link = keys_.find(key);
    if (!link) return nullptr;
    record* r = *link;
    if (deadlines_.has(*r) && overdue(deadlines_.of(*r))) {
        expire(link);
        return nullptr;
    }
    return r;
}

void keyspace::insert(record* fresh, std::uint32_t hash) {
    fresh->used_at(shared_.second());
    keys_.insert(fresh, hash);
    if (shared_.observer) [[unlikely]]
        shared_.observer->added(*this, *fresh);
}

void keyspace::remove(record** link) {
    deadlines_.remove(**link);
    record::destroy(keys_.take(link));
}

void keyspace::expire(record** link) {
    ++shared_.counts->expired_keys;
    if (!shared_.observer) [[likely]]
        return remove(link);
    std::string const key((*link)->key());
    remove(link);
    shared_.observer->happened(*this, key, event::expired, "expired");
    shared_.observer->touched(*this, key);
}

void keyspace::replace(record** link, record* fresh) {
    record const* old = *link;
    fresh->next = old->next;
    fresh->hash = old->hash;
    fresh->deadline_slot = old->deadline_slot;
    fresh->used_at(shared_.second());
    *link = fresh;
    deadlines_.moved(*fresh);
}

record& keyspace::set_string(std::string_view key, std::string_view value, bool keep_deadline) {
    auto const h = keys_.hash(key);
    auto** link = keys_.find(key, h);
    record* r = link ? *link : nullptr;
    if (r && deadlines_.has(*r)) {
        if (overdue(deadlines_.of(*r))) {
            expire(link);
            r = nullptr;
        } else if (!keep_deadline) {
            deadlines_.remove(*r);
        }
    }
    // Overwrite in place unless that would leave most of the block unused.
    bool const fits = r && r->type() == kind::string && value.size() <= r->capacity() &&
                      r->capacity() <= 2 * value.size() + 64;
    if (!fits) {
        auto* fresh = record::make_string(key, value.size());
        if (!value.empty()) std::memcpy(fresh->text_bytes(), value.data(), value.size());
        if (r) {
            replace(link, fresh);
            record::destroy(r);
        } else {
            insert(fresh, h);
        }
        r = fresh;
    } else if (!value.empty()) {
        std::memmove(r->text_bytes(), value.data(), value.size());
    }
    r->text_size(value.size());
    r->form(string_form::automatic);
    r->used_at(shared_.second());
    return *r;
}

record& keyspace::resize_string(record& r, std::size_t size) {
    if (size <= r.capacity()) {
        r.text_size(size);
        r.form(string_form::raw);
        return r;
    }
    // Double up to a megabyte of slack, as Redis' sds does.
    constexpr std::size_t most_slack = std::size_t{1} << 20;
    auto** link = link_of(r);
    auto* fresh = record::make_string(r.key(), size + std::min(size, most_slack));
    auto const text = r.text();
    if (!text.empty()) std::memcpy(fresh->text_bytes(), text.data(), text.size());
    fresh->text_size(size);
    fresh->form(string_form::raw);
    replace(link, fresh);
    record::destroy(&r);
    return *fresh;
}

bool keyspace::erase(std::string_view key) {
    auto* r = find(key);
    if (!r) return false;
    erase(*r);
    return true;
}

void keyspace::erase_empty(std::string_view key) {
    if (auto** link = keys_.find(key); link && (*link)->is_empty()) remove(link);
}

void keyspace::erase(record& r) { remove(link_of(r)); }

void keyspace::rename(record& r, std::string_view to) {
    auto const when = deadline(r);
    record* fresh = record::with_key(r, to);  // if there is no room for it, nothing has happened
    deadlines_.remove(r);
    record::leave(keys_.take(link_of(r)));
    if (auto* replaced = find(to)) erase(*replaced);
    insert(fresh);
    if (when) deadlines_.set(*fresh, *when);
}

void keyspace::move(record& r, keyspace& to) {
    auto const when = deadline(r);
    deadlines_.remove(r);
    record* value = keys_.take(link_of(r));
    to.insert(value);
    if (when) to.expire_at(*value, *when);
}

void keyspace::copy(record const& r, keyspace& to, std::string_view key) const {
    auto* fresh = record::copy(r, key, shared_.seed);
    to.insert(fresh);
    if (auto const when = deadline(r)) to.expire_at(*fresh, *when);
}

void keyspace::swap(keyspace& other) {
    keys_.swap(other.keys_);
    std::swap(deadlines_, other.deadlines_);
    if (shared_.observer) shared_.observer->swapped(*this, other);
}

void keyspace::clear() {
    shared_.changes += size();
    if (shared_.observer) shared_.observer->clearing(*this);
    deadlines_.clear();
    keys_.clear();
}

std::optional<std::int64_t> keyspace::deadline(record const& r) const {
    if (!deadlines_.has(r)) return {};
    return deadlines_.of(r);
}

bool keyspace::persist(record& r) {
    if (!deadlines_.has(r)) return false;
    deadlines_.remove(r);
    return true;
}

bool keyspace::expire_due(std::size_t most) {
    while (deadlines_.size() && overdue(deadlines_.first_time())) {
        if (most-- == 0) return false;
        expire(link_of(deadlines_.first()));
    }
    return true;
}

std::optional<std::int64_t> keyspace::next_deadline() const {
    if (deadlines_.size() == 0 || deadlines_.first_time() == INT64_MAX) return {};
    return deadlines_.first_time() + 1;
}

std::int64_t keyspace::average_time_to_live() const {
    return deadlines_.size() ? std::max<std::int64_t>(deadlines_.average() - shared_.now, 0) : 0;
}

record* keyspace::random_key() {
    expire_due(keys_.size());
    return keys_.random(shared_.random);
}

}  // namespace respkit
