#include "common/space/neighbours.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::space {
namespace {

using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

SearchSpace Create(std::vector<Parameter> parameters, const std::vector<std::string>& constraints) {
  std::vector<expr::Expression> parsed;
  for (const std::string& text : constraints) parsed.push_back(*expr::Expression::Parse(text));
  auto space = SearchSpace::Create(std::move(parameters), std::move(parsed));
  EXPECT_TRUE(space.ok()) << space.status();
  return *std::move(space);
}

Parameter Range(const std::string& name, int64_t last) {
  Parameter parameter{.name = name, .values = {}};
  for (int64_t value = 0; value <= last; ++value) parameter.values.emplace_back(value);
  return parameter;
}

// A root parameter; what a variant does not use is pinned.
SearchSpace Variants(int64_t last) {
  return Create({{"TEMPLATE", {"tile", "dot"}},
                 Range("TILE", last),
                 Range("ROWS", last),
                 Range("LANES", 3),
                 Range("SPLIT", 3)},
                {"TEMPLATE == 'tile' or TILE == 0 and ROWS == 0",
                 "TEMPLATE == 'dot' or LANES == 0 and SPLIT == 0"});
}

// Nine parameters of up to 4096 values need two words in a row.
SearchSpace Wide() {
  std::vector<Parameter> parameters;
  for (int i = 0; i < 9; ++i) parameters.push_back(Range("P" + std::to_string(i), 511));
  std::vector<std::string> constraints;
  for (int i = 2; i < 9; ++i) {
    const std::string name = "P" + std::to_string(i);
    constraints.push_back(name + " == P" + std::to_string(i - 2) + " or " + name + " == 511");
  }
  constraints.push_back("P0 < 8 and P1 < 8");
  return Create(std::move(parameters), constraints);
}

int CountDiffering(const SearchSpace& space, const uint64_t* a, const uint64_t* b) {
  int differing = 0;
  for (size_t p = 0; p < space.parameters().size(); ++p) {
    if (space.layout().Get(a, p) != space.layout().Get(b, p)) ++differing;
  }
  return differing;
}

Row RandomRow(const SearchSpace& space, RandomStream& random) {
  Row row(space.layout().words(), 0);
  for (size_t p = 0; p < space.parameters().size(); ++p) {
    space.layout().Set(row.data(), p, random.UniformBelow(space.parameters()[p].values.size()));
  }
  return row;
}

std::string Text(const SearchSpace& space, ConfigurationIndex index) {
  std::string text;
  for (const Setting& setting : space.At(index)) text += expr::FormatBare(setting.value) + " ";
  return text;
}

std::vector<std::string> Texts(const SearchSpace& space,
                               const std::vector<ConfigurationIndex>& indices) {
  std::vector<std::string> texts;
  for (const ConfigurationIndex index : indices) texts.push_back(Text(space, index));
  return texts;
}

TEST(Neighbours, DifferInExactlyOneParameterAndAreAllThatDo) {
  for (const SearchSpace& space :
       {Create({Range("A", 4), Range("B", 6), Range("C", 1), Range("D", 0)}, {"A * B <= 12"}),
        Variants(3), Wide()}) {
    RandomStream random(1, "test");
    for (int i = 0; i < 20; ++i) {
      const ConfigurationIndex index = space.Sample(random);
      std::vector<ConfigurationIndex> expected;
      for (ConfigurationIndex other = 0; other < space.size(); ++other) {
        if (CountDiffering(space, space.RowAt(index).data(), space.RowAt(other).data()) == 1) {
          expected.push_back(other);
        }
      }
      EXPECT_THAT(HammingNeighbours(space, index), testing::UnorderedElementsAreArray(expected));
    }
  }
}

TEST(Neighbours, AreAdjacentInTheOrderOfValuesAndNotOfTheirDeclaration) {
  const SearchSpace space = Create({{"A", {8, 1, 4, 2}}, {"B", {true, false}}}, {"A != 4 or B"});
  const auto around = [&](int64_t a, bool b) {
    return Texts(space, AdjacentNeighbours(space, *space.IndexOf({{"A", a}, {"B", b}})));
  };
  EXPECT_THAT(around(4, true), UnorderedElementsAre("2 1 ", "8 1 "));
  EXPECT_THAT(around(2, true), UnorderedElementsAre("1 1 ", "4 1 ", "2 0 "));
  EXPECT_THAT(around(8, false), UnorderedElementsAre("8 1 "));  // 4 0 is not valid
}

TEST(Neighbours, OfAStringAreAllOtherStrings) {
  const SearchSpace space = Create({{"ORDER", {"ij", "ji", "tiled"}}}, {});
  EXPECT_THAT(Texts(space, AdjacentNeighbours(space, 0)), ElementsAre("ji ", "tiled "));
}

TEST(RandomNeighbour, IsUniform) {
  const SearchSpace space = Create({Range("A", 2), Range("B", 2)}, {"A + B < 4"});
  RandomStream random(1, "test");
  std::map<ConfigurationIndex, int> counts;
  for (int i = 0; i < 3000; ++i) ++counts[*RandomNeighbour(space, 0, random)];
  EXPECT_EQ(counts.size(), 4u);
  // Five standard deviations of a binomial count with p = 1/4.
  for (const auto& [index, count] : counts) EXPECT_NEAR(count, 750, 119) << Text(space, index);
}

TEST(RandomNeighbour, IsFoundWhereOneInThousandsIsValid) {
  const SearchSpace space =
      Create({Range("A", 4000), Range("B", 1)}, {"A == 0 or A == 1234 and B == 0"});
  RandomStream random(1, "test");
  const auto index = *space.IndexOf({{"A", 1234}, {"B", 0}});
  EXPECT_EQ(RandomNeighbour(space, index, random), space.IndexOf({{"A", 0}, {"B", 0}}));
}

TEST(RandomNeighbour, IsNothingWhereThereIsNone) {
  RandomStream random(1, "test");
  EXPECT_EQ(RandomNeighbour(Create({Range("A", 0)}, {}), 0, random), std::nullopt);
  EXPECT_EQ(RandomNeighbour(Create({Range("A", 5), Range("B", 5)}, {"A == B"}), 2, random),
            std::nullopt);
}

TEST(Repair, ChangesAsFewParametersAsPossible) {
  for (const SearchSpace& space :
       {Create({Range("A", 4), Range("B", 6), Range("C", 3), Range("D", 3)},
               {"A * B <= 6", "C % (D + 1) == 0", "A + D == B"}),
        Variants(5), Wide()}) {
    RandomStream random(1, "test");
    for (int i = 0; i < 50; ++i) {
      const Row row = RandomRow(space, random);
      int least = std::numeric_limits<int>::max();
      for (ConfigurationIndex other = 0; other < space.size(); ++other) {
        least = std::min(least, CountDiffering(space, row.data(), space.RowAt(other).data()));
      }
      const ConfigurationIndex repaired = Repair(space, row, random);
      EXPECT_EQ(CountDiffering(space, row.data(), space.RowAt(repaired).data()), least);
    }
  }
}

TEST(Repair, LeavesAValidConfigurationAlone) {
  const SearchSpace space = Variants(5);
  RandomStream random(1, "test");
  const Row row = space.RowAt(17);
  EXPECT_EQ(Repair(space, row, random), 17u);
}

TEST(Repair, ChoosesAmongTheNearestAtRandom) {
  const SearchSpace space = Create({Range("A", 1), Range("B", 1)}, {"A != B"});
  RandomStream random(1, "test");
  std::map<ConfigurationIndex, int> counts;
  const Row row(space.layout().words(), 0);
  for (int i = 0; i < 400; ++i) ++counts[Repair(space, row, random)];
  EXPECT_GT(counts[0], 150);
  EXPECT_GT(counts[1], 150);
}

TEST(Repair, ComesNearInASpaceTooLargeToScan) {
  const SearchSpace space =
      Create({Range("A", 99), Range("B", 99), Range("C", 99), Range("D", 9), Range("E", 99)},
             {"(A + B + C) % 25 == 0", "A + B == E or A == E", "B % 2 == 0 or D == 0"});
  ASSERT_GT(space.size(), 2 * kScannedConfigurations);
  RandomStream random(1, "test");
  for (int i = 0; i < 20; ++i) {
    const Row row = RandomRow(space, random);
    const ConfigurationIndex repaired = Repair(space, row, random);
    EXPECT_LE(CountDiffering(space, row.data(), space.RowAt(repaired).data()), 3);
  }
}

TEST(WithValue, ChangesTheRootParameterAndWhatItPins) {
  const SearchSpace space = Variants(5);
  RandomStream random(1, "test");
  const auto tile =
      *space.IndexOf({{"TEMPLATE", "tile"}, {"TILE", 3}, {"ROWS", 2}, {"LANES", 0}, {"SPLIT", 0}});
  EXPECT_EQ(Text(space, *WithValue(space, tile, 0, 1, random)), "dot 0 0 0 0 ");
  // A parameter of the other variant brings that variant along.
  EXPECT_EQ(Text(space, *WithValue(space, tile, 3, 2, random)), "dot 0 0 2 0 ");
  EXPECT_EQ(Text(space, *WithValue(space, tile, 1, 5, random)), "tile 5 2 0 0 ");
}

TEST(WithValue, IsNothingForAValueThatNoConfigurationHas) {
  const SearchSpace space = Create({Range("A", 3), Range("B", 3)}, {"A + B < 3"});
  RandomStream random(1, "test");
  EXPECT_EQ(WithValue(space, 0, 1, 3, random), std::nullopt);
}

TEST(WithRandomValue, ReachesEveryValueOfEveryParameter) {
  const SearchSpace space = Variants(2);
  RandomStream random(1, "test");
  std::set<std::pair<size_t, size_t>> seen;
  ConfigurationIndex index = 0;
  for (int i = 0; i < 300; ++i) {
    index = WithRandomValue(space, index, random);
    for (size_t p = 0; p < 5; ++p)
      seen.insert({p, space.layout().Get(space.RowAt(index).data(), p)});
  }
  EXPECT_EQ(seen.size(), 2u + 3 + 3 + 4 + 4);
}

TEST(WithRandomValue, StaysWhereThereIsNothingToChange) {
  RandomStream random(1, "test");
  EXPECT_EQ(WithRandomValue(Create({Range("A", 0), Range("B", 0)}, {}), 0, random), 0u);
  EXPECT_EQ(WithRandomValue(Create({}, {}), 0, random), 0u);
}

}  // namespace
}  // namespace burnish::space
