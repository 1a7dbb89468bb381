// How a configuration is packed into 64-bit words: for each parameter the index of its value, the
// first parameter in the highest bits. So rows compare word by word in lexicographic order of the
// parameters, and most spaces need one word per configuration.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "common/space/parameter.h"

namespace burnish::space {

using Row = absl::InlinedVector<uint64_t, 2>;

class RowLayout {
 public:
  RowLayout() = default;
  explicit RowLayout(const std::vector<Parameter>& parameters) {
    int free_bits = kWordBits;
    for (const Parameter& parameter : parameters) {
      const int bits = std::max(1, static_cast<int>(std::bit_width(parameter.values.size() - 1)));
      if (bits > free_bits) {  // no value is split between words
        words_.emplace_back();
        free_bits = kWordBits;
      }
      free_bits -= bits;
      const uint64_t top = uint64_t{1} << (free_bits + bits - 1);
      words_.back().tops |= top;
      words_.back().others |= top - (uint64_t{1} << free_bits);
      fields_.push_back({words_.size() - 1, free_bits, (uint64_t{1} << bits) - 1});
    }
  }

  size_t words() const { return words_.size(); }

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
  struct Field {
    size_t word;
    int shift;
    uint64_t mask;
  };
  std::vector<Field> fields_;
  std::vector<Word> words_ = std::vector<Word>(1);
};

}  // namespace burnish::space
