// Candidates of the schedule templates, compiled and run as on an agent: every one has to compute
// what its operator says and to touch nothing else.
//   BURNISH_TEMPLATE_PAIRS=N  random pairs of problem and configuration (300; sanitized 50)
//   BURNISH_TEMPLATE_SEED=N   from which all is drawn
//   BURNISH_TEMPLATE_PAIR=N   only this one
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <functional>
#include <iostream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "common/base/environment.h"
#include "common/base/numbers.h"
#include "common/base/random.h"
#include "tests/conformance/templates/candidate.h"
#include "tests/conformance/templates/coverage.h"

namespace burnish::templates {
namespace {

constexpr size_t kPairsAtOnce = 200;  // that are compiled before they are run
constexpr size_t kPairsThatMeetAll = 300;
constexpr int kFailuresShown = 10;

std::optional<size_t> NumberFromEnvironment(const std::string& name) {
  const auto text = EnvironmentVariable(name);
  if (!text || text->empty()) return std::nullopt;
  const auto number = ParseInteger(*text);
  EXPECT_TRUE(number && *number >= 0) << name << " must be a natural number, not '" << *text << "'";
  return number && *number >= 0 ? std::optional<size_t>(*number) : std::nullopt;
}

uint64_t Seed() { return NumberFromEnvironment("BURNISH_TEMPLATE_SEED").value_or(1); }

class TemplateConformance : public ::testing::Test {
 protected:
  TemplateConformance()
      : folder_(std::filesystem::temp_directory_path() / ("burnish-templates-" + RandomHexId())) {}
  ~TemplateConformance() override { std::filesystem::remove_all(folder_); }

  // Pairs 0 … count - 1, or the one that is asked for.
  void CheckPairs(size_t count, const std::function<Pair(size_t index)>& make) {
    if (const auto one = NumberFromEnvironment("BURNISH_TEMPLATE_PAIR")) {
      std::cerr << Describe(make(*one)) << "\n";
      CheckRange(*one, *one + 1, make);
      return;
    }
    for (size_t from = 0; from < count && failures_ < kFailuresShown; from += kPairsAtOnce) {
      CheckRange(from, std::min(count, from + kPairsAtOnce), make);
      std::filesystem::remove_all(folder_);
    }
    std::cout << count << " pairs, seed " << Seed() << "\n";
  }
  // Of both tests.
  static Coverage& coverage() {
    static Coverage& coverage = *new Coverage;
    return coverage;
  }

 private:
  void CheckRange(size_t from, size_t to, const std::function<Pair(size_t index)>& make) {
    std::vector<Pair> pairs(to - from);
    std::vector<absl::StatusOr<std::string>> artefacts(pairs.size());
    std::atomic<size_t> next = 0;
    const auto work = [&] {
      for (size_t i = 0; (i = next++) < pairs.size();) {
        pairs[i] = make(from + i);
        artefacts[i] = Compile(pairs[i], folder_.string());
      }
    };
    {
      std::vector<std::jthread> threads(std::max(1U, std::thread::hardware_concurrency()));
      for (std::jthread& thread : threads) thread = std::jthread(work);
    }
    for (size_t i = 0; i < pairs.size(); ++i) {
      coverage().Count(pairs[i]);
      const std::string wrong = artefacts[i].ok() ? CheckInChild(pairs[i], *artefacts[i])
                                                  : std::string(artefacts[i].status().message());
      EXPECT_EQ(wrong, "") << Describe(pairs[i]);
      if (!wrong.empty() && ++failures_ == kFailuresShown) return;
    }
  }

  const std::filesystem::path folder_;
  int failures_ = 0;
};

TEST_F(TemplateConformance, FixedPairsAreRight) {
  if (kSanitized) GTEST_SKIP() << "random pairs are enough for the sanitizer";
  CheckPairs(FixedPairCount(), [](size_t index) { return FixedPair(Seed(), index); });
}

TEST_F(TemplateConformance, RandomPairsAreRight) {
  const size_t count =
      NumberFromEnvironment("BURNISH_TEMPLATE_PAIRS").value_or(kSanitized ? 50 : kPairsThatMeetAll);
  CheckPairs(count, [](size_t index) { return RandomPair(Seed(), index); });
  if (NumberFromEnvironment("BURNISH_TEMPLATE_PAIR")) return;
  std::cout << coverage().Histogram();
  if (count < kPairsThatMeetAll) return;
  EXPECT_THAT(coverage().Missing(), ::testing::IsEmpty());
}

}  // namespace
}  // namespace burnish::templates
