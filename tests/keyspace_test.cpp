#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <map>
#include <string>

#include <doctest/doctest.h>

#include <respkit/server/keyspace.hpp>
#include <respkit/server/values/list.hpp>

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
