// Rows for keyspace: keys of nine bytes, values of nine.
#include <respkit/bench/micro/suite.hpp>
#include <respkit/server/keyspace.hpp>

namespace respkit::micro {
namespace {

// What all of them share: for measuring there is one server.
shared_state& shared() {
    static counters counts;
    static shared_state state = [] {
        shared_state made;
        made.seed = {1, 2};
        made.now = 1'700'000'000'000;
        made.counts = &counts;
        return made;
    }();
    return state;
}

std::int64_t some_deadline(random_source& any) {
    return shared().now + static_cast<std::int64_t>(any.below(1'000'000'000));
}

template <bool Expiring>
struct keys {
    using container = keyspace;
    static constexpr auto title = Expiring ? "keyspace, all keys expiring" : "keyspace";
    static constexpr char first = 'k';
    static std::unique_ptr<container> make(std::size_t n) {
        auto made = std::make_unique<container>(shared());
        random_source any(2);
        for (std::size_t i = 0; i < n; ++i) {
            auto& r = made->set_string(name(first, i), name('v', i));
            if (Expiring) made->expire_at(r, some_deadline(any));
        }
        return made;
    }
};

}  // namespace

void add_keyspaces(suite& s) {
    using plain = subject<keys<false>>;
    s.measure<keys<false>>({
        {"find", [](plain& v) { return touch(v->find(v.present())->text()); }},
        {"set a string", [](plain& v) { return touch(v->set_string(v.present(), name('v', 0)).text()); }},
        {"set a new string + erase",
         [](plain& v) -> std::size_t {
             auto const key = v.absent();
             v->set_string(key, name('v', 0));
             return v->erase(key);
         }},
        {"random key", [](plain& v) { return touch(v->random_key()->key()); }},
    });
    s.weigh<keys<false>>();

    using expiring = subject<keys<true>>;
    s.measure<keys<true>>({
        {"find", [](expiring& v) { return touch(v->find(v.present())->text()); }},
        {"change a deadline",
         [](expiring& v) {
             v->expire_at(*v->find(v.present()), some_deadline(v.any));
             return v->expiring();
         }},
        {"let a key expire + set it",
         [](expiring& v) {
             auto const key = v.present();
             v->expire_at(*v->find(key), shared().now - 1);
             v->expire_due(1);
             v->expire_at(v->set_string(key, name('v', 0)), some_deadline(v.any));
             return v->expiring();
         }},
    });
    s.weigh<keys<true>>();
}

}  // namespace respkit::micro
