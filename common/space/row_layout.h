// How a configuration is packed into 64-bit words: for each parameter the index of its value, the
// first parameter in the highest bits. So rows compare word by word in lexicographic order of the
// parameters, and most spaces need one word per configuration.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/space/parameter.h"

namespace burnish::space {

class RowLayout {
 public:
  RowLayout() = default;
  explicit RowLayout(const std::vector<Parameter>& parameters) {
    int free_bits = kWordBits;
    for (const Parameter& parameter : parameters) {
      const int bits = std::max(1, static_cast<int>(std::bit_width(parameter.values.size() - 1)));
      if (bits > free_bits) {  // no value is split between words
        ++words_;
        free_bits = kWordBits;
      }
      free_bits -= bits;
      fields_.push_back({words_ - 1, free_bits, (uint64_t{1} << bits) - 1});
    }
  }

  size_t words() const { return words_; }

  size_t Get(const uint64_t* row, size_t parameter) const {
    const Field& field = fields_[parameter];
    return row[field.word] >> field.shift & field.mask;
  }
  void Set(uint64_t* row, size_t parameter, size_t value_index) const {
    const Field& field = fields_[parameter];
    row[field.word] = (row[field.word] & ~(field.mask << field.shift)) |
                      static_cast<uint64_t>(value_index) << field.shift;
  }

 private:
  static constexpr int kWordBits = 64;
  struct Field {
    size_t word;
    int shift;
    uint64_t mask;
  };
  std::vector<Field> fields_;
  size_t words_ = 1;
};

}  // namespace burnish::space
