// Who may do what: users, their passwords and their rights, as ACL SETUSER spells them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <respkit/server/command_table.hpp>

namespace respkit {

// Why a command must not be run, and which of its words is to blame.
struct denial {
    enum reason : std::uint8_t { none, command, key, channel, login } why = none;
    std::size_t word = 0;

    explicit operator bool() const { return why != none; }
};

// A set of rights: commands, keys and channels. A user has one of its own and may have more ("selectors").
class rights {
public:
    explicit rights(command_table const& table) : table_(&table), allowed_(table.size() + 1) {}

    // One rule, as "+get" or "~cache:*". Why it is none, in Redis' words, or nothing.
    std::optional<std::string_view> apply(std::string_view rule);

    denial check(command const& row, std::span<std::string_view const> words) const;
    bool unlimited() const { return all_commands_ && all_keys_ && all_channels_; }
    bool reads_every_key() const;
    bool every_channel() const { return all_channels_; }

    // As ACL GETUSER shows them, and all in one as ACL LIST does.
    std::string commands() const;
    std::string keys() const;
    std::string channels() const;
    std::string text() const;
    std::vector<std::string> const& channel_patterns() const { return channels_; }

private:
    enum access : std::uint8_t { read = 1, write = 2 };
    struct key_pattern {
        std::string pattern;
        std::uint8_t access;
    };
    static std::string print(key_pattern const& p);

    command const* find(std::string_view name) const;
    void set_all(bool allow);
    void set_bit(std::uint32_t number, bool allow);
    void set(command const& row, bool allow);
    void set_category(std::uint32_t category, bool allow);
    std::optional<std::string_view> set_command(std::string_view rule);
    std::optional<std::string_view> add_keys(std::string_view rule);
    std::optional<std::string_view> add_channels(std::string_view pattern);
    template <class F>
    void each_row(F f) const;  // subcommands right behind their command
    bool may_run(command const& row, std::span<std::string_view const> words) const;
    bool may_touch(std::string_view key, std::uint16_t key_flags) const;

    command_table const* table_;
    std::vector<bool> allowed_;  // by row.number; the last: commands that are yet to come
    std::map<std::uint32_t, std::vector<std::string>>
        first_words_;  // with which a command is allowed all the same
    std::vector<key_pattern> keys_;
    std::vector<std::string> channels_;
    bool all_commands_ = false, all_keys_ = false, all_channels_ = false;
};

struct user {
    user(std::string n, command_table const& table)
        : name(std::move(n)), sets{rights(table)}, table_(&table) {}

    // One rule of ACL SETUSER.
    std::optional<std::string_view> apply(std::string_view rule);
    // All of them or none. The complaint names the rule.
    std::optional<std::string> apply_all(std::span<std::string_view const> rules);

    bool accepts(std::string_view password) const;
    denial check(command const& row, std::span<std::string_view const> words) const;
    bool unlimited() const { return sets.front().unlimited(); }
    std::string text() const;  // as ACL LIST has it, without "user NAME "

    std::string name;
    bool on = false;
    bool no_password = false;
    enum class sanitizing : std::uint8_t { unsaid, skip, yes } payloads = sanitizing::unsaid;
    std::vector<std::string> passwords;  // SHA-256
    std::vector<rights> sets;            // its own, then its selectors

private:
    command_table const* table_;
};

// Passwords are kept as their digests, so nobody is told one.
class access_list {
public:
    explicit access_list(command_table const& table);

    user& default_user() { return *users_.find("default")->second; }
    // The program that embeds the server.
    user& owner() { return owner_; }
    user* find(std::string_view name);
    user& add(std::string_view name);
    std::unique_ptr<user> remove(std::string_view name);
    auto const& all() const { return users_; }

    // Of the default user, as requirepass has it; empty: none is asked for.
    void require(std::string_view password);
    // Whether a client that has said nothing must say AUTH.
    bool asks_for_password();
    // The users that there were at the start. Those until now live on in what is returned, for the sessions
    // that still are theirs.
    using by_name = std::map<std::string, std::unique_ptr<user>, std::less<>>;
    by_name begin_again(std::string_view password, std::span<std::string const> lines);
    // A line of redis.conf, without the word "user": the name, then rules. Throws std::invalid_argument.
    void load(std::string_view line);

private:
    command_table const& table_;
    by_name users_;
    user owner_;
    std::vector<std::string> loaded_;
};

// Whether a name or pattern of ACL has blanks or NULs in it, which it must not.
bool has_blanks(std::string_view text);

}  // namespace respkit
