// How a configuration is packed into 64-bit words: for each parameter the index of its value, the
// first parameter in the highest bits. So rows compare word by word in lexicographic order of the
// parameters, and most spaces need one word per configuration. A parameter of one value takes no
// bit.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "common/space/parameter.h"

namespace burnish::space {

using Row = absl::InlinedVector<uint64_t, 2>;

class RowLayout {
 public:
  struct Field {
    size_t word;
    int shift;
    uint64_t mask;  // before it is shifted
  };

  RowLayout() = default;
  explicit RowLayout(const std::vector<Parameter>& parameters) : RowLayout(parameters, {}) {}
  // The parameters of the groups first, group by group; those of no group follow. A group lies in
  // one word, or it has words of its own.
  RowLayout(const std::vector<Parameter>& parameters,
            const std::vector<std::vector<size_t>>& groups) {
    fields_.resize(parameters.size(), {0, 0, 0});
    std::vector<bool> is_placed(parameters.size(), false);
    for (const std::vector<size_t>& group : groups) {
      int bits = 0;
      for (const size_t p : group) {
        bits += Bits(parameters[p]);
        is_placed[p] = true;
      }
      if (bits > free_bits_) StartWord();
      for (const size_t p : group) Place(p, Bits(parameters[p]));
      if (bits > kWordBits) free_bits_ = 0;
    }
    for (size_t p = 0; p < parameters.size(); ++p) {
      if (!is_placed[p]) Place(p, Bits(parameters[p]));
    }
  }

  size_t words() const { return words_.size(); }
  const Field& field(size_t parameter) const { return fields_[parameter]; }

  size_t Get(const uint64_t* row, size_t parameter) const {
    const Field& field = fields_[parameter];
    return row[field.word] >> field.shift & field.mask;
  }
  void Set(uint64_t* row, size_t parameter, size_t value_index) const {
    const Field& field = fields_[parameter];
    row[field.word] = (row[field.word] & ~(field.mask << field.shift)) |
                      static_cast<uint64_t>(value_index) << field.shift;
  }
  // The number of parameters whose values differ.
  int Distance(const uint64_t* a, const uint64_t* b) const {
    int distance = 0;
    for (size_t i = 0; i < words_.size(); ++i) {
      const uint64_t differing = a[i] ^ b[i];
      // A field that is not zero carries into its top bit or has it; no field carries further.
      const uint64_t carried = (differing & words_[i].others) + words_[i].others;
      distance += std::popcount((carried | differing) & words_[i].tops);
    }
    return distance;
  }

 private:
  static constexpr int kWordBits = 64;
  struct Word {
    uint64_t tops = 0;    // the highest bit of each field
    uint64_t others = 0;  // the other bits of the fields
  };

  static int Bits(const Parameter& parameter) {
    return static_cast<int>(std::bit_width(parameter.values.size() - 1));
  }
  void StartWord() {
    if (free_bits_ == kWordBits) return;
    words_.emplace_back();
    free_bits_ = kWordBits;
  }
  void Place(size_t parameter, int bits) {
    if (bits == 0) return;
    if (bits > free_bits_) StartWord();  // no value is split between words
    free_bits_ -= bits;
    const uint64_t top = uint64_t{1} << (free_bits_ + bits - 1);
    words_.back().tops |= top;
    words_.back().others |= top - (uint64_t{1} << free_bits_);
    fields_[parameter] = {words_.size() - 1, free_bits_, (uint64_t{1} << bits) - 1};
  }

  std::vector<Field> fields_;
  std::vector<Word> words_ = std::vector<Word>(1);
  int free_bits_ = kWordBits;
};

}  // namespace burnish::space
