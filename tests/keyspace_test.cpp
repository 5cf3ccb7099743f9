#include <algorithm>
#include <map>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include <respkit/server/keyspace.hpp>
#include <respkit/server/values/hash.hpp>
#include <respkit/server/values/list.hpp>
#include <respkit/server/values/set.hpp>
#include <respkit/server/values/sorted_set.hpp>

using namespace respkit;

namespace {

struct fixture {
    counters counts;
    shared_state shared;
    keyspace db{shared};

    fixture() {
        shared.seed = {1, 2};
        shared.random = random_source(3);
        shared.counts = &counts;
        shared.now = 1000;
    }
    std::string text(std::string_view key) {
        auto const* r = db.find(key);
        return r ? std::string(r->text()) : "(none)";
    }
};

}  // namespace

TEST_CASE_FIXTURE(fixture, "strings of every size replace each other") {
    std::string const sizes[] = {
        "", "a", std::string(20, 'b'), std::string(1000, 'c'), "d", std::string(70000, 'e'), "", "f"};
    for (auto const& value : sizes) {
        db.set_string("k", value);
        CHECK(text("k") == value);
        CHECK(db.size() == 1);
    }
    CHECK(db.find("k")->footprint() < 200);  // the 70,000 bytes are not kept for one
}

TEST_CASE_FIXTURE(fixture, "a value may point into the record that it replaces") {
    db.set_string("k", "hello world");
    db.set_string("k", db.find("k")->text().substr(6));
    CHECK(text("k") == "world");
}

TEST_CASE_FIXTURE(fixture, "a string grows where it is or moves, and keeps its deadline") {
    auto* r = &db.set_string("k", "abc");
    db.expire_at(*r, 5000);
    for (std::size_t size = 4; size < 5000; size += 7) {
        r = &db.resize_string(*r, size);
        CHECK(r->text().substr(0, 3) == "abc");
        CHECK(db.deadline(*r) == 5000);
        CHECK(db.find("k") == r);
    }
}

TEST_CASE_FIXTURE(fixture, "a key is gone once its deadline has passed, not before") {
    db.expire_at(db.set_string("k", "v"), 2000);
    CHECK(db.next_deadline() == 2001);
    shared.now = 2000;
    CHECK(text("k") == "v");
    shared.now = 2001;
    CHECK(text("k") == "(none)");
    CHECK(counts.expired_keys == 1);
    CHECK(db.size() == 0);
    CHECK_FALSE(db.next_deadline());
}

TEST_CASE_FIXTURE(fixture, "setting a string forgets the deadline unless told otherwise") {
    db.expire_at(db.set_string("k", "v"), 2000);
    CHECK(db.deadline(db.set_string("k", "w", true)) == 2000);
    CHECK_FALSE(db.deadline(db.set_string("k", "x")));
    db.expire_at(*db.find("k"), 1500);
    shared.now = 1600;  // overdue: a new key, to which no deadline belongs
    CHECK_FALSE(db.deadline(db.set_string("k", "y", true)));
    CHECK(counts.expired_keys == 1);
}

TEST_CASE_FIXTURE(fixture, "thousands of deadlines fire in order, whatever was moved, persisted or erased") {
    std::map<std::string, std::int64_t> model;
    for (int i = 0; i < 5000; ++i) {
        auto const key = "k" + std::to_string(shared.random.below(1000));
        switch (shared.random.below(5)) {
            case 0:
                db.erase(key);
                model.erase(key);
                break;
            case 1:
                if (auto* r = db.find(key)) {
                    db.persist(*r);
                    model.erase(key);
                }
                break;
            case 2:
                if (auto* r = db.find(key)) {
                    auto const to = "renamed:" + key;
                    auto const when = db.deadline(*r);
                    db.rename(*r, to);
                    model.erase(key);
                    model.erase(to);
                    if (when) model[to] = *when;
                }
                break;
            default: {
                auto const when = 1001 + static_cast<std::int64_t>(shared.random.below(5000));
                db.expire_at(db.set_string(key, "value"), when);
                model[key] = when;
            }
        }
    }
    REQUIRE(db.expiring() == model.size());
    for (shared.now = 1000; shared.now < 6100; shared.now += 50) {
        db.expire_due(1u << 20);
        std::erase_if(model, [&](auto const& entry) { return shared.now > entry.second; });
        REQUIRE(db.expiring() == model.size());
    }
    CHECK(db.expiring() == 0);
}

TEST_CASE_FIXTURE(fixture, "expire_due stops after as many as it may remove") {
    for (int i = 0; i < 10; ++i) db.expire_at(db.set_string("k" + std::to_string(i), "v"), 1100);
    shared.now = 1200;
    CHECK_FALSE(db.expire_due(4));
    CHECK(db.size() == 6);
    CHECK(db.expire_due(100));
    CHECK(db.size() == 0);
}

TEST_CASE_FIXTURE(fixture, "a value of another kind is seen as such, and a rename carries it") {
    db.create<list_value>("l").push_back("a");
    CHECK(db.read<record>("l").wrong_type);
    CHECK(db.edit<list_value>("l"));
    CHECK_FALSE(db.edit<list_value>("nosuch"));
    db.set_string("s", "x");
    db.rename(*db.find("l"), "s");
    CHECK(db.size() == 1);
    CHECK(db.edit<list_value>("s")->size() == 1);
    CHECK(counts.keyspace_hits == 1);
}

TEST_CASE_FIXTURE(fixture, "a copy has the same value and deadline, and shares neither") {
    keyspace other{shared, 1};
    auto& list = db.create<list_value>("k");
    for (int i = 0; i < 5000; ++i) list.push_back(std::to_string(i));
    db.expire_at(*db.find("k"), 5000);
    db.copy(*db.find("k"), other, "k");
    db.copy(*db.find("k"), db, "k2");
    list.pop_front();
    db.persist(*db.find("k"));

    auto const copied = other.edit<list_value>("k");
    CHECK(copied->size() == 5000);
    CHECK(copied->front() == "0");
    CHECK(copied->back() == "4999");
    int i = 0;
    for (auto e = copied->first(); e; e.next()) CHECK(*e == std::to_string(i++));
    copied->push_front("first");
    copied->push_back("last");
    CHECK(db.edit<list_value>("k2")->size() == 5000);
    CHECK(other.deadline(*other.find("k")) == 5000);
    CHECK(db.deadline(*db.find("k2")) == 5000);
}

TEST_CASE_FIXTURE(fixture, "a copy is as compact as its original") {
    std::string const text(100, 't');
    for (bool const compact : {true, false}) {
        auto const limit = compact ? ~std::size_t{0} : std::size_t{0};
        auto& set = db.create<set_value>("set");
        auto& hash = db.create<hash_value>("hash");
        auto& sorted = db.create<sorted_set>("sorted");
        for (int i = 0; i < 300; ++i) {
            set.add(std::to_string(i), limit);
            hash.set(text + std::to_string(i), text, limit, limit);
            sorted.insert(text + std::to_string(i), i, limit, limit);
        }
        for (auto const* key : {"set", "hash", "sorted"})
            db.copy(*db.find(key), db, std::string("copy of ") + key);
        db.erase("set");
        db.erase("hash");
        db.erase("sorted");

        auto const set2 = db.edit<set_value>("copy of set");
        auto const hash2 = db.edit<hash_value>("copy of hash");
        auto const sorted2 = db.edit<sorted_set>("copy of sorted");
        CHECK(set2->compact() == compact);
        CHECK(hash2->compact() == compact);
        CHECK(sorted2->compact() == compact);
        CHECK(set2->size() == 300);
        CHECK(hash2->size() == 300);
        CHECK(sorted2->size() == 300);
        for (int i = 0; i < 300; ++i) {
            CHECK(set2->contains(std::to_string(i)));
            CHECK(hash2->get(text + std::to_string(i)) == text);
            CHECK(sorted2->find(text + std::to_string(i)).score() == i);
        }
        db.clear();
    }
}

TEST_CASE_FIXTURE(fixture, "a key moves to another database with its deadline, and expires there") {
    keyspace other{shared, 1};
    db.create<list_value>("l").push_back("a");
    db.expire_at(*db.find("l"), 5000);
    db.move(*db.find("l"), other);
    CHECK(db.size() == 0);
    CHECK(db.expiring() == 0);
    CHECK(other.edit<list_value>("l")->front() == "a");
    CHECK(other.next_deadline() == 5001);
    shared.now = 5001;
    CHECK(other.find("l") == nullptr);
}

TEST_CASE_FIXTURE(fixture, "two databases exchange everything but their numbers") {
    keyspace other{shared, 1};
    for (int i = 0; i < 100; ++i) db.expire_at(db.set_string(std::to_string(i), "ours"), 2000 + i);
    other.set_string("x", "theirs");
    db.swap(other);
    CHECK(db.number() == 0);
    CHECK(other.number() == 1);
    CHECK(text("x") == "theirs");
    CHECK(db.size() == 1);
    CHECK(db.expiring() == 0);
    CHECK(other.size() == 100);
    shared.now = 2050;
    CHECK(other.expire_due(1000));
    CHECK(other.size() == 50);
    CHECK(other.find("49") == nullptr);
    CHECK(other.find("50") != nullptr);
}

TEST_CASE_FIXTURE(fixture, "what a string was made by stays with it until it is set anew") {
    auto* r = &db.set_string("k", "12");
    CHECK(r->form() == string_form::automatic);
    r = &db.resize_string(*r, 2);
    CHECK(r->form() == string_form::raw);
    r = &db.resize_string(*r, 500);
    CHECK(r->form() == string_form::raw);
    db.rename(*r, "m");
    CHECK(db.find("m")->form() == string_form::raw);
    db.copy(*db.find("m"), db, "copy");
    CHECK(db.find("copy")->form() == string_form::raw);
    CHECK(db.set_string("m", "12").form() == string_form::automatic);
    db.copy(*db.find("m"), db, "n");
    CHECK(db.find("n")->form() == string_form::unshared);
}

TEST_CASE_FIXTURE(fixture, "looking at a value is a use of it, looking whether it is there is none") {
    shared.now = 10000;
    db.set_string("k", "v");
    shared.now = 25000;
    CHECK(db.peek("k")->idle(shared.second()) == 15);
    CHECK(db.glance("k")->idle(shared.second()) == 15);
    CHECK(db.find("k")->idle(shared.second()) == 0);
    shared.now = 26000;
    CHECK(db.peek("k")->idle(shared.second()) == 1);
    db.rename(*db.peek("k"), "m");
    CHECK(db.peek("m")->idle(shared.second()) == 0);
}

TEST_CASE_FIXTURE(fixture, "a scan finds every key that stays, whatever comes, goes, grows or expires") {
    auto& any = shared.random;
    for (int round = 0; round < 30; ++round) {
        db.clear();
        constexpr int stay = 50;
        for (int i = 0; i < stay; ++i) db.set_string("stays " + std::to_string(i), "");
        std::size_t comers = 0, most = 0;
        std::set<std::string> seen;
        std::uint64_t cursor = 0;
        do {
            cursor = db.scan(cursor, [&](record const& r) { seen.emplace(r.key()); });
            if (any.below(4) == 0)
                for (auto n = any.below(3000); n; --n)
                    db.expire_at(db.set_string("comes " + std::to_string(comers++), "v"), shared.now + 5);
            if (any.below(4) == 0) {
                shared.now += 10;  // all that came are gone: the table shrinks
                db.expire_due(any.below(db.size() + 1));
            }
            // Those that stay are replaced and grow, which moves their records.
            auto const key = "stays " + std::to_string(any.below(stay));
            db.resize_string(*db.find(key), db.find(key)->text().size() + 1);
            most = std::max(most, db.size());
        } while (cursor);
        std::size_t found = 0;
        for (int i = 0; i < stay; ++i) found += seen.count("stays " + std::to_string(i));
        CHECK(found == std::size_t{stay});
        CHECK(most > std::size_t{stay});
    }
}
