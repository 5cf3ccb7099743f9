#include <respkit/server/values/packed_scores.hpp>

namespace respkit {

packed_scores::element packed_scores::find(std::string_view member) const {
    auto e = first();
    while (e && e.member() != member) e = e.next();
    return e;
}

packed_scores::element packed_scores::at(std::size_t rank) const {
    if (rank >= size_) return {};
    auto e = first();
    for (; rank; --rank) e = e.next();
    return e;
}

std::size_t packed_scores::rank(element e) const {
    return count_while([&](element each) { return each.at_ != e.at_; });
}

void packed_scores::put(std::size_t at, std::string_view member, double score) {
    auto const size = sizeof score + packed::entry_size(member.size());
    bytes_.insert(at, size, '\0');
    std::memcpy(bytes_.data() + at, &score, sizeof score);
    packed::write_entry(bytes_.data() + at + sizeof score, member);
    ++size_;
}

void packed_scores::push_back(std::string_view member, double score) { put(bytes_.size(), member, score); }

void packed_scores::insert(std::string_view member, double score) {
    auto e = first();
    while (e && (e.score() < score || (e.score() == score && e.member() < member))) e = e.next();
    put(static_cast<std::size_t>((e ? e.at_ : end()) - begin()), member, score);
}

void packed_scores::score(element e, double score) {
    std::string const member(e.member());
    erase(e);
    insert(member, score);
}

void packed_scores::erase(element first, std::size_t count) {
    auto const from = static_cast<std::size_t>(first.at_ - begin());
    size_ -= count;
    auto e = first;
    for (; count; --count) e = e.next();
    bytes_.erase(from, static_cast<std::size_t>((e ? e.at_ : end()) - first.at_));
}

}  // namespace respkit
