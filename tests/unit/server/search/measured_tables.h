// Small measured spaces, built by hand.
#pragma once

#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "common/base/check.h"
#include "common/measured/table.h"

namespace burnish::search {

// Parameters A and B of 0…side-1; `seconds` of a configuration, 0 where it fails.
inline measured::Table SquareTable(int side, const std::function<double(int, int)>& seconds,
                                   std::string name = "square") {
  measured::MeasuredSpace measured{.name = std::move(name), .device = "device"};
  measured.parameters = {{.name = "A"}, {.name = "B"}};
  for (int64_t value = 0; value < side; ++value) {
    measured.parameters[0].values.emplace_back(value);
    measured.parameters[1].values.emplace_back(value);
  }
  for (int a = 0; a < side; ++a) {
    for (int b = 0; b < side; ++b) {
      measured::Record record{.values = {static_cast<uint32_t>(a), static_cast<uint32_t>(b)}};
      record.latency_seconds = seconds(a, b);
      record.outcome =
          record.latency_seconds > 0 ? work::Outcome::kOk : work::Outcome::kCompileError;
      measured.records.push_back(std::move(record));
    }
  }
  auto table = measured::Table::Create(std::move(measured));
  CHECK(table.ok()) << table.status().ToString();
  return *std::move(table);
}

// A bowl whose optimum lies within; some of it fails.
inline double BowlSeconds(int a, int b) {
  if ((a + b) % 7 == 0) return 0;
  return 1e-3 * (1 + (a - 3) * (a - 3) + 0.5 * (b - 5) * (b - 5));
}

}  // namespace burnish::search
