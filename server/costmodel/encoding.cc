#include "server/costmodel/encoding.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <set>
#include <utility>
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

// Nothing if the alignment says no more than the value does: where the values that occur are powers
// of two, or few, or all as aligned; and where they are no positive integers.
std::vector<double> Alignments(const space::Parameter& parameter, const std::vector<bool>& occurs) {
  constexpr int64_t kFew = 3;
  if (std::ranges::count(occurs, true) <= kFew) return {};
  std::vector<double> alignments;
  std::set<double> distinct;
  bool powers_of_two = true;
  for (size_t v = 0; v < occurs.size(); ++v) {
    const auto* integer = std::get_if<int64_t>(&parameter.values[v]);
    if (integer == nullptr || *integer <= 0) return {};
    const auto value = static_cast<uint64_t>(*integer);
    alignments.push_back(std::countr_zero(value));
    if (!occurs[v]) continue;
    distinct.insert(alignments.back());
    powers_of_two = powers_of_two && std::has_single_bit(value);
  }
  return powers_of_two || distinct.size() < 2 ? std::vector<double>{} : alignments;
}

// So that those that occur fill [0, 1].
std::vector<float> Scaled(const std::vector<double>& positions, const std::vector<bool>& occurs) {
  double least = std::numeric_limits<double>::infinity();
  double largest = -least;
  for (size_t v = 0; v < positions.size(); ++v) {
    if (!occurs[v]) continue;
    least = std::min(least, positions[v]);
    largest = std::max(largest, positions[v]);
  }
  std::vector<float> scaled;
  for (const double position : positions) {
    const double share = (position - least) / (largest - least);
    scaled.push_back(static_cast<float>(std::clamp(share, 0.0, 1.0)));
  }
  return scaled;
}

}  // namespace

Encoding::Encoding(const space::SearchSpace& space) : layout_(space.layout()) {
  const std::vector<std::vector<bool>> occurs = Occurring(space);
  for (size_t p = 0; p < occurs.size(); ++p) {
    if (std::ranges::count(occurs[p], true) < 2) continue;
    Coordinate coordinate{.parameter = p, .of_value = {}};
    const std::vector<double> positions = Positions(space.parameters()[p], coordinate.ordered);
    coordinate.of_value = Scaled(positions, occurs[p]);
    coordinates_.push_back(std::move(coordinate));
    const std::vector<double> alignments = Alignments(space.parameters()[p], occurs[p]);
    if (alignments.empty()) continue;
    coordinates_.push_back(
        {.parameter = p, .of_value = Scaled(alignments, occurs[p]), .ordered = true});
  }
}

void Encoding::Encode(const space::Row& row, float* point) const {
  for (size_t i = 0; i < coordinates_.size(); ++i) {
    point[i] = coordinates_[i].of_value[layout_.Get(row.data(), coordinates_[i].parameter)];
  }
}

}  // namespace burnish::costmodel
