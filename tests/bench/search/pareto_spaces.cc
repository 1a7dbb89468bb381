#include "tests/bench/search/pareto_spaces.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <variant>

#include "common/base/check.h"

namespace burnish::bench {
namespace {

space::SearchSpace MakeSpace(std::vector<space::Parameter> parameters,
                             const std::vector<std::string>& constraints) {
  std::vector<expr::Expression> parsed;
  for (const std::string& text : constraints) parsed.push_back(*expr::Expression::Parse(text));
  auto space = space::SearchSpace::Create(std::move(parameters), std::move(parsed));
  CHECK(space.ok()) << space.status().ToString();
  return *std::move(space);
}

// From 0 to 1 where each parameter's value stands in its domain; names in an order of their own.
std::vector<double> Places(const space::SearchSpace& space, space::ConfigurationIndex index) {
  const space::Row row = space.RowAt(index);
  std::vector<double> places;
  for (size_t p = 0; p < space.parameters().size(); ++p) {
    const auto& values = space.parameters()[p].values;
    uint64_t value = space.layout().Get(row.data(), p);
    if (std::holds_alternative<std::string>(values[0])) value = (3 * value + 1) % values.size();
    places.push_back(static_cast<double>(value) / static_cast<double>(values.size() - 1));
  }
  return places;
}

// The first two parameters say where on the front, the others how far behind it; what is best of
// those differs by parameter, and neighbouring ones are coupled.
struct Position {
  double along = 0;   // 0 to 1
  double behind = 0;  // 0 to about 1
};
Position PositionOf(const std::vector<double>& places) {
  Position position{.along = 0.75 * places[0] + 0.25 * places[1]};
  for (size_t p = 2; p < places.size(); ++p) {
    const double optimum = 0.3 + 0.4 * static_cast<double>(p % 3) / 2;
    const double coupled = 0.7 * places[p] + 0.3 * places[p == 2 ? 1 : p - 1];
    position.behind += std::abs(coupled - optimum);
  }
  position.behind *= 2 / static_cast<double>(places.size() - 2);
  return position;
}

// What is 0 in the test functions is 1 here: costs are positive.
stats::Point Zdt1(const std::vector<double>& places) {
  const Position position = PositionOf(places);
  const double g = 1 + 4 * position.behind;
  return {1 + position.along, 1 + g * (1 - std::sqrt(position.along / g))};
}

stats::Point Zdt3(const std::vector<double>& places) {
  const Position position = PositionOf(places);
  const double g = 1 + 4 * position.behind;
  const double share = position.along / g;
  return {1 + position.along, 2 + g * (1 - std::sqrt(share) -
                                       share * std::sin(10 * std::numbers::pi * position.along))};
}

stats::Point Dtlz2(const std::vector<double>& places) {
  const Position position = PositionOf(places);
  const double g = 1 + position.behind;
  const double angle = position.along * std::numbers::pi / 2;
  return {1 + g * std::cos(angle), 1 + g * std::sin(angle)};
}

const std::vector<space::Parameter>& TestParameters() {
  static const std::vector<space::Parameter> parameters = {
      {"A", {1, 2, 4, 8, 16, 32, 64, 128}}, {"B", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}},
      {"C", {16, 24, 32, 48, 64, 96, 128}}, {"D", {"none", "row", "column", "both", "swizzle"}},
      {"E", {0.25, 0.5, 1.0, 2.0}},         {"F", {false, true}},
      {"G", {1, 2, 3, 4, 6, 8, 12}},        {"H", {4, 8, 16, 32, 64}},
  };
  return parameters;
}

space::SearchSpace TestSpace(size_t parameters, const std::vector<std::string>& constraints) {
  return MakeSpace({TestParameters().begin(), TestParameters().begin() + parameters}, constraints);
}

// The tiles of a matrix product on a device with a clock to choose. Latency is that of computing or
// of moving data, whichever is more; energy is what runs all the time, what an operation takes,
// which grows with the voltage that the clock needs, and what data takes.
space::SearchSpace KernelSpace() {
  return MakeSpace({{"TILE_M", {16, 32, 48, 64, 96, 128}},
                    {"TILE_N", {16, 32, 64, 128, 256}},
                    {"TILE_K", {8, 16, 32, 64}},
                    {"ROWS", {1, 2, 4, 6, 8}},
                    {"VECTOR", {1, 2, 4}},
                    {"UNROLL", {1, 2, 4, 8}},
                    {"STAGES", {1, 2, 3, 4}},
                    {"ORDER", {"rows", "columns", "blocks"}},
                    {"CLOCK", {600, 800, 1000, 1200, 1400, 1600, 1800, 2000}}},
                   {"TILE_M % ROWS == 0", "TILE_N % (VECTOR * 8) == 0", "ROWS * VECTOR <= 24",
                    "STAGES * TILE_K * (TILE_M + TILE_N) <= 24576", "UNROLL <= TILE_K"});
}

stats::Point KernelCosts(const space::SearchSpace& space, space::ConfigurationIndex index) {
  const space::Row row = space.RowAt(index);
  const auto place = [&](size_t p) { return space.layout().Get(row.data(), p); };
  const auto value = [&](size_t p) {
    return static_cast<double>(std::get<int64_t>(space.parameters()[p].values[place(p)]));
  };
  const double m = value(0);
  const double n = value(1);
  const double accumulators = value(3) * value(4);
  const double staged = value(6) * value(2) * (m + n) * 4;  // bytes of shared memory
  if (accumulators * value(5) > 96) return {};              // too many registers
  const double waves = std::ceil(1536 / m) * std::ceil(1536 / n) / 216;
  const double idle = std::ceil(waves) / waves;
  const double latency_bound = 1 + 2.5 / (accumulators * std::sqrt(value(6) * value(5)));
  const double conflicts = 1 + 0.04 * value(4);
  const double occupancy = 1 + 1.5 * std::pow(staged / (96 * 1024), 2);
  const double clock = value(8) / 2000;
  const double compute = 1e-3 * idle * latency_bound * conflicts * occupancy / clock;
  const double reuse = place(7) == 0 ? 1.25 : place(7) == 1 ? 1.1 : 1;
  const double traffic = reuse * (64 / m + 64 / n);
  const double moving = 0.4e-3 * traffic;
  const double latency = std::pow(std::pow(compute, 4) + std::pow(moving, 4), 0.25);
  const double voltage = 0.6 + 0.4 * clock * clock;
  const double operations =
      0.1 * voltage * voltage * (1 + 0.5 / value(5) + 0.6 / accumulators) * conflicts;
  return {latency, 8 * latency + operations + 0.08 * traffic};
}

ParetoSpace Known(std::string name, space::SearchSpace space,
                  std::function<stats::Point(space::ConfigurationIndex)> costs) {
  std::vector<stats::Point> all;
  for (space::ConfigurationIndex i = 0; i < space.size(); ++i) {
    stats::Point point = costs(i);
    if (!point.empty()) all.push_back(std::move(point));
  }
  std::vector<stats::Point> front;
  for (const size_t i : stats::ParetoFront(all)) front.push_back(all[i]);
  const stats::Point& first = front.front();
  const stats::Point& last = front.back();
  const stats::Point reference = {last[0] + 0.1 * (last[0] - first[0]),
                                  first[1] + 0.1 * (first[1] - last[1])};
  return {.name = std::move(name),
          .space = std::move(space),
          .costs = std::move(costs),
          .reference = reference,
          .front_volume = stats::Hypervolume(front, reference),
          .front_size = front.size()};
}

ParetoSpace Test(const std::string& name, const space::SearchSpace& space,
                 stats::Point (*function)(const std::vector<double>&)) {
  return Known(name, space, [space, function](space::ConfigurationIndex index) {
    return function(Places(space, index));
  });
}

}  // namespace

std::vector<ParetoSpace> ParetoSpaces() {
  const space::SearchSpace kernel = KernelSpace();
  return {
      Test("zdt1", TestSpace(6, {"C % A == 0", "D == 'row' or F", "B % 3 != 1 or E > 0.5"}), Zdt1),
      Test("dtlz2", TestSpace(7, {"A * G <= 512", "B <= C", "F or E >= 0.5"}), Dtlz2),
      Test("zdt3", TestSpace(8, {"A * G <= 768", "H <= C", "D != 'swizzle' or F"}), Zdt3),
      Known("kernel", kernel,
            [kernel](space::ConfigurationIndex index) { return KernelCosts(kernel, index); })};
}

}  // namespace burnish::bench
