#include "server/costmodel/encoding.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

#include "common/base/limits.h"

namespace burnish::costmodel {
namespace {

// Nothing (a NaN) for strings.
double Number(const expr::Value& value) {
  if (const auto* boolean = std::get_if<bool>(&value)) return *boolean ? 1 : 0;
  if (const auto* integer = std::get_if<int64_t>(&value)) return static_cast<double>(*integer);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return std::numeric_limits<double>::quiet_NaN();
}

// The values of a domain before scaling.
std::vector<double> Positions(const space::Parameter& parameter, bool& ordered) {
  std::vector<double> positions;
  double least = std::numeric_limits<double>::infinity();
  ordered = true;
  for (const expr::Value& value : parameter.values) {
    positions.push_back(Number(value));
    ordered = ordered && std::isfinite(positions.back());
    least = std::min(least, positions.back());
  }
  if (ordered && least > 0) {
    for (double& position : positions) position = std::log2(position);
  } else if (ordered && least >= 0 && positions.size() > 2) {
    for (double& position : positions) position = std::log2(1 + position);
  } else {
    for (size_t i = 0; i < positions.size(); ++i) positions[i] = static_cast<double>(i);
  }
  return positions;
}

// Which values of each parameter occur.
std::vector<std::vector<bool>> Occurring(const space::SearchSpace& space) {
  std::vector<std::vector<bool>> occurs;
  for (const space::Parameter& parameter : space.parameters()) {
    occurs.emplace_back(parameter.values.size());
  }
  RandomStream random(0, "encoding");
  const uint64_t most = space.Enumerable() ? limits::kEncodingSample : limits::kEncodingDraws;
  const bool sampled = !space.Enumerable() || space.size() > most;
  const uint64_t looked_at = sampled ? most : space.size();
  for (uint64_t i = 0; i < looked_at; ++i) {
    const space::Row row = space.RowAt(sampled ? space.Sample(random) : i);
    for (size_t p = 0; p < occurs.size(); ++p) occurs[p][space.layout().Get(row.data(), p)] = true;
  }
  return occurs;
}

}  // namespace

Encoding::Encoding(const space::SearchSpace& space) : layout_(space.layout()) {
  const std::vector<std::vector<bool>> occurs = Occurring(space);
  for (size_t p = 0; p < occurs.size(); ++p) {
    if (std::ranges::count(occurs[p], true) < 2) continue;
    Coordinate coordinate{.parameter = p, .of_value = {}};
    const std::vector<double> positions = Positions(space.parameters()[p], coordinate.ordered);
    double least = std::numeric_limits<double>::infinity();
    double largest = -least;
    for (size_t v = 0; v < positions.size(); ++v) {
      if (!occurs[p][v]) continue;
      least = std::min(least, positions[v]);
      largest = std::max(largest, positions[v]);
    }
    for (const double position : positions) {
      const double scaled = (position - least) / (largest - least);
      coordinate.of_value.push_back(static_cast<float>(std::clamp(scaled, 0.0, 1.0)));
    }
    coordinates_.push_back(std::move(coordinate));
  }
}

void Encoding::Encode(const space::Row& row, float* point) const {
  for (size_t i = 0; i < coordinates_.size(); ++i) {
    point[i] = coordinates_[i].of_value[layout_.Get(row.data(), coordinates_[i].parameter)];
  }
}

}  // namespace burnish::costmodel
