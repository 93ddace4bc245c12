#include "core/sweep/space.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/diagnostic.hpp"

namespace railyard::core::sweep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using Point = std::vector<std::string>;

Axis axis(std::string_view text) { return parse_axis(text, "--grid"); }

std::string error_of(std::string_view text) {
  try {
    (void)axis(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Axis, ReadsListsAndRanges) {
  EXPECT_EQ(axis("nodes=2,4,8").field, "nodes");
  EXPECT_THAT(axis("nodes=2,4,8").values, ElementsAre("2", "4", "8"));
  EXPECT_THAT(axis("--nodes=2..5").values, ElementsAre("2", "3", "4", "5"));
  EXPECT_THAT(axis("nodes=1,4..8:+2").values, ElementsAre("1", "4", "6", "8"));
  EXPECT_THAT(axis("nodes=1..20:*3").values, ElementsAre("1", "3", "9"));
  EXPECT_THAT(axis("x=0.1..0.3:+0.1").values, ElementsAre("0.1", "0.2", "0.3"));
  // 1K * 32 = 32K; * 32 = 1M; * 32 = 32M is beyond 8M.
  EXPECT_THAT(axis("bytes=1K..8M:*32").values, ElementsAre("1K", "32K", "1M"));
  EXPECT_THAT(axis("bytes=1K..2K:+512").values, ElementsAre("1K", "1536", "2K"));
  EXPECT_THAT(axis("bytes=64K..1M:+512K").values, ElementsAre("64K", "576K"));
  EXPECT_THAT(axis("rate=100 Gb/s..400 Gb/s:+150").values,
              ElementsAre("100 Gb/s", "250 Gb/s", "400 Gb/s"));
}

TEST(Axis, KeepsValuesWithCommasEqualsAndEmptyOnes) {
  EXPECT_THAT(axis("candidates=a,b;c").values, ElementsAre("a,b", "c"));
  EXPECT_THAT(axis("env=NCCL_ALGO=Ring,NCCL_ALGO=Tree").values,
              ElementsAre("NCCL_ALGO=Ring", "NCCL_ALGO=Tree"));
  EXPECT_THAT(axis("fail=,node0/nic3").values, ElementsAre("", "node0/nic3"));
  EXPECT_THAT(axis("cluster=../a.json").values, ElementsAre("../a.json"));
  const Axis field = axis("cluster:/fabric/leaf_oversubscription=1,2");
  EXPECT_EQ(flag_of(field.field), "cluster");
  EXPECT_EQ(pointer_of(field.field), "/fabric/leaf_oversubscription");
  EXPECT_EQ(pointer_of("nodes"), "");
}

TEST(Axis, NamesWhatIsWrong) {
  EXPECT_THAT(error_of("nodes"), HasSubstr("no field or no values"));
  EXPECT_THAT(error_of("=1,2"), HasSubstr("no field or no values"));
  EXPECT_THAT(error_of("nodes=8..2"), HasSubstr("must end above its beginning"));
  EXPECT_THAT(error_of("nodes=2..8:+0"), HasSubstr("must increase the value"));
  EXPECT_THAT(error_of("nodes=2..8:*1"), HasSubstr("must increase the value"));
  EXPECT_THAT(error_of("nodes=2..8:3"), HasSubstr("the step of '2..8:3' is missing"));
  EXPECT_THAT(error_of("nodes=0..8:*2"), HasSubstr("must begin above 0"));
  EXPECT_THAT(error_of("nodes=2,4,2"), HasSubstr("'2' appears twice"));
  EXPECT_THAT(error_of("rate=1 Gb/s..2 GB/s:+1"), HasSubstr("same unit"));
  EXPECT_THAT(error_of("x=0.5..2,3"), HasSubstr("cannot be part of a list"));
  EXPECT_THAT(error_of("nodes=1..2000000"), HasSubstr("more than 1000000 values"));
}

TEST(Space, IsEveryCombinationWithTheLastFieldFastest) {
  const Space space{.grid = {axis("a=1,2"), axis("b=x,y,z")}};
  EXPECT_THAT(points_of(space), ElementsAre(Point{"1", "x"}, Point{"1", "y"}, Point{"1", "z"},
                                            Point{"2", "x"}, Point{"2", "y"}, Point{"2", "z"}));
}

TEST(Space, ChangesTheFieldsOfAListTogether) {
  const Space space{.grid = {axis("c=p,q")}, .list = {axis("a=1,2"), axis("b=x,y")}};
  EXPECT_THAT(fields_of(space), ElementsAre("a", "b", "c"));
  EXPECT_THAT(points_of(space), ElementsAre(Point{"1", "x", "p"}, Point{"1", "x", "q"},
                                            Point{"2", "y", "p"}, Point{"2", "y", "q"}));
}

TEST(Space, OfNoFieldsIsOnePoint) { EXPECT_THAT(points_of({}), SizeIs(1)); }

TEST(Space, RefusesFieldsThatAreThereTwiceAndUnevenLists) {
  const auto error = [](const Space& space) -> std::string {
    try {
      (void)points_of(space);
    } catch (const InputError& problem) {
      return problem.what();
    }
    return "";
  };
  EXPECT_THAT(error({.grid = {axis("a=1"), axis("a=2")}}), HasSubstr("the field a appears twice"));
  EXPECT_THAT(error({.grid = {}, .list = {axis("a=1,2"), axis("b=1")}}),
              HasSubstr("b has 1 values, but a has 2"));
  EXPECT_THAT(error({.grid = {axis("a=0.5..2")}}), HasSubstr("give it a step"));
  EXPECT_THAT(error({.grid = {axis("a=1..10000"), axis("b=1..10000")}}),
              HasSubstr("more than 10000000"));
}

TEST(Sample, IsTheSameForASeedAndGrowsAtItsEnd) {
  Space space{.grid = {axis("a=1..1000"), axis("b=0.5..2")}};
  space.samples = 50;
  space.seed = 7;
  const auto points = points_of(space);
  ASSERT_THAT(points, SizeIs(50));
  EXPECT_EQ(points, points_of(space));
  space.samples = 20;
  EXPECT_EQ(points_of(space), std::vector<Point>(points.begin(), points.begin() + 20));
  space.seed = 8;
  EXPECT_NE(points_of(space).front(), points.front());
}

TEST(Sample, DrawsEachCombinationOnceAndAllWhereThereAreFewer) {
  Space space{.grid = {axis("a=1..6"), axis("b=x,y")}};
  space.samples = 12;
  const auto all = points_of(space);
  EXPECT_THAT(std::set<Point>(all.begin(), all.end()), SizeIs(12));
  space.samples = 1000;
  EXPECT_THAT(points_of(space), SizeIs(12));
}

// Uniform between 1 and 3: mean 2, standard error 2 / sqrt(12 * 10,000) = 0.0058. Uniform in the
// logarithm between 0.01 and 100: half lies below 1, standard error 0.005. Six errors each.
TEST(Sample, IsUniformOrUniformInTheLogarithm) {
  Space space{.grid = {axis("a=1.0..3"), axis("b=0.01..100:log")}};
  space.samples = 10'000;
  double sum = 0;
  int below = 0;
  for (const Point& point : points_of(space)) {
    sum += std::stod(point[0]);
    below += std::stod(point[1]) < 1 ? 1 : 0;
  }
  EXPECT_NEAR(sum / 10'000, 2, 6 * 0.0058);
  EXPECT_NEAR(below / 10'000.0, 0.5, 6 * 0.005);
}

}  // namespace
}  // namespace railyard::core::sweep
