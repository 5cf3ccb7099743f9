#include "error_texts.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace respkit::differential {
namespace {

constexpr std::string_view codes[] = {"ERR",    "WRONGTYPE", "NOAUTH",    "WRONGPASS", "NOPROTO",
                                      "OOM",    "EXECABORT", "UNBLOCKED", "BUSYKEY",   "NOGROUP",
                                      "NOPERM", "NOSCRIPT",  "LOADING",   "READONLY",  "MISCONF"};

bool begins_with_code(std::string_view text) {
    if (text.starts_with('-')) text.remove_prefix(1);
    return std::any_of(std::begin(codes), std::end(codes), [&](std::string_view code) {
        return text.starts_with(code) && text.substr(code.size()).starts_with(' ');
    });
}

// Walks over C++ as far as literals are concerned.
class scanner {
public:
    scanner(std::string_view source, std::string const& file) : source_(source), file_(file) {}

    std::vector<error_text> run() {
        while (at_ < source_.size()) {
            if (skip_comment() || skip_character()) continue;
            if (source_[at_] != '"') {
                advance();
                continue;
            }
            int const line = line_;
            auto first = literal();
            if (begins_with_code(first)) found(std::move(first), line);
        }
        return std::move(out_);
    }

private:
    void advance() {
        if (source_[at_] == '\n') ++line_;
        ++at_;
    }
    bool next_is(std::string_view text) const { return source_.substr(at_).starts_with(text); }

    bool skip_comment() {
        if (next_is("//")) {
            while (at_ < source_.size() && source_[at_] != '\n') advance();
            return true;
        }
        return false;
    }
    bool skip_character() {
        if (!next_is("'") || at_ + 2 >= source_.size()) return false;
        std::size_t const size = source_[at_ + 1] == '\\' ? 4 : 3;
        if (at_ + size > source_.size() || source_[at_ + size - 1] != '\'') return false;  // 1'000
        at_ += size;
        return true;
    }

    // From its opening quote on.
    std::string literal() {
        std::string out;
        advance();
        while (at_ < source_.size() && source_[at_] != '"') {
            if (source_[at_] == '\\') {
                advance();
                out += source_[at_] == 'n' ? '\n' : source_[at_] == 'r' ? '\r' : source_[at_];
            } else {
                out += source_[at_];
            }
            advance();
        }
        if (at_ < source_.size()) advance();
        return out;
    }

    // The rest of the expression: literals beside each other are one, between two that "+" joins is a gap.
    void found(std::string first, int line) {
        error_text text;
        text.file = file_;
        text.line = line;
        if (first.starts_with('-')) first.erase(0, 1);
        text.pieces.push_back(std::move(first));
        bool gap = false;
        int depth = 0;
        while (at_ < source_.size()) {
            char const c = source_[at_];
            if (skip_comment() || skip_character()) continue;
            if (depth == 0 && (c == ';' || c == ',' || c == ')' || c == '}' || c == ':')) break;
            if (c == '"') {
                auto more = literal();
                if (depth > 0) continue;
                if (!gap)
                    text.pieces.back() += more;
                else
                    text.pieces.push_back(std::move(more));
                gap = false;
                continue;
            }
            if (c == '(' || c == '{' || c == '[') ++depth;
            if (c == ')' || c == '}' || c == ']') --depth;
            if (!std::isspace(static_cast<unsigned char>(c)) && c != '+') gap = true;
            advance();
        }
        auto& last = text.pieces.back();
        auto const end = last.find_first_of("\r\n");
        if (end != last.npos) last.resize(end);
        // A text that is still to be added to ends in the middle of something.
        text.open =
            gap || (!last.empty() && std::string_view(" '\"").find(last.back()) != std::string_view::npos &&
                    text.pieces.size() == 1);
        out_.push_back(std::move(text));
    }

    std::string_view source_;
    std::string file_;
    std::size_t at_ = 0;
    int line_ = 1;
    std::vector<error_text> out_;
};

std::string read(std::filesystem::path const& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    if (!in) throw std::runtime_error(path.string() + ": cannot be read");
    return text.str();
}

}  // namespace

bool error_text::matches(std::string_view reply) const {
    if (!reply.starts_with(pieces.front())) return false;
    reply.remove_prefix(pieces.front().size());
    for (std::size_t i = 1; i < pieces.size(); ++i) {
        auto const last = i + 1 == pieces.size() && !open;
        auto const found = last ? reply.rfind(pieces[i]) : reply.find(pieces[i]);
        if (found == reply.npos) return false;
        reply.remove_prefix(found + pieces[i].size());
    }
    return open || reply.empty();
}

std::string error_text::print() const {
    std::string out;
    for (auto const& piece : pieces) out += (out.empty() ? "" : "...") + piece;
    return open ? out + "..." : out;
}

std::vector<error_text> error_texts_in(std::string_view source, std::string const& file) {
    return scanner(source, file).run();
}

std::vector<error_text> error_texts(std::string const& folder) {
    std::vector<error_text> out;
    std::vector<std::filesystem::path> files;
    // What Redis never says, or only in states that no command brings about: tests/remote_test, rules_test.
    constexpr std::string_view ours[] = {"respkit.cpp", "state.cpp"};
    for (auto const& each : std::filesystem::recursive_directory_iterator(folder)) {
        auto const& path = each.path();
        bool const is_source = path.extension() == ".cpp" || path.extension() == ".hpp";
        if (is_source && std::find(std::begin(ours), std::end(ours), path.filename()) == std::end(ours))
            files.push_back(path);
    }
    std::sort(files.begin(), files.end());
    for (auto const& path : files)
        for (auto& text : error_texts_in(read(path), path.lexically_relative(folder).string()))
            if (std::none_of(out.begin(), out.end(),
                             [&](auto const& t) { return t.print() == text.print(); }))
                out.push_back(std::move(text));
    return out;
}

}  // namespace respkit::differential
