#include "common/space/component.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <utility>

#include "common/base/check.h"

namespace burnish::space {
namespace {

constexpr int kDescentsOfDraw = 32;
constexpr int kDescentsOfEstimate = 1 << 12;
// Draws without a single descent that did not come to a dead end.
constexpr int kFruitlessDraws = 64;
// By digits of 11 bits, the lowest first (LSD radix sort); only bits that differ are looked at.
void SortWords(std::vector<uint64_t>& rows) {
  constexpr int kDigitBits = 11;
  constexpr uint64_t kDigits = uint64_t{1} << kDigitBits;
  uint64_t differing = 0;
  for (const uint64_t row : rows) differing |= row ^ rows.front();
  std::vector<uint64_t> other(rows.size());
  while (differing != 0) {
    const int shift = std::countr_zero(differing);
    std::array<size_t, kDigits> place{};
    for (const uint64_t row : rows) ++place[row >> shift & (kDigits - 1)];
    std::exclusive_scan(place.begin(), place.end(), place.begin(), size_t{0});
    for (const uint64_t row : rows) other[place[row >> shift & (kDigits - 1)]++] = row;
    rows.swap(other);
    differing &= ~((kDigits - 1) << shift);
  }
}

void SortWideRows(std::vector<uint64_t>& rows, size_t words) {
  std::vector<size_t> order(rows.size() / words);
  std::iota(order.begin(), order.end(), size_t{0});
  const auto row = [&](size_t index) {
    return rows.begin() + static_cast<ptrdiff_t>(index * words);
  };
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::lexicographical_compare(row(a), row(a) + words, row(b), row(b) + words);
  });
  std::vector<uint64_t> sorted;
  sorted.reserve(rows.size());
  for (const size_t index : order) sorted.insert(sorted.end(), row(index), row(index) + words);
  rows = std::move(sorted);
}

}  // namespace

Component Component::Enumerated(size_t first_word, size_t words, std::vector<uint64_t> rows,
                                std::vector<uint64_t> masks) {
  Component component;
  component.first_word_ = first_word;
  component.words_ = words;
  component.masks_ = std::move(masks);
  component.rows_ = std::move(rows);
  if (words > 1) {
    SortWideRows(component.rows_, words);
  } else if (!std::ranges::is_sorted(component.rows_)) {
    SortWords(component.rows_);
  }
  if (component.rows_.capacity() > 2 * component.rows_.size()) component.rows_.shrink_to_fit();
  component.size_ = static_cast<double>(component.rows());
  return component;
}

Component Component::Drawn(std::shared_ptr<const ComponentSearch> search,
                           std::vector<uint64_t> found, std::vector<uint64_t> masks) {
  Component component;
  component.first_word_ = search->first_word();
  component.words_ = search->words();
  component.masks_ = std::move(masks);
  component.rows_ = std::move(found);
  RandomStream random(0, "size of a component");
  const double mean = search->Descend(kDescentsOfEstimate, random).weight / kDescentsOfEstimate;
  component.size_ = std::max(mean, static_cast<double>(component.rows()));
  component.search_ = std::move(search);
  return component;
}

std::optional<uint64_t> Component::RankOf(const uint64_t* full_row) const {
  CHECK(is_enumerated());
  full_row += first_word_;
  if (words_ == 1) {
    const uint64_t wanted = *full_row & masks_.front();
    const auto found = std::ranges::lower_bound(rows_, wanted);
    if (found == rows_.end() || *found != wanted) return std::nullopt;
    return static_cast<uint64_t>(found - rows_.begin());
  }
  Row wanted(full_row, full_row + words_);
  for (size_t i = 0; i < words_; ++i) wanted[i] &= masks_[i];
  uint64_t begin = 0;
  uint64_t end = rows();
  while (begin < end) {
    const uint64_t middle = begin + (end - begin) / 2;
    const uint64_t* const row = &rows_[middle * words_];
    if (std::lexicographical_compare(row, row + words_, wanted.begin(), wanted.end())) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  if (begin == rows()) return std::nullopt;
  const bool is_there = std::equal(wanted.begin(), wanted.end(), &rows_[begin * words_]);
  return is_there ? std::optional(begin) : std::nullopt;
}

bool Component::Holds(const uint64_t* full_row) const {
  return is_enumerated() ? RankOf(full_row).has_value() : search_->Holds(full_row);
}

void Component::PutRandom(RandomStream& random, uint64_t* full_row) const {
  if (is_enumerated()) return Put(random.UniformBelow(rows()), full_row);
  for (int draw = 0; draw < kFruitlessDraws; ++draw) {
    const Row chosen = search_->Descend(kDescentsOfDraw, random).chosen;
    if (chosen.empty()) continue;
    for (size_t i = 0; i < words_; ++i) full_row[first_word_ + i] |= chosen[i];
    return;
  }
  Put(random.UniformBelow(rows()), full_row);
}

}  // namespace burnish::space
