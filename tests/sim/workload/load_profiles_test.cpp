#include "sim/workload/load_profiles.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "tests/collectives/workload/workload_builder.hpp"
#include "tests/sim/sim_cluster.hpp"

namespace railyard::sim {
namespace {

using namespace testing;
using collectives::Communications;
using collectives::Workload;

/// An all_reduce of 90 MB by each pair of neighbouring ranks.
Workload pairs(std::uint32_t ranks) {
  collectives::GroupFamily family{.name = "pairs"};
  for (std::uint32_t rank = 0; rank < ranks; rank += 2) family.groups.push_back({rank, rank + 1});
  return collectives::one_program(
      {.ranks = ranks, .families = {family}},
      [](collectives::ProgramBuilder& program) { all_reduce(program, "nccl", 90_MB); });
}

std::vector<Rank> first_gpus(std::uint32_t count) {
  std::vector<Rank> gpus;
  for (std::uint32_t rank = 0; rank < count; ++rank) gpus.emplace_back(rank);
  return gpus;
}

WorkloadOptions rings(const topology::Cluster& cluster) {
  WorkloadOptions its;
  its.schedule = [&cluster](std::shared_ptr<const collectives::Group> group,
                            const collectives::Collective& asked) {
    return collectives::build_schedule("ring", {cluster, std::move(group), asked, {.channels = 1}});
  };
  return its;
}

/// What one load puts on links, by itself.
IsolatedTime by_itself(const topology::Cluster& cluster, const WorkloadOptions& options,
                       std::uint32_t first) {
  const auto group = std::make_shared<const collectives::Group>(
      cluster, std::vector<Rank>{Rank(first), Rank(first + 1)});
  const collectives::Collective asked{.bytes = 90_MB, .type = collectives::DataType::bfloat16};
  const collectives::Schedule schedule = options.schedule(group, asked);
  const AnalyticNetwork network(cluster, {.routing = {}, .faults = options.faults});
  const AnalyticNetwork::Connected connected{&schedule, first / 2};
  return network.alone({&connected, 1}).front();
}

TEST(LoadProfiles, GroupsWithinNodesAreTimedAsEachByItself) {
  const auto cluster = single_switch(3, 4);
  WorkloadOptions options = rings(cluster);
  const Workload workload = pairs(12);
  const Communications communications(workload);
  const auto profiles = load_profiles(cluster, communications, first_gpus(12), options);
  ASSERT_EQ(profiles.size(), 6u);
  for (std::uint32_t pair = 0; pair < 6; ++pair) {
    const IsolatedTime expected = by_itself(cluster, options, 2 * pair);
    EXPECT_EQ(profiles[pair].total, expected.total);
    EXPECT_EQ(profiles[pair].latency, expected.latency);
    EXPECT_EQ(profiles[pair].bytes, expected.bytes) << "links of pair " << pair;
  }
  // A ring of two sends the 90 MB once each way, at 360 GB/s: 0.25 ms behind the latency.
  EXPECT_EQ(profiles[0].total - profiles[0].latency, Time::microseconds(250));
}

TEST(LoadProfiles, ANodeWithASlowLinkStandsForNoOther) {
  const auto cluster = single_switch(3, 2);
  WorkloadOptions options = rings(cluster);
  // The NVLink of node 1's GPU 0, both ways, at half rate: 0.5 ms there.
  for (const LinkId link : topology::find_links(cluster, "node1/gpu0 -- node1/nvswitch"))
    options.faults.degraded.push_back({.link = link, .factor = 0.5});
  const Workload workload = pairs(6);
  const Communications communications(workload);
  const auto profiles = load_profiles(cluster, communications, first_gpus(6), options);
  const auto flowing = [&](std::size_t pair) {
    return profiles[pair].total - profiles[pair].latency;
  };
  EXPECT_EQ(flowing(0), Time::microseconds(250));
  EXPECT_EQ(flowing(1), Time::microseconds(500));
  EXPECT_EQ(flowing(2), Time::microseconds(250));
}

TEST(LoadProfiles, GroupsAcrossNodesHaveTheirOwnLinks) {
  const auto cluster = single_switch(4, 1);
  const WorkloadOptions options = rings(cluster);
  const Workload workload = pairs(4);
  const Communications communications(workload);
  const auto profiles = load_profiles(cluster, communications, first_gpus(4), options);
  for (std::uint32_t pair = 0; pair < 2; ++pair)
    EXPECT_EQ(profiles[pair].bytes, by_itself(cluster, options, 2 * pair).bytes);
}

}  // namespace
}  // namespace railyard::sim
