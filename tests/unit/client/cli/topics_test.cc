#include "client/cli/topics.h"

#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "client/cli/watcher.h"
#include "common/spec/section_readers.h"
#include "common/spec/vocabulary.h"
#include "common/work/measurement.h"
#include "gtest/gtest.h"

namespace burnish::cli {
namespace {

std::set<std::string> TopicNames() {
  std::set<std::string> names;
  for (const Topic& topic : AllTopics()) {
    EXPECT_TRUE(names.emplace(topic.name).second) << topic.name << " stands twice";
  }
  return names;
}

TEST(TopicsTest, EveryWordOfTheProgramHasATopic) {
  const std::set<std::string> names = TopicNames();
  const auto expect = [&](const std::string& name) { EXPECT_TRUE(names.contains(name)) << name; };
  for (const work::Outcome outcome : work::AllOutcomes()) {
    expect(absl::StrCat("outcome.", work::OutcomeName(outcome)));
  }
  const auto& states = *pb::State_descriptor();
  for (int i = 0; i < states.value_count(); ++i) {
    const auto state = static_cast<pb::State>(states.value(i)->number());
    if (state != pb::STATE_UNSPECIFIED) expect(absl::StrCat("job.state.", StateText(state)));
  }
  for (const auto* metrics : {&spec::Metrics().known, &spec::Metrics().later}) {
    for (const std::string& metric : *metrics) expect(absl::StrCat("metric.", metric));
  }
  for (const std::string& key : spec::KernelKeys().known) expect(absl::StrCat("job.kernel.", key));
  for (const std::string& key : spec::WorkloadKeys().known) {
    expect(absl::StrCat("job.workload.", key));
  }
  for (const char* state : {"ready", "draining", "drained", "quarantined", "unavailable", "lost"}) {
    expect(absl::StrCat("device.state.", state));
  }
}

TEST(TopicsTest, ATopicFitsAScreen) {
  for (const Topic& topic : AllTopics()) {
    const std::string text(topic.text);
    EXPECT_TRUE(text.ends_with('\n')) << topic.name;
    const std::vector<std::string> lines = absl::StrSplit(text, '\n');
    EXPECT_LT(lines.size(), 24u) << topic.name;
    for (const std::string& line : lines) EXPECT_LE(line.size(), 98u) << line;
  }
}

}  // namespace
}  // namespace burnish::cli
