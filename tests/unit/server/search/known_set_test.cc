#include "server/search/known_set.h"

#include <set>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::search {
namespace {

TEST(KnownSet, DrawsWhatCoversAllValuesFirst) {
  std::vector<space::Parameter> parameters = {
      {"LARGE", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}}, {"ROOT", {"a", "b", "c"}}, {"TWO", {0, 1}}};
  std::vector<expr::Expression> constraints = {
      *expr::Expression::Parse("ROOT == 'a' or LARGE == 0")};
  const space::SearchSpace space =
      *space::SearchSpace::Create(std::move(parameters), std::move(constraints));
  RandomStream random(1, "test");
  KnownSet known(space);
  std::set<std::string> roots;
  std::set<std::string> large;
  for (int draw = 0; draw < 15; ++draw) {
    const auto index = known.DrawCovering(random);
    ASSERT_TRUE(known.Insert(index)) << "drew a known one";
    roots.insert(expr::FormatValue(space.At(index)[1].value));
    large.insert(expr::FormatValue(space.At(index)[0].value));
    if (draw == 4) {
      EXPECT_EQ(roots.size(), 3u);  // the values of small domains come first
    }
  }
  EXPECT_EQ(large.size(), 10u);
  while (!known.Full()) ASSERT_TRUE(known.Insert(known.DrawCovering(random)));
}

TEST(KnownSet, DrawsEveryUnknownNeighbourAndThenNone) {
  std::vector<space::Parameter> parameters = {{"A", {0, 1, 2, 3, 4}}, {"B", {0, 1, 2}}};
  const space::SearchSpace space = *space::SearchSpace::Create(std::move(parameters), {});
  RandomStream random(1, "test");
  KnownSet known(space);
  known.Insert(1);
  std::set<space::ConfigurationIndex> drawn;
  while (const auto neighbour = known.DrawNeighbour(0, random)) {
    ASSERT_TRUE(known.Insert(*neighbour)) << "drew a known one";
    drawn.insert(*neighbour);
  }
  EXPECT_THAT(drawn, testing::ElementsAre(2, 3, 6, 9, 12));
}

}  // namespace
}  // namespace burnish::search
