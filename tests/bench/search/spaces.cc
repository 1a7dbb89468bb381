#include "tests/bench/search/spaces.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "common/measured/reader.h"

namespace burnish::bench {

absl::StatusOr<std::vector<Space>> LoadSpaces(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string path = entry.path();
    if (path.ends_with(".t4.json.gz") || path.ends_with(".cache.json.gz")) paths.push_back(path);
  }
  if (paths.empty()) return absl::NotFoundError(absl::StrCat("no measured spaces in ", folder));
  std::ranges::sort(paths);
  std::vector<Space> spaces;
  for (const std::string& path : paths) {
    ASSIGN_OR_RETURN(measured::MeasuredSpace measured, measured::ReadFile(path));
    std::string kernel = measured.name.substr(0, measured.name.find('-'));
    ASSIGN_OR_RETURN(measured::Table table, measured::Table::Create(std::move(measured)));
    spaces.push_back({.kernel = std::move(kernel), .table = std::move(table)});
  }
  return spaces;
}

measured::Table SyntheticTable() {
  measured::MeasuredSpace measured{.name = "synthetic"};
  const std::vector<int> sizes = {10, 10, 10, 10, 7, 5};
  uint32_t configurations = 1;
  for (size_t p = 0; p < sizes.size(); ++p) {
    space::Parameter parameter{.name = std::string(1, static_cast<char>('A' + p))};
    for (int i = 0; i < sizes[p]; ++i) parameter.values.emplace_back(int64_t{1} << i);
    measured.parameters.push_back(std::move(parameter));
    configurations *= static_cast<uint32_t>(sizes[p]);
  }
  for (uint32_t number = 0; number < configurations; ++number) {
    measured::Record record{.outcome = work::Outcome::kOk};
    double logarithm = 0;
    double sum = 0;  // what couples the parameters
    uint32_t rest = number;
    for (size_t p = 0; p < sizes.size(); ++p) {
      const uint32_t value = rest % static_cast<uint32_t>(sizes[p]);
      rest /= static_cast<uint32_t>(sizes[p]);
      record.values.push_back(value);
      const double place = value / (sizes[p] - 1.0);
      logarithm += std::pow(place - 0.15 * static_cast<double>(p + 1), 2);
      sum += place;
    }
    record.latency_seconds = 1e-3 * std::exp(logarithm + 0.3 * std::pow(sum - 3, 2));
    measured.records.push_back(std::move(record));
  }
  auto table = measured::Table::Create(std::move(measured));
  CHECK(table.ok()) << table.status().ToString();
  return *std::move(table);
}

}  // namespace burnish::bench
