// The configurations of one component of a space, as parts of its rows.
//
// Up to limits::kSpaceConfigurations of them are enumerated: flat rows in ascending order. Of more
// nothing is kept. They are drawn by random descents (a value that breaks nothing for one parameter
// after the other), of which one is chosen in proportion to the inverse of its probability: D. B.
// Rubin's sampling/importance resampling (JASA 82, 1987). That is near uniform: each draw favours
// prefixes that promise fewer configurations than they have by less the more descents it takes. The
// number of configurations is estimated by the mean of those inverses (D. E. Knuth, "Estimating the
// efficiency of backtrack programs", Mathematics of Computation 29, 1975). Immutable, so
// thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "common/base/random.h"
#include "common/space/component_search.h"
#include "common/space/row_layout.h"

namespace burnish::space {

class Component {
 public:
  // `rows` in any order, not empty, without equal ones.
  static Component Enumerated(size_t first_word, size_t words, std::vector<uint64_t> rows,
                              std::vector<uint64_t> masks);
  // `found` are some of its rows.
  static Component Drawn(std::shared_ptr<const ComponentSearch> search, std::vector<uint64_t> found,
                         std::vector<uint64_t> masks);

  bool is_enumerated() const { return search_ == nullptr; }
  // An estimate if not enumerated.
  double size() const { return size_; }
  // Of the rows kept.
  uint64_t rows() const { return rows_.size() / words_; }
  uint64_t bytes() const { return rows_.size() * sizeof(uint64_t); }
  size_t first_word() const { return first_word_; }
  // The bits of the component in its words.
  const std::vector<uint64_t>& masks() const { return masks_; }

  // Of a full row: sets the bits of the component to those of the enumerated row number `rank`.
  void Put(uint64_t rank, uint64_t* full_row) const {
    for (size_t i = 0; i < words_; ++i) full_row[first_word_ + i] |= rows_[rank * words_ + i];
  }
  // Which of the enumerated rows the full row has; nothing if none.
  std::optional<uint64_t> RankOf(const uint64_t* full_row) const;
  bool Holds(const uint64_t* full_row) const;
  // Puts a random configuration into a full row whose bits of the component are 0.
  void PutRandom(RandomStream& random, uint64_t* full_row) const;

 private:
  size_t first_word_ = 0;
  size_t words_ = 1;
  std::vector<uint64_t> masks_;
  std::vector<uint64_t> rows_;
  double size_ = 0;
  std::shared_ptr<const ComponentSearch> search_;
};

}  // namespace burnish::space
