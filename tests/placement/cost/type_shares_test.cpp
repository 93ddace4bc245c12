#include "placement/cost/type_shares.hpp"

#include <gtest/gtest.h>

#include "tests/placement/two_types.hpp"

namespace railyard::placement {
namespace {

// Three stages, two on A and one on B: a share each, with the slower stage of A and its two layers.
TEST(TypeShares, JoinNeighbouringStagesOfOneType) {
  const TwoTypes two(
      {.name = "gpt", .model = read_model("megatron_18b"), .batch = 16, .sequence = 2048},
      "h100_sxm", "a100_sxm_80", 16, 8);
  const Strategy s = over({.tp = 8, .pp = 3, .layers = {16, 14, 10}},
                          {{.types = {0, 0, 1}, .replicas = 1, .micro_batches = 16}});
  const std::vector<TypeShare> shares = type_shares(two.context(), s);
  ASSERT_EQ(shares.size(), 2U);
  EXPECT_EQ(shares[0].type, 0);
  EXPECT_EQ(shares[0].first_stage, 0);
  EXPECT_EQ(shares[0].last_stage, 1);
  EXPECT_EQ(shares[0].gpus, 16);
  EXPECT_EQ(shares[0].layers, (std::vector{16, 14}));
  EXPECT_EQ(shares[1].layers, (std::vector{10}));
  EXPECT_EQ(shares[1].gpus, 8);
  const std::vector<StageUse> uses =
      stage_uses(two.context(), s, type_blocks(two.context(), s).blocks);
  EXPECT_EQ(shares[0].pass, std::max(uses[0].pass, uses[1].pass));
  EXPECT_EQ(shares[1].memory, uses[2].memory.total());
}

}  // namespace
}  // namespace railyard::placement
