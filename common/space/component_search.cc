#include "common/space/component_search.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <limits>
#include <thread>
#include <utility>

#include "common/base/limits.h"
#include "common/space/binding_order.h"

namespace burnish::space {
namespace {

using expr::Circuit;
using expr::CircuitNode;
using expr::Slot;
using VariableSet = Circuit::VariableSet;

// A component of fewer combinations than this is not worth a thread.
constexpr double kCombinationsForThreads = 1 << 22;
// Prefixes that the work is cut into, for each thread.
constexpr size_t kShares = 16;
// Values tried between two looks at what the other threads have done.
constexpr uint64_t kStepsUncounted = 1 << 16;

}  // namespace

// One thread's walk through the search.
class Walker {
 public:
  explicit Walker(const ComponentSearch& search)
      : search_(search),
        slots_(search.reduction_.circuit.constants()),
        places_(search.steps_.size()),
        row_(search.words_, 0) {}

  enum class Verdict { kHolds, kFails, kFailsFromHere };

  Verdict Bind(size_t depth, size_t place) {
    const ComponentSearch::Step& step = search_.steps_[depth];
    const ComponentSearch::Choice& choice = step.choices[place];
    places_[depth] = place;
    slots_[step.parameter] = choice.slot;
    row_[step.word] = (row_[step.word] & step.cleared) | choice.bits;
    using Kind = ComponentSearch::Code::Kind;
    for (const ComponentSearch::Code& code : step.code) {
      if (code.kind == Kind::kCompute) {
        slots_[code.target] = Compute(code.instruction, slots_.data());
        continue;
      }
      const int64_t truth = slots_[code.target].integer;
      if (truth == 1) continue;
      if (truth == expr::kFaultInteger) {
        is_marked_ = true;
        continue;
      }
      return code.kind == Kind::kTestFalling ? Verdict::kFailsFromHere : Verdict::kFails;
    }
    return step.exact.empty() || HoldsExactly(step) ? Verdict::kHolds : Verdict::kFails;
  }

  // Calls `leaf` with every prefix of `end` values that breaks nothing, until it returns false, or
  // `pause`, called from time to time, does.
  template <typename Leaf, typename Pause>
  bool Walk(size_t depth, size_t end, const Leaf& leaf, const Pause& pause) {
    if (depth == end) return leaf();
    const size_t count = search_.steps_[depth].choices.size();
    const bool is_marked = is_marked_;
    for (size_t place = 0; place < count; ++place) {
      if (++steps_ >= kStepsUncounted && !pause()) return false;
      const Verdict verdict = Bind(depth, place);
      if (verdict == Verdict::kHolds && !Walk(depth + 1, end, leaf, pause)) return false;
      is_marked_ = is_marked;
      if (verdict == Verdict::kFailsFromHere) break;
    }
    return true;
  }

  // The weight of a random descent, which leaves its end in row().
  double Descend(RandomStream& random) {
    double weight = 1;
    is_marked_ = false;
    for (size_t depth = 0; depth < search_.steps_.size(); ++depth) {
      holding_.clear();
      for (size_t place = 0; place < search_.steps_[depth].choices.size(); ++place) {
        const Verdict verdict = Bind(depth, place);
        if (verdict == Verdict::kHolds && !is_marked_) holding_.push_back(place);
        if (verdict == Verdict::kFailsFromHere) break;
        is_marked_ = false;
      }
      if (holding_.empty()) return 0;
      weight *= static_cast<double>(holding_.size());
      Bind(depth, holding_[random.UniformBelow(holding_.size())]);
    }
    return weight;
  }

  const std::vector<size_t>& places() const { return places_; }
  const Row& row() const { return row_; }
  bool is_marked() const { return is_marked_; }
  void set_marked(bool is_marked) { is_marked_ = is_marked; }
  uint64_t TakeSteps() { return std::exchange(steps_, 0); }

 private:
  bool HoldsExactly(const ComponentSearch::Step& step) {
    const auto& parameters = search_.parameters_;
    for (const size_t i : step.exact) {
      const ExactConstraint& exact = search_.reduction_.exact[i];
      std::vector<expr::Value> arguments;
      for (const size_t p : exact.parameters) {
        const bool is_bound = (exact.variables >> p & 1) != 0;
        const size_t place = is_bound ? places_[search_.depth_of_[p]] : 0;
        arguments.push_back(parameters[p].values[search_.reduction_.domains[p][place]]);
      }
      const absl::StatusOr<bool> holds = exact.constraint->Test(arguments);
      is_marked_ = is_marked_ || !holds.ok();
      if (holds.ok() && !*holds) return false;
    }
    return true;
  }

  const ComponentSearch& search_;
  std::vector<Slot> slots_;
  std::vector<size_t> places_;  // by depth
  std::vector<size_t> holding_;
  Row row_;
  bool is_marked_ = false;
  uint64_t steps_ = 0;
};

ComponentSearch::ComponentSearch(const std::vector<Parameter>& parameters, Reduction& reduction,
                                 const std::vector<size_t>& component, const RowLayout& layout)
    : parameters_(parameters), reduction_(reduction), depth_of_(parameters.size(), 0) {
  std::vector<VariableSet> conditions;
  VariableSet own = 0;
  for (const size_t p : component) own |= VariableSet{1} << p;
  for (const auto& condition : reduction.conditions) {
    if ((condition.variables & own) != 0) conditions.push_back(condition.variables);
  }
  for (const ExactConstraint& exact : reduction.exact) {
    if ((exact.variables & own) != 0) conditions.push_back(exact.variables);
  }
  std::vector<size_t> sizes;
  for (const auto& domain : reduction.domains) sizes.push_back(domain.size());
  PlanSteps(reduction, BindingOrder(component, sizes, std::move(conditions)), layout);
  PlanCode(reduction, own);
}

void ComponentSearch::PlanSteps(const Reduction& reduction, const std::vector<size_t>& order,
                                const RowLayout& layout) {
  first_word_ = layout.field(order.front()).word;
  size_t last_word = first_word_;
  for (const size_t p : order) {
    first_word_ = std::min(first_word_, layout.field(p).word);
    last_word = std::max(last_word, layout.field(p).word);
  }
  words_ = last_word - first_word_ + 1;
  for (const size_t p : order) {
    const RowLayout::Field& field = layout.field(p);
    depth_of_[p] = steps_.size();
    Step& step = steps_.emplace_back();
    step.parameter = p;
    step.word = field.word - first_word_;
    step.cleared = ~(field.mask << field.shift);
    for (size_t place = 0; place < reduction.domains[p].size(); ++place) {
      const uint64_t value = reduction.domains[p][place];
      step.choices.push_back({reduction.circuit.ValueSlot(p, place), value << field.shift});
    }
  }
}

size_t ComponentSearch::DepthOf(VariableSet variables) const {
  size_t depth = 0;
  for (; variables != 0; variables &= variables - 1) {
    depth = std::max(depth, depth_of_[static_cast<size_t>(std::countr_zero(variables))]);
  }
  return depth;
}

void ComponentSearch::PlanCode(Reduction& reduction, VariableSet own) {
  Circuit& circuit = reduction.circuit;
  std::vector<std::vector<CircuitNode>> tests(steps_.size());
  for (const auto& condition : reduction.conditions) {
    if ((condition.variables & own) == 0) continue;
    const size_t last = DepthOf(condition.variables);
    tests[last].push_back(condition.truth);
    VariableSet unbound = condition.variables;
    for (size_t depth = 0; depth < last; ++depth) {
      const VariableSet bound = VariableSet{1} << steps_[depth].parameter;
      if ((unbound & bound) == 0) continue;
      unbound &= ~bound;
      const auto relaxed = circuit.Relax(condition, unbound);
      if (relaxed.has_value()) tests[depth].push_back(relaxed->truth);
    }
  }
  for (size_t i = 0; i < reduction.exact.size(); ++i) {
    const VariableSet variables = reduction.exact[i].variables;
    if ((variables & own) != 0) steps_[DepthOf(variables)].exact.push_back(i);
  }
  std::vector<CircuitNode> all;
  for (const auto& list : tests) all.insert(all.end(), list.begin(), list.end());
  const std::vector<CircuitNode> needed = circuit.Needed(all);
  std::vector<bool> is_planned(circuit.size(), false);
  for (size_t depth = 0; depth < steps_.size(); ++depth) {
    Step& step = steps_[depth];
    const auto compute = [&](const std::vector<CircuitNode>& nodes) {
      for (const CircuitNode node : nodes) {
        if (is_planned[node] || DepthOf(circuit.variables(node)) > depth) continue;
        is_planned[node] = true;
        step.code.push_back({Code::Kind::kCompute, node, circuit.instruction(node)});
      }
    };
    const auto is_falling = [&](CircuitNode truth) {
      return circuit.TrendOf(truth, step.parameter) == Circuit::Trend::kFalls;
    };
    std::ranges::stable_sort(tests[depth], std::ranges::greater(), is_falling);
    for (const CircuitNode truth : tests[depth]) {
      compute(circuit.Needed({truth}));
      step.code.push_back(
          {is_falling(truth) ? Code::Kind::kTestFalling : Code::Kind::kTest, truth, {}});
    }
    compute(needed);
  }
}

double ComponentSearch::Combinations() const {
  double combinations = 1;
  for (const Step& step : steps_) combinations *= static_cast<double>(step.choices.size());
  return combinations;
}

namespace {

// What the threads of one enumeration share.
struct Progress {
  std::atomic<uint64_t> steps = 0;
  std::atomic<uint64_t> rows = 0;
};

}  // namespace

ComponentSearch::Rows ComponentSearch::Enumerate(uint64_t max_rows, int threads) const {
  // The prefixes that share the work; a single empty one for a single thread.
  size_t split = 0;
  std::vector<std::vector<size_t>> prefixes = {{}};
  if (threads > 1 && Combinations() >= kCombinationsForThreads) {
    while (split < 2 && split < steps_.size() && prefixes.size() < kShares * threads) {
      ++split;
      prefixes.clear();
      Walker walker(*this);
      walker.Walk(
          0, split,
          [&] {
            prefixes.emplace_back(walker.places().begin(),
                                  walker.places().begin() + static_cast<ptrdiff_t>(split));
            return true;
          },
          [] { return true; });
    }
  } else {
    threads = 1;
  }

  Progress progress;
  std::vector<Rows> parts(prefixes.size());
  const auto enumerate = [&](Walker& walker, size_t part) {
    walker.set_marked(false);
    for (size_t depth = 0; depth < split; ++depth) walker.Bind(depth, prefixes[part][depth]);
    Rows& rows = parts[part];
    uint64_t uncounted = 0;
    const auto count = [&] {
      const uint64_t all_rows = progress.rows += std::exchange(uncounted, 0);
      const uint64_t all_steps = progress.steps += walker.TakeSteps();
      return all_rows <= max_rows && all_steps <= limits::kSpaceConstructionSteps;
    };
    const auto collect = [&] {
      if (walker.is_marked()) {
        if (!rows.not_evaluated.has_value()) rows.not_evaluated = walker.row();
      } else {
        rows.words.insert(rows.words.end(), walker.row().begin(), walker.row().end());
        ++uncounted;
      }
      return true;
    };
    return walker.Walk(split, steps_.size(), collect, count) && count();
  };
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    Walker walker(*this);
    for (size_t part = next++; part < parts.size(); part = next++) {
      if (!enumerate(walker, part)) break;
    }
  };
  std::vector<std::thread> others;
  for (int i = 1; i < threads; ++i) others.emplace_back(work);
  work();
  for (std::thread& thread : others) thread.join();

  Rows all = std::move(parts.front());
  for (size_t part = 1; part < parts.size(); ++part) {
    all.words.insert(all.words.end(), parts[part].words.begin(), parts[part].words.end());
    if (!all.not_evaluated.has_value()) all.not_evaluated = parts[part].not_evaluated;
  }
  if (progress.rows > max_rows) {
    all.end = Rows::End::kTooMany;
  } else if (progress.steps > limits::kSpaceConstructionSteps) {
    all.end = Rows::End::kTooLong;
  }
  return all;
}

ComponentSearch::FirstFound ComponentSearch::First() const {
  Walker walker(*this);
  FirstFound first;
  uint64_t steps = 0;
  const auto keep = [&] {
    first.row = walker.row();
    return false;
  };
  const auto go_on = [&] {
    steps += walker.TakeSteps();
    first.is_known = steps <= limits::kSpaceConstructionSteps;
    return first.is_known;
  };
  walker.Walk(0, steps_.size(), keep, go_on);
  return first;
}

bool ComponentSearch::Holds(const uint64_t* full_row) const {
  Walker walker(*this);
  for (size_t depth = 0; depth < steps_.size(); ++depth) {
    const Step& step = steps_[depth];
    const uint64_t bits = full_row[first_word_ + step.word] & ~step.cleared;
    const auto choice = std::ranges::find(step.choices, bits, &Choice::bits);
    if (choice == step.choices.end()) return false;
    const auto place = static_cast<size_t>(choice - step.choices.begin());
    if (walker.Bind(depth, place) != Walker::Verdict::kHolds) return false;
  }
  return !walker.is_marked();
}

ComponentSearch::Descents ComponentSearch::Descend(int count, RandomStream& random) const {
  Walker walker(*this);
  Descents descents;
  for (int i = 0; i < count; ++i) {
    const double weight = walker.Descend(random);
    descents.weight += weight;
    if (random.UniformReal() * descents.weight < weight) descents.chosen = walker.row();
  }
  return descents;
}

}  // namespace burnish::space
