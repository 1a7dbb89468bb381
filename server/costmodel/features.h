// Configurations as rows of features for trees: the coordinates of the Encoding, and for pairs of
// numeric parameters above zero the logarithms of their product and of their ratio.
//
// A tree splits on one feature at a time, so what couples parameters in a kernel (threads in a
// group, elements of a tile, tile over vector width) has to be a feature for a split to see it.
// Immutable, so thread-safe.
#pragma once

#include <cstddef>
#include <vector>

#include "server/costmodel/encoding.h"

namespace burnish::costmodel {

class Features {
 public:
  explicit Features(const space::SearchSpace& space);

  size_t count() const { return encoding_.dimensions() + 2 * pairs_.size(); }
  // `features` has room for count() values.
  void Compute(const space::Row& row, float* features) const;

 private:
  struct Pair {
    size_t one = 0;  // places in logarithms_
    size_t other = 0;
  };
  struct Logarithms {
    size_t parameter = 0;
    std::vector<float> of_value;
  };

  space::RowLayout layout_;
  Encoding encoding_;
  std::vector<Logarithms> logarithms_;  // parameters of the largest domains first
  std::vector<Pair> pairs_;
};

}  // namespace burnish::costmodel
