#include "sim/flow/stage.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace railyard::sim {
namespace {

using collectives::Channel;
using collectives::Coupling;
using collectives::Edge;
using collectives::EdgePattern;
using collectives::Loop;
using collectives::RankOrder;
using collectives::RingPattern;
using collectives::Step;

Loop ring(std::uint32_t places, std::int64_t offset, Coupling coupling = Coupling::ring) {
  return {
      places - 1,
      coupling,
      {Step{RingPattern{.order = RankOrder::identity(places), .offset = offset, .via = nullptr}}}};
}

Loop edge(std::uint32_t source, std::uint32_t destination) {
  return {4,
          Coupling::pipeline,
          {Step{EdgePattern{.edges = std::make_shared<const std::vector<Edge>>(std::vector<Edge>{
                                {.source = source, .destination = destination}})}}}};
}

TEST(Stages, ReduceScatterAndAllGatherOfARingAreOne) {
  const Channel channel{4, {ring(4, 0), ring(4, 1)}};
  const auto cut = stages(channel);
  ASSERT_EQ(cut.size(), 1u);
  EXPECT_EQ(cut[0].kind, Stage::Kind::steady);
  EXPECT_EQ(cut[0].loops.size(), 2u);
}

TEST(Stages, CoupledLoopsOverOtherConnectionsAreTwo) {
  const Channel channel{4, {edge(0, 1), edge(1, 2), edge(1, 2), ring(4, 0), ring(3, 0)}};
  const auto cut = stages(channel);
  ASSERT_EQ(cut.size(), 4u);
  EXPECT_EQ(cut[1].loops.size(), 2u);
}

TEST(Stages, LoopsThatAreNotCoupledFollowTheReplayRuleTogether) {
  const Channel channel{
      4, {ring(4, 0, Coupling::independent), ring(4, 0, Coupling::exchange), ring(4, 0)}};
  const auto cut = stages(channel);
  ASSERT_EQ(cut.size(), 2u);
  EXPECT_EQ(cut[0].kind, Stage::Kind::replayed);
  EXPECT_EQ(cut[0].loops.size(), 2u);
  EXPECT_EQ(cut[1].kind, Stage::Kind::steady);
}

TEST(Stages, OneLoopOfIndependentTransfersIsItsOwnKind) {
  const Channel channel{4, {ring(4, 0, Coupling::independent)}};
  const auto cut = stages(channel);
  ASSERT_EQ(cut.size(), 1u);
  EXPECT_EQ(cut[0].kind, Stage::Kind::independent);
  EXPECT_EQ(expanded_stages(channel)[0].kind, Stage::Kind::replayed);
}

TEST(Stages, ExpandedIsOneStage) {
  const Channel channel{4, {ring(4, 0), ring(4, 1)}};
  const auto cut = expanded_stages(channel);
  ASSERT_EQ(cut.size(), 1u);
  EXPECT_EQ(cut[0].kind, Stage::Kind::replayed);
  EXPECT_TRUE(expanded_stages(Channel{}).empty());
}

}  // namespace
}  // namespace railyard::sim
