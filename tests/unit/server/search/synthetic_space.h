// A search space and running times as tiled matrix multiplications have them: tile sizes with an
// optimum each, register pressure and cache footprint that couple them, a choice without order, and
// a root parameter with a small second variant that pins what it does not use. The seed moves the
// optima. Deterministic.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "common/base/check.h"
#include "common/base/random.h"
#include "common/space/search_space.h"

namespace burnish::search {

inline space::SearchSpace SyntheticSpace() {
  std::vector<space::Parameter> parameters = {
      {"TEMPLATE", {"tile", "dot"}},
      {"TILE_M", {8, 16, 24, 32, 48, 64, 96, 128}},
      {"TILE_N", {8, 16, 32, 64, 128, 256}},
      {"TILE_K", {16, 32, 64, 128, 256}},
      {"ROWS", {1, 2, 4, 6, 8}},
      {"VECTORS", {1, 2, 3, 4}},
      {"UNROLL", {1, 2, 4, 8}},
      {"PACK", {false, true}},
      {"ORDER", {"ijk", "ikj", "jik", "jki", "kij", "kji"}},
      {"LANES", {1, 2, 4, 8}},
      {"SPLIT", {1, 2, 4, 8, 16}},
  };
  std::vector<expr::Expression> constraints;
  for (const char* text : {
           "TILE_M % ROWS == 0",
           "TILE_N % (8 * VECTORS) == 0",
           "ROWS * VECTORS <= 24",
           "TILE_K * (TILE_M + TILE_N) <= 32768",
           "TEMPLATE == 'tile' or TILE_M == 8 and TILE_N == 8 and ROWS == 1 and VECTORS == 1",
           "TEMPLATE == 'tile' or not PACK and ORDER == 'ijk'",
           "TEMPLATE == 'dot' or LANES == 1 and SPLIT == 1",
       }) {
    constraints.push_back(*expr::Expression::Parse(text));
  }
  auto space = space::SearchSpace::Create(std::move(parameters), std::move(constraints));
  CHECK(space.ok()) << space.status().ToString();
  return *std::move(space);
}

class SyntheticTimes {
 public:
  explicit SyntheticTimes(const space::SearchSpace& space, uint64_t seed) : space_(space) {
    RandomStream random(seed, "synthetic times");
    dot_ = 0.8 + 0.8 * random.UniformReal();
    for (double& optimum : optimum_) optimum = random.UniformReal();
    for (double& factor : order_) factor = 1 + random.UniformReal();
    registers_ = 8 + static_cast<double>(random.UniformBelow(16));
    cache_ = 4096 * static_cast<double>(1 + random.UniformBelow(6));
  }

  double Seconds(space::ConfigurationIndex index) const {
    const auto place = [&](size_t parameter) {  // of the value in its domain, from 0 to 1
      return static_cast<double>(space_.layout().Get(space_.RowAt(index).data(), parameter)) /
             static_cast<double>(space_.parameters()[parameter].values.size() - 1);
    };
    const auto value = [&](size_t parameter) {
      return static_cast<double>(std::get<int64_t>(
          space_.parameters()[parameter]
              .values[space_.layout().Get(space_.RowAt(index).data(), parameter)]));
    };
    const auto away = [&](size_t parameter, double weight) {
      return 1 + weight * std::pow(std::abs(place(parameter) - optimum_[parameter]), 1.5);
    };
    if (place(0) == 1) {
      return 1e-3 * dot_ * away(3, 0.5) * away(6, 0.5) * away(9, 2) * away(10, 1);
    }
    const double accumulators = value(4) * value(5);
    const double spill = std::max(0.0, accumulators - registers_) / registers_;
    const double idle = std::max(0.0, 1 - accumulators / (0.7 * registers_));
    const double footprint = std::log2(value(3) * (value(1) + value(2)) / cache_);
    const double packing = place(7) == (value(3) > 64 ? 1 : 0) ? 1 : 1.25;
    return 1e-3 * away(1, 1) * away(2, 1) * away(3, 0.5) * away(6, 0.4) * (1 + 3 * spill) *
           (1 + 1.5 * idle) * (1 + 0.08 * footprint * footprint) * packing *
           order_[space_.layout().Get(space_.RowAt(index).data(), 8)];
  }

  double Optimum() const {
    double best = Seconds(0);
    for (uint64_t i = 1; i < space_.size(); ++i) best = std::min(best, Seconds(i));
    return best;
  }

 private:
  const space::SearchSpace& space_;
  double dot_;
  double optimum_[11];
  double order_[6];
  double registers_;
  double cache_;
};

}  // namespace burnish::search
