// docs/metrics.md is what the table of metrics says, the rules for Prometheus name nothing else,
// and the table's sets of values are those of the program.
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/environment.h"
#include "common/telemetry/metric_names.h"
#include "common/work/measurement.h"
#include "common/work/work_item.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::telemetry {
namespace {

using ::testing::ElementsAreArray;

std::string SourcePath(const std::string& path) { return BURNISH_SOURCE_DIR "/" + path; }

std::string ReadSource(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(SourcePath(path)).rdbuf();
  return text.str();
}

const char* TypeName(MetricType type) {
  switch (type) {
    case MetricType::kCounter:
      return "counter";
    case MetricType::kGauge:
      return "gauge";
    case MetricType::kHistogram:
      return "histogram";
  }
  return "?";
}

std::string LabelCell(const MetricName& metric) {
  std::vector<std::string> labels;
  for (size_t i = 0; i < metric.label_count(); ++i) {
    const MetricLabel& label = metric.labels[i];
    labels.push_back(absl::StrCat(
        "`", label.name,
        "`: ", label.values.empty() ? std::string(label.set) : absl::StrJoin(label.values, ", ")));
  }
  return absl::StrJoin(labels, "; ");
}

std::string Table(const char* title, std::span<const MetricName* const> metrics) {
  std::string text = absl::StrCat("\n## ", title, "\n\n| metric | type | meaning | labels |\n",
                                  "|---|---|---|---|\n");
  for (const MetricName* metric : metrics) {
    absl::StrAppend(&text, "| `", metric->name, "` | ", TypeName(metric->type), " | ", metric->help,
                    " | ", LabelCell(*metric), " |\n");
  }
  return text;
}

std::string Page() {
  return absl::StrCat(
      "# Metrics\n\n"
      "What `burnish-server --http HOST:PORT` and `burnish-agent --metrics HOST:PORT` answer to\n"
      "`GET /metrics`, in the Prometheus text format. Histograms of seconds have buckets of 1, 2 "
      "and\n"
      "5 per decade from 1 ms to 500 s. Labels have closed sets of values, so the number of "
      "series\n"
      "does not grow with jobs; what does not belong to a set counts as `other`.\n"
      "Rules for recording and alerting are in [deploy/prometheus](../deploy/prometheus/rules.yml)."
      "\n\n"
      "This page is made from [common/telemetry/metric_names.h](../common/telemetry/"
      "metric_names.h);\n`BURNISH_WRITE_DOCS=1 build/release/bin/common_telemetry_test` writes it "
      "anew.\n",
      Table("The server", kServerMetrics), Table("The agent", kAgentMetrics),
      Table("Both", kCommonMetrics));
}

std::set<std::string> AllNames() {
  std::set<std::string> names;
  using List = std::span<const MetricName* const>;
  for (const List list : {List(kServerMetrics), List(kAgentMetrics), List(kCommonMetrics)}) {
    for (const MetricName* metric : list) {
      names.insert(metric->name);
      if (metric->type == MetricType::kHistogram) {
        for (const char* part : {"_bucket", "_sum", "_count"}) {
          names.insert(absl::StrCat(metric->name, part));
        }
      }
    }
  }
  return names;
}

TEST(MetricsPage, IsMadeFromTheTable) {
  if (EnvironmentVariable("BURNISH_WRITE_DOCS").has_value()) {
    std::ofstream(SourcePath("docs/metrics.md")) << Page();
  }
  EXPECT_EQ(ReadSource("docs/metrics.md"), Page())
      << "BURNISH_WRITE_DOCS=1 build/release/bin/common_telemetry_test writes it anew";
}

TEST(PrometheusRules, NameOnlyMetricsOfTheTable) {
  const std::string rules = ReadSource("deploy/prometheus/rules.yml");
  ASSERT_FALSE(rules.empty());
  const std::set<std::string> names = AllNames();
  // With a colon beside it, it is the name of a recording.
  static const std::regex metric(R"((?:^|[^\w:])((?:burnish|grpc_server|process)_\w+)(?![\w:]))");
  for (auto found = std::sregex_iterator(rules.begin(), rules.end(), metric);
       found != std::sregex_iterator(); ++found) {
    EXPECT_TRUE(names.contains((*found)[1])) << (*found)[1];
  }
}

TEST(MetricNames, ListTheOutcomesAndReportResultsOfTheProgram) {
  std::vector<std::string> outcomes;
  for (const work::Outcome outcome : work::AllOutcomes()) {
    outcomes.emplace_back(work::OutcomeName(outcome));
  }
  EXPECT_THAT(outcomes, ElementsAreArray(kOutcomes));
  EXPECT_THAT((std::vector<std::string>{work::ReportResultName(work::ReportResult::kStored),
                                        work::ReportResultName(work::ReportResult::kDuplicate),
                                        work::ReportResultName(work::ReportResult::kLate)}),
              ElementsAreArray(kReportResults));
}

}  // namespace
}  // namespace burnish::telemetry
