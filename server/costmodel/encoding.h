// Configurations as points for cost models: a coordinate in [0, 1] for each parameter of several
// values, and one more for the alignment of those whose values are not all powers of two.
//
// Numeric domains above zero are taken as log2(v), those from zero on with more than two values as
// log2(1 + v), all others by the place of the value in its domain; then scaled so that the values
// that occur in valid configurations fill [0, 1]. The alignment of an integer is the number of
// times it can be halved: hardware likes 96 and 128 better than 97 and 130, which no smooth
// function of the value can say. Immutable, so thread-safe.
#pragma once

#include <cstddef>
#include <vector>

#include "common/space/search_space.h"

namespace burnish::costmodel {

class Encoding {
 public:
  // Looks at every configuration; in large spaces at limits::kEncodingSample of them.
  explicit Encoding(const space::SearchSpace& space);

  size_t dimensions() const { return coordinates_.size(); }
  // `point` has room for dimensions() values.
  void Encode(const space::Row& row, float* point) const;

  // The parameter behind a coordinate, and the coordinate of each of its values.
  struct Coordinate {
    size_t parameter = 0;
    std::vector<float> of_value;
    bool ordered = false;  // numeric
  };
  const std::vector<Coordinate>& coordinates() const { return coordinates_; }

 private:
  space::RowLayout layout_;
  std::vector<Coordinate> coordinates_;
};

}  // namespace burnish::costmodel
