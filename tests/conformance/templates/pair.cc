#include "tests/conformance/templates/pair.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "agent/backends/cpu/device.h"
#include "common/base/check.h"
#include "common/base/random.h"
#include "common/work/schedule.h"
#include "server/templates/lowering.h"

namespace burnish::templates {
namespace {

constexpr int64_t kMostProducts = 1'500'000;  // of a random pair

struct Shape {
  int64_t m, n, k;
};
constexpr Shape kShapes[] = {
    {1, 1, 1},      {1, 1, 127},     {1, 127, 1},     {127, 1, 1},    {1, 64, 64},   {64, 1, 64},
    {64, 64, 1},    {2, 2, 2},       {7, 7, 7},       {16, 16, 16},   {31, 31, 31},  {64, 64, 64},
    {65, 65, 65},   {127, 127, 127}, {128, 128, 128}, {1, 31, 1500},  {2, 16, 64},   {16, 2, 65},
    {7, 64, 31},    {64, 7, 127},    {31, 65, 2},     {65, 31, 7},    {127, 16, 3},  {16, 127, 1},
    {3, 200, 1100}, {200, 3, 1100},  {5, 5, 2048},    {96, 48, 257},  {97, 49, 300}, {29, 33, 400},
    {28, 15, 777},  {100, 17, 513},  {17, 100, 130},  {8, 1030, 5},   {400, 9, 5},   {12, 96, 256},
    {13, 95, 255},  {33, 257, 33},   {257, 33, 33},   {60, 60, 385},  {127, 2, 127}, {2, 127, 127},
    {1, 1000, 63},  {24, 24, 24},    {4, 4, 1024},    {16, 64, 1600}, {53, 59, 61},  {9, 8, 769}};
constexpr size_t kShapeCount = std::size(kShapes);

const std::vector<std::vector<std::string>>& Epilogues() {
  static const auto& all =
      *new std::vector<std::vector<std::string>>{{},
                                                 {"bias"},
                                                 {"relu"},
                                                 {"gelu"},
                                                 {"gelu_tanh"},
                                                 {"bias", "relu"},
                                                 {"residual"},
                                                 {"bias", "residual", "relu"},
                                                 {},
                                                 {"relu", "bias"},
                                                 {"bias", "gelu"},
                                                 {"residual", "gelu_tanh", "bias"}};
  return all;
}

bool Has(const std::vector<std::string>& list, std::string_view name) {
  return std::ranges::find(list, name) != list.end();
}

template <typename T>
const T& Draw(RandomStream& random, const std::vector<T>& list) {
  return list[random.UniformBelow(list.size())];
}

// Integers have no gelu.
std::vector<std::string> Fitting(std::vector<std::string> epilogue, Dtype output) {
  if (!IsFloating(output))
    std::erase_if(epilogue, [](auto& step) { return step.starts_with("g"); });
  return epilogue;
}

op::EinsumOptions Options(std::string_view expression, const Dtypes& types,
                          std::vector<std::string> constant, std::vector<std::string> epilogue) {
  return {.expression = expression,
          .a = types.a,
          .b = types.b,
          .output = types.output,
          .constant = std::move(constant),
          .epilogue = Fitting(std::move(epilogue), types.output)};
}

int64_t RandomExtent(RandomStream& random) {
  switch (random.UniformBelow(6)) {
    case 0:
      return 1 + static_cast<int64_t>(random.UniformBelow(4));
    case 1:
      return 1 + static_cast<int64_t>(random.UniformBelow(40));
    case 2:  // at the edges of vectors and tiles
      return std::max<int64_t>(1, 8 * static_cast<int64_t>(1 + random.UniformBelow(24)) - 1 +
                                      static_cast<int64_t>(random.UniformBelow(3)));
    case 3:
      return 1 + static_cast<int64_t>(random.UniformBelow(300));
    case 4:
      return int64_t{1} << random.UniformBelow(9);
    default:
      return 1 + static_cast<int64_t>(random.UniformBelow(2000));
  }
}

void DrawExtents(RandomStream& random, op::EinsumOptions& options) {
  // Small outputs of long sums are what splitting k is for.
  const bool long_sums = random.UniformBelow(6) == 0;
  for (const char c : options.expression) {
    if (c < 'a' || c > 'z') continue;
    int64_t& extent = options.extents[std::string(1, c)];
    if (c != 'm' && c != 'n' && c != 'k') {
      extent = 1 + static_cast<int64_t>(random.UniformBelow(4));
    } else if (long_sums) {
      extent = static_cast<int64_t>(c == 'k' ? 1024 + random.UniformBelow(1000)
                                             : 1 + random.UniformBelow(24));
    } else {
      extent = RandomExtent(random);
    }
  }
  const auto products = [&] {
    int64_t count = 1;
    for (const auto& [letter, extent] : options.extents) count *= extent;
    return count;
  };
  while (products() > kMostProducts) {
    auto largest = std::ranges::max_element(options.extents, {},
                                            [](const auto& extent) { return extent.second; });
    largest->second = (largest->second + 1) / 2;
  }
}

// Uniform over one of the templates that serve and one SPLIT_K, which are drawn first: few of all
// configurations split k.
space::Configuration RandomConfiguration(const work::Schedule& schedule, RandomStream& random) {
  std::vector<space::Parameter> parameters = schedule.parameters;
  parameters[0].values = {Draw(random, schedule.parameters[0].values)};
  const auto split = std::ranges::find(parameters, "SPLIT_K", &space::Parameter::name);
  CHECK(split != parameters.end());
  const std::vector<expr::Value> all_splits =
      std::exchange(split->values, {Draw(random, split->values)});
  std::vector<expr::Expression> constraints;
  for (const std::string& text : schedule.constraints) {
    constraints.push_back(expr::Expression::Parse(text).value());
  }
  auto space = space::SearchSpace::Create(parameters, constraints);
  if (!space.ok()) {  // the template knows no such split
    split->values = all_splits;
    space = space::SearchSpace::Create(parameters, constraints);
  }
  CHECK(space.ok()) << space.status().ToString();
  return space->At(space->Sample(random));
}

void Lower(Pair& pair, bool use_default, RandomStream& random) {
  absl::StatusOr<op::Operator> op = op::Einsum(pair.options);
  CHECK(op.ok()) << op.status().ToString() << "\n" << Describe(pair);
  pair.op = *std::move(op);
  absl::StatusOr<Lowered> lowered = Lower(pair.op, pair.target->target);
  CHECK(lowered.ok()) << lowered.status().ToString() << "\n" << Describe(pair);
  work::Schedule& schedule = lowered->schedule;
  schedule.kernel.flags.insert(schedule.kernel.flags.end(), pair.target->flags.begin(),
                               pair.target->flags.end());
  pair.configuration =
      use_default ? schedule.default_configuration : RandomConfiguration(schedule, random);
  spec::JobSpec spec;
  spec.workload = pair.op;
  pair.task = work::MakeTaskDefinition(work::WithSchedule(spec, schedule).value());
}

}  // namespace

const std::vector<RunnableTarget>& RunnableTargets() {
  static const auto& all = *[] {
    auto* targets = new std::vector<RunnableTarget>;
    const Target host = TargetOf(backends::cpu::HostDevice());
    const auto add = [&](std::string name, int64_t cores, std::vector<std::string> isa,
                         std::vector<std::string> flags) {
      Target target = host;
      target.cores = cores;
      target.isa = std::move(isa);
      targets->push_back({std::move(name), std::move(target), std::move(flags)});
    };
    add("host", host.cores, host.isa, {});
    add("host, 1 thread", 1, host.isa, {});
    add("host, 4 threads", 4, host.isa, {});
    if (Has(host.isa, "avx512f")) {
      add("avx2, 3 threads", 3, {"avx2", "fma"}, {"-mno-avx512f"});
    }
    if (Has(host.isa, "avx2")) add("sse, 2 threads", 2, {}, {"-march=x86-64-v2"});
    add("host, 3 threads, caches unknown", 3, host.isa, {});
    Target& unknown = targets->back().target;
    unknown.l1d_bytes = unknown.l2_bytes = unknown.l3_bytes = 0;
    return targets;
  }();
  return all;
}

const std::vector<std::string>& Expressions() {
  static const auto& all = *new std::vector<std::string>{
      "mk,kn->mn",       "km,kn->mn",   "mk,nk->mn",       "km,nk->mn",   "bmk,bkn->bmn",
      "bkm,bnk->bmn",    "bmk,kn->bmn", "mk,bkn->bmn",     "abk,kn->abn", "bmk,bkn->mbn",
      "mk,kn->nm",       "km,nk->nm",   "mk,k->m",         "k,kn->n",     "bmhk,bnhk->bhmn",
      "bhmk,bkhn->bmhn", "mkl,kln->mn", "abmk,bakn->abmn", "bkm,bkn->nbm"};
  return all;
}

const std::vector<std::vector<std::string>>& Constants() {
  static const auto& all = *new std::vector<std::vector<std::string>>{{}, {"b"}, {"a"}, {"a", "b"}};
  return all;
}

const std::vector<Dtypes>& AllDtypes() {
  static const auto& all = *new std::vector<Dtypes>{
      {Dtype::kF32, Dtype::kF32, Dtype::kF32},    {Dtype::kF64, Dtype::kF64, Dtype::kF64},
      {Dtype::kBf16, Dtype::kBf16, Dtype::kBf16}, {Dtype::kBf16, Dtype::kBf16, Dtype::kF32},
      {Dtype::kI8, Dtype::kI8, Dtype::kI32},      {Dtype::kU8, Dtype::kI8, Dtype::kI32},
      {Dtype::kI8, Dtype::kU8, Dtype::kI32},      {Dtype::kU8, Dtype::kU8, Dtype::kI32}};
  return all;
}

size_t FixedPairCount() { return 2 * kShapeCount; }

Pair FixedPair(uint64_t seed, size_t index) {
  const size_t i = index / 2;
  Pair pair;
  pair.label = absl::StrCat("fixed pair ", index);
  pair.repeat = absl::StrCat("BURNISH_TEMPLATE_SEED=", seed, " BURNISH_TEMPLATE_PAIR=", index,
                             " template_conformance_test --gtest_filter=*FixedPairs*");
  // All combinations of types and constants, and of each with everything else in turn.
  const auto& types = AllDtypes();
  pair.options = Options(Expressions()[i % Expressions().size()], types[i % types.size()],
                         Constants()[i / types.size() % Constants().size()],
                         Epilogues()[(5 * i + i / 12) % Epilogues().size()]);
  for (const char c : pair.options.expression) {
    if (c < 'a' || c > 'z') continue;
    const Shape& shape = kShapes[i];
    pair.options.extents[std::string(1, c)] = c == 'm'   ? shape.m
                                              : c == 'n' ? shape.n
                                              : c == 'k' ? shape.k
                                              : c == 'b' ? 3
                                                         : 2;
  }
  // Every other shape on the host as it is.
  const size_t reduced = i / 2 % RunnableTargets().size();
  pair.target = &RunnableTargets()[i % 2 == 0 ? 0 : reduced];
  RandomStream random(seed, "fixed", index);
  Lower(pair, index % 2 == 0, random);
  return pair;
}

Pair RandomPair(uint64_t seed, size_t index) {
  RandomStream random(seed, "pair", index);
  Pair pair;
  pair.label = absl::StrCat("random pair ", index);
  pair.repeat = absl::StrCat("BURNISH_TEMPLATE_SEED=", seed, " BURNISH_TEMPLATE_PAIR=", index,
                             " template_conformance_test --gtest_filter=*RandomPairs*");
  const std::string& expression = Draw(random, Expressions());
  const Dtypes& types = Draw(random, AllDtypes());
  const auto& constant = Draw(random, Constants());
  pair.options = Options(expression, types, constant, Draw(random, Epilogues()));
  pair.target = &Draw(random, RunnableTargets());
  DrawExtents(random, pair.options);
  Lower(pair, /*use_default=*/false, random);
  return pair;
}

std::string DtypesOf(const op::EinsumOptions& options) {
  return absl::StrCat(DtypeName(options.a), " x ", DtypeName(options.b), " -> ",
                      DtypeName(options.output));
}

std::string Describe(const Pair& pair) {
  std::vector<std::string> extents;
  for (const auto& [letter, extent] : pair.options.extents) {
    extents.push_back(absl::StrCat(letter, "=", extent));
  }
  return absl::StrCat(
      pair.label, ": ", std::string(pair.options.expression), " with ", absl::StrJoin(extents, " "),
      ", ", DtypesOf(pair.options), ", constant [", absl::StrJoin(pair.options.constant, ", "),
      "], epilogue [", absl::StrJoin(pair.options.epilogue, ", "), "]\n  on ", pair.target->name,
      " [", absl::StrJoin(pair.target->target.isa, " "), "], l2 ", pair.target->target.l2_bytes,
      " bytes, flags [", absl::StrJoin(pair.target->flags, " "), "]\n  configuration ",
      space::ToJson(pair.configuration), "\n  repeat with ", pair.repeat);
}

}  // namespace burnish::templates
