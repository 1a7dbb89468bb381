#include "common/spec/vocabulary.h"

#include <algorithm>

#include "common/expr/expression.h"
#include "common/spec/metric.h"

namespace burnish::spec {

const Vocabulary& Languages() {
  static const Vocabulary& words =
      *new Vocabulary{{"cpp", kReplayLanguage}, {"cuda", "opencl", "glsl"}};
  return words;
}

const Vocabulary& Operators() {
  static const Vocabulary& words = *new Vocabulary{{"matmul", "einsum"}, {"conv2d", "softmax"}};
  return words;
}

const Vocabulary& Metrics() {
  static const Vocabulary& words = *new Vocabulary{[] {
    std::vector<std::string> names;
    for (const Metric metric : AllMetrics()) names.emplace_back(MetricName(metric));
    return names;
  }()};
  return words;
}

const Vocabulary& Strategies() {
  static const Vocabulary& words =
      *new Vocabulary{{"auto", "random", "exhaustive", "local", "genetic", "simulated_annealing",
                       "boosted_trees", "bayesian", "transfer", "gradient", "parego", "nsga2"}};
  return words;
}

const Vocabulary& Backends() {
  static const Vocabulary& words =
      *new Vocabulary{{"cpu", "null", "replay"}, {"command", "opencl", "vulkan", "cuda"}};
  return words;
}

const std::vector<std::string>& SelectorNames() {
  static const std::vector<std::string>& names = *new std::vector<std::string>{
      "backend", "name",         "device_class", "vendor",    "arch",
      "cores",   "memory_bytes", "isa",          "isolation", "label.KEY"};
  return names;
}

bool IsSelectorName(std::string_view name) {
  constexpr std::string_view kLabel = "label.";
  if (name.substr(0, kLabel.size()) == kLabel) return name.size() > kLabel.size();
  return std::find(SelectorNames().begin(), SelectorNames().end(), name) != SelectorNames().end();
}

}  // namespace burnish::spec
