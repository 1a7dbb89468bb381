#include "common/spec/domain_reader.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <variant>

#include "absl/container/flat_hash_map.h"
#include "common/base/limits.h"
#include "common/base/status_macros.h"
#include "common/spec/expression_field.h"
#include "common/spec/fields.h"
#include "common/spec/utf8.h"

namespace burnish::spec {
namespace {

constexpr size_t kPermutedElements = 6;

const std::vector<std::string>& Kinds() {
  static const auto& kinds = *new std::vector<std::string>{"values", "range", "powers_of_two",
                                                           "divisors_of", "permutations_of"};
  return kinds;
}

absl::Status CheckScalar(const Node& node) {
  if (node.kind == Node::Kind::kScalar) return absl::OkStatus();
  return WrongType(node, "a number, a string or a boolean");
}

absl::Status TooManyValues(const Node& node, const std::string& count) {
  return ErrorAtKey(node, count + " values; at most " + std::to_string(limits::kParameterValues) +
                              " are accepted");
}

// The same text for values that are equal in expressions: 1, 1.0 and true.
std::string IdentityOf(const expr::Value& value) {
  if (const auto* boolean = std::get_if<bool>(&value)) return *boolean ? "1" : "0";
  const auto* real = std::get_if<double>(&value);
  constexpr double kEveryIntegerBelow = 9.2e18;
  if (real != nullptr && std::trunc(*real) == *real && std::fabs(*real) < kEveryIntegerBelow) {
    return std::to_string(static_cast<int64_t>(*real));
  }
  return expr::FormatValue(value);
}

absl::Status ReadList(const Node& list, space::Parameter& parameter) {
  RETURN_IF_ERROR(CheckList(list, list.kind == Node::Kind::kScalar
                                      ? "write [" + list.text + "] for a single value"
                                      : ""));
  if (list.children.empty()) return ErrorAt(list, "has no values", "list at least one value");
  if (list.children.size() > limits::kParameterValues) {
    return TooManyValues(list, std::to_string(list.children.size()));
  }
  absl::flat_hash_map<std::string, const Node*> seen;
  for (const Node* item : list.children) {
    RETURN_IF_ERROR(CheckMacroValue(*item));
    const auto [first, inserted] = seen.emplace(IdentityOf(item->value), item);
    if (!inserted) {
      return ErrorAt(*item, "the value " + expr::FormatValue(item->value) + " stands twice",
                     "it equals " + first->second->Path());
    }
    parameter.values.push_back(item->value);
  }
  return absl::OkStatus();
}

struct Ends {
  expr::Value first;
  expr::Value last;
};

bool AreIntegers(const Ends& ends) {
  return std::holds_alternative<int64_t>(ends.first) && std::holds_alternative<int64_t>(ends.last);
}

absl::StatusOr<double> ReadReal(const Node& node, const JobSpec& spec) {
  RETURN_IF_ERROR(CheckScalar(node));
  return EvaluateConstantReal(node, spec);
}

absl::StatusOr<Ends> ReadEnds(const Node& node, const JobSpec& spec) {
  RETURN_IF_ERROR(CheckList(node, "write [first, last]"));
  if (node.children.size() != 2) {
    return ErrorAt(node, "must be the two ends [first, last], not a list of " +
                             std::to_string(node.children.size()));
  }
  Ends ends;
  for (const size_t i : {0, 1}) {
    const Node& end = *node.children[i];
    RETURN_IF_ERROR(ReadReal(end, spec).status());
    ASSIGN_OR_RETURN((i == 0 ? ends.first : ends.last), EvaluateConstant(end, spec));
  }
  ASSIGN_OR_RETURN(const double first, ReadReal(*node.children[0], spec));
  ASSIGN_OR_RETURN(const double last, ReadReal(*node.children[1], spec));
  if (first > last) {
    return ErrorAt(node,
                   "holds nothing: " + expr::FormatValue(ends.first) + " is above " +
                       expr::FormatValue(ends.last),
                   "write the smaller end first");
  }
  return ends;
}

absl::StatusOr<Ends> ReadIntegerEnds(const Node& node, const JobSpec& spec, const char* hint) {
  ASSIGN_OR_RETURN(Ends ends, ReadEnds(node, spec));
  if (AreIntegers(ends)) return ends;
  return ErrorAt(node, "its ends must be integers", hint);
}

// `count` reals from one end to the other.
absl::Status AddSpaced(const Node& mapping, const JobSpec& spec, space::Parameter& parameter) {
  const Node& range = *mapping.Find("range");
  const Node& steps = *mapping.Find("steps");
  RETURN_IF_ERROR(CheckScalar(steps));
  ASSIGN_OR_RETURN(const int64_t count, EvaluateConstantInteger(steps, spec));
  if (count < 2 || count > static_cast<int64_t>(limits::kParameterValues)) {
    return ErrorAt(steps, "must be from 2 to " + std::to_string(limits::kParameterValues),
                   "it is the number of values, both ends included");
  }
  RETURN_IF_ERROR(ReadEnds(range, spec).status());
  ASSIGN_OR_RETURN(const double first, ReadReal(*range.children[0], spec));
  ASSIGN_OR_RETURN(const double last, ReadReal(*range.children[1], spec));
  bool by_factors = false;
  if (const Node* spacing = mapping.Find("spacing")) {
    ASSIGN_OR_RETURN(const std::string name, ReadName(*spacing, "spacing", {{"linear", "log"}}));
    by_factors = name == "log";
    if (by_factors && !(first > 0)) {
      return ErrorAt(range, "spacing: log needs ends above 0");
    }
  }
  for (int64_t i = 0; i < count; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(count - 1);
    const double between =
        by_factors ? first * std::pow(last / first, share) : first + (last - first) * share;
    const double value = i + 1 == count ? last : between;
    if (!parameter.values.empty() && !(std::get<double>(parameter.values.back()) < value)) {
      return ErrorAt(range, "is too narrow for " + std::to_string(count) + " different values");
    }
    parameter.values.emplace_back(value);
  }
  return absl::OkStatus();
}

absl::Status AddIntegers(const Node& range, int64_t first, int64_t last, int64_t step,
                         space::Parameter& parameter) {
  const uint64_t count =
      (static_cast<uint64_t>(last) - static_cast<uint64_t>(first)) / static_cast<uint64_t>(step);
  if (count >= limits::kParameterValues) return TooManyValues(range, "more than 4096");
  for (uint64_t i = 0; i <= count; ++i) {
    parameter.values.emplace_back(first + static_cast<int64_t>(i) * step);
  }
  return absl::OkStatus();
}

absl::Status AddRange(const Node& mapping, const JobSpec& spec, space::Parameter& parameter) {
  const Node& range = *mapping.Find("range");
  const Node* step = mapping.Find("step");
  if (mapping.Find("steps") != nullptr) {
    if (step != nullptr) return ErrorAtKey(*step, "`step` and `steps` exclude each other");
    return AddSpaced(mapping, spec, parameter);
  }
  if (const Node* spacing = mapping.Find("spacing")) {
    return ErrorAtKey(*spacing, "`spacing` is of a range with `steps`",
                      "add `steps: N`, the number of values");
  }
  ASSIGN_OR_RETURN(const Ends ends, ReadEnds(range, spec));
  expr::Value step_value = int64_t{1};
  if (step != nullptr) {
    ASSIGN_OR_RETURN(const double real_step, ReadReal(*step, spec));
    if (!(real_step > 0)) return ErrorAt(*step, "must be above 0");
    ASSIGN_OR_RETURN(step_value, EvaluateConstant(*step, spec));
  }
  if (AreIntegers(ends) && std::holds_alternative<int64_t>(step_value)) {
    return AddIntegers(range, std::get<int64_t>(ends.first), std::get<int64_t>(ends.last),
                       std::get<int64_t>(step_value), parameter);
  }
  if (step == nullptr) {
    return ErrorAt(range, "a range of reals needs `steps` or `step`",
                   "`steps: N` gives N values, both ends included");
  }
  ASSIGN_OR_RETURN(const double first, ReadReal(*range.children[0], spec));
  ASSIGN_OR_RETURN(const double last, ReadReal(*range.children[1], spec));
  ASSIGN_OR_RETURN(const double width, ReadReal(*step, spec));
  // What rounding took from the last value is given back.
  const double count = std::floor((last - first) / width + 1e-9);
  if (!(count < static_cast<double>(limits::kParameterValues))) {
    return TooManyValues(range, "more than 4096");
  }
  for (int64_t i = 0; i <= static_cast<int64_t>(count); ++i) {
    parameter.values.emplace_back(std::min(last, first + static_cast<double>(i) * width));
  }
  return absl::OkStatus();
}

absl::Status AddPowersOfTwo(const Node& ends_node, const JobSpec& spec,
                            space::Parameter& parameter) {
  ASSIGN_OR_RETURN(const Ends ends, ReadIntegerEnds(ends_node, spec, "like [1, 256]"));
  const int64_t first = std::get<int64_t>(ends.first);
  const int64_t last = std::get<int64_t>(ends.last);
  for (int bit = 0; bit < 63; ++bit) {
    const int64_t power = int64_t{1} << bit;
    if (power >= first && power <= last) parameter.values.emplace_back(power);
  }
  if (!parameter.values.empty()) return absl::OkStatus();
  return ErrorAt(ends_node, "no power of two lies between its ends");
}

absl::Status AddDivisors(const Node& node, const JobSpec& spec, space::Parameter& parameter) {
  RETURN_IF_ERROR(CheckScalar(node));
  ASSIGN_OR_RETURN(const int64_t number, EvaluateConstantInteger(node, spec));
  constexpr int64_t kMost = int64_t{1} << 40;  // a million trial divisions
  if (number < 1 || number > kMost) {
    return ErrorAt(node, "must be from 1 to 2 ** 40, not " + std::to_string(number));
  }
  for (int64_t small = 1; small <= number / small; ++small) {
    if (number % small != 0) continue;
    parameter.values.emplace_back(small);
    if (small != number / small) parameter.values.emplace_back(number / small);
  }
  std::ranges::sort(parameter.values, {},
                    [](const expr::Value& value) { return std::get<int64_t>(value); });
  if (parameter.values.size() <= limits::kParameterValues) return absl::OkStatus();
  return TooManyValues(node, std::to_string(parameter.values.size()));
}

// What is permuted: names, or the digits from 0.
absl::StatusOr<std::vector<std::string>> ReadElements(const Node& node, const JobSpec& spec) {
  std::vector<std::string> elements;
  if (node.kind == Node::Kind::kScalar) {
    ASSIGN_OR_RETURN(const int64_t count, EvaluateConstantInteger(node, spec));
    if (count < 1 || count > static_cast<int64_t>(kPermutedElements)) {
      return ErrorAt(node, "must be from 1 to " + std::to_string(kPermutedElements));
    }
    for (int64_t i = 0; i < count; ++i) elements.push_back(std::to_string(i));
    return elements;
  }
  RETURN_IF_ERROR(CheckList(node, "write [i, j, k], or their number"));
  if (node.children.empty() || node.children.size() > kPermutedElements) {
    return ErrorAt(node, "must list 1 to " + std::to_string(kPermutedElements) + " names");
  }
  for (const Node* item : node.children) {
    RETURN_IF_ERROR(CheckMacroValue(*item));
    if (std::ranges::count(elements, item->text) > 0) {
      return ErrorAt(*item, Quoted(item->text) + " stands twice");
    }
    elements.push_back(item->text);
  }
  return elements;
}

absl::Status AddPermutations(const Node& node, const JobSpec& spec, space::Parameter& parameter) {
  ASSIGN_OR_RETURN(const std::vector<std::string> elements, ReadElements(node, spec));
  const bool single =
      std::ranges::all_of(elements, [](const std::string& element) { return element.size() == 1; });
  std::vector<size_t> order(elements.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  do {
    std::string value;
    for (const size_t i : order) {
      if (!single && !value.empty()) value += "_";
      value += elements[i];
    }
    if (value.size() > limits::kNameBytes) return ErrorAt(node, "its names are too long together");
    parameter.values.emplace_back(std::move(value));
  } while (std::next_permutation(order.begin(), order.end()));
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckMacroValue(const Node& node) {
  RETURN_IF_ERROR(CheckScalar(node));
  const bool one_line = TextPrefix(node.text) == node.text.size() &&
                        node.text.find_first_of("\r\n") == std::string::npos;
  if (one_line && node.text.size() <= limits::kNameBytes) return absl::OkStatus();
  return ErrorAt(
      node, "must be a single line of at most " + std::to_string(limits::kNameBytes) + " bytes");
}

absl::StatusOr<expr::Value> FindValue(const Node& node, const space::Parameter& parameter) {
  RETURN_IF_ERROR(CheckScalar(node));
  std::string listed;
  for (const expr::Value& value : parameter.values) {
    if (expr::Equal(value, node.value)) return value;
    if (!listed.empty()) listed += ", ";
    if (listed.size() < 100) listed += expr::FormatValue(value);
  }
  return ErrorAt(node,
                 expr::FormatValue(node.value) + " is not a value of '" + parameter.name + "'",
                 "values: " + std::string(CutText(listed, 120)));
}

absl::Status ReadDomain(const Node& node, const JobSpec& spec, space::Parameter& parameter) {
  if (node.kind != Node::Kind::kMapping) return ReadList(node, parameter);
  RETURN_IF_ERROR(CheckKeys(node, {{"values", "range", "step", "steps", "spacing", "powers_of_two",
                                    "divisors_of", "permutations_of", "when", "otherwise"}}));
  const Node* kind = nullptr;
  for (const std::string& name : Kinds()) {
    const Node* found = node.Find(name);
    if (found == nullptr) continue;
    if (kind != nullptr) {
      return ErrorAtKey(*found, "`" + name + "` and `" + kind->key + "` exclude each other");
    }
    kind = found;
  }
  if (kind == nullptr) {
    return ErrorAt(node, "does not say which values there are",
                   "with one of: values, range, powers_of_two, divisors_of, permutations_of");
  }
  for (const char* option : {"step", "steps", "spacing"}) {
    const Node* found = node.Find(option);
    if (found != nullptr && kind->key != "range") {
      return ErrorAtKey(*found, "`" + found->key + "` is of a range", "remove it");
    }
  }
  if (kind->key == "values") return ReadList(*kind, parameter);
  if (kind->key == "range") return AddRange(node, spec, parameter);
  if (kind->key == "powers_of_two") return AddPowersOfTwo(*kind, spec, parameter);
  if (kind->key == "divisors_of") return AddDivisors(*kind, spec, parameter);
  return AddPermutations(*kind, spec, parameter);
}

absl::Status ReadActivities(const Node& parameters, JobSpec& spec) {
  for (size_t i = 0; i < parameters.children.size(); ++i) {
    const Node& node = *parameters.children[i];
    if (node.kind != Node::Kind::kMapping) continue;
    const space::Parameter& parameter = spec.parameters[i];
    const Node* when = node.Find("when");
    const Node* otherwise = node.Find("otherwise");
    if (when == nullptr) {
      if (otherwise == nullptr) continue;
      return ErrorAtKey(*otherwise, "`otherwise` goes with `when`",
                        "add `when: EXPRESSION`, or remove it");
    }
    expr::Value pinned = parameter.values.front();
    if (otherwise != nullptr) {
      ASSIGN_OR_RETURN(pinned, FindValue(*otherwise, parameter));
    }
    ASSIGN_OR_RETURN(const expr::Expression active, ParseExpression(*when));
    RETURN_IF_ERROR(CheckNames(*when, active, spec, NameScope::kConstantsAndParameters));
    for (size_t name = 0; name < active.names().size(); ++name) {
      if (active.names()[name] != parameter.name) continue;
      return ErrorAtName(*when, active, name, "'" + parameter.name + "' cannot depend on itself",
                         "use other parameters");
    }
    const absl::StatusOr<expr::Expression> constraint = expr::Expression::Parse(
        "(" + active.text() + ") or " + parameter.name + " == " + expr::FormatValue(pinned));
    if (!constraint.ok()) return ErrorAt(*when, "the expression is too long");
    spec.constraints.push_back(constraint->Substitute(
        [&spec](std::string_view name) { return FindConstant(spec, name); }));
  }
  return absl::OkStatus();
}

}  // namespace burnish::spec
