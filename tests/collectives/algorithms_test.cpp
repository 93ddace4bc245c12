#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "collectives/algorithms/algorithm.hpp"
#include "collectives/verifier/verify.hpp"
#include "tests/collectives/test_clusters.hpp"

namespace railyard::collectives {
namespace {

using testing::CanonicalNode;
using testing::cube_mesh;
using testing::make_cluster;
using testing::make_request;

constexpr Kind kKinds[] = {Kind::all_reduce, Kind::all_gather, Kind::reduce_scatter,
                           Kind::broadcast,  Kind::reduce,     Kind::all_to_all,
                           Kind::send_recv};

/// Builds and proves every algorithm for every kind that it does; returns how many were proven.
int prove_all(const topology::Cluster& cluster, const std::vector<int>& ranks,
              ScheduleOptions options = {}) {
  int proven = 0;
  for (const Algorithm& algorithm : algorithms()) {
    for (const Kind kind : kKinds) {
      if (!algorithm.supports(kind)) continue;
      const auto root = static_cast<std::uint32_t>(ranks.size() / 2);
      const Collective collective{.kind = kind, .bytes = Bytes(100'000), .root = root};
      const Request request = make_request(cluster, ranks, collective, options);
      if (!algorithm.why_not(request).empty()) continue;
      const Schedule schedule = algorithm.build(request);
      EXPECT_EQ(schedule.algorithm(), algorithm.name);
      const auto findings = verify(schedule);
      EXPECT_TRUE(findings.empty())
          << algorithm.name << " " << to_text(kind) << " over " << ranks.size()
          << " ranks: " << fmt::format("{}", fmt::join(findings, "\n"));
      ++proven;
    }
  }
  return proven;
}

std::vector<int> all_ranks(const topology::Cluster& cluster) {
  std::vector<int> ranks(cluster.rank_count());
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

struct Shape {
  std::string name;
  std::vector<CanonicalNode> nodes;
};

void PrintTo(const Shape& shape, std::ostream* out) { *out << shape.name; }

std::vector<Shape> shapes() {
  std::vector<Shape> found;
  const auto repeated = [](CanonicalNode form, int count) {
    return std::vector<CanonicalNode>(static_cast<std::size_t>(count), std::move(form));
  };
  for (int n = 1; n <= 17; ++n) {
    found.push_back({fmt::format("nvswitch_1x{}", n), {{.gpus = n, .nics = n}}});
    found.push_back(
        {fmt::format("pcie_1x{}", n),
         {{.gpus = n, .nics = 1, .inside = CanonicalNode::Inside::pcie, .gpus_per_switch = 2}}});
    found.push_back({fmt::format("one_gpu_{}x1", n), repeated({.gpus = 1, .nics = 1}, n)});
  }
  for (const auto& [nodes, gpus] : {std::pair{3, 5}, {2, 8}, {4, 8}, {5, 3}, {7, 2}}) {
    found.push_back({fmt::format("nvswitch_{}x{}", nodes, gpus),
                     repeated({.gpus = gpus, .nics = gpus}, nodes)});
    found.push_back(
        {fmt::format("shared_nics_{}x{}", nodes, gpus),
         repeated({.gpus = gpus, .nics = (gpus + 1) / 2, .gpus_per_switch = 2}, nodes)});
    found.push_back(
        {fmt::format("pcie_{}x{}", nodes, gpus),
         repeated(
             {.gpus = gpus, .nics = 1, .inside = CanonicalNode::Inside::pcie, .gpus_per_switch = 4},
             nodes)});
    found.push_back({fmt::format("sharp_{}x{}", nodes, gpus),
                     repeated({.gpus = gpus, .nics = gpus, .in_network_reduction = true}, nodes)});
  }
  found.push_back({"cube_mesh_1x8", repeated(cube_mesh(), 1)});
  found.push_back({"cube_mesh_2x8", repeated(cube_mesh(), 2)});
  found.push_back({"cube_mesh_3x8", repeated(cube_mesh(), 3)});
  found.push_back(
      {"unequal_2_3_4", {{.gpus = 2, .nics = 2}, {.gpus = 3, .nics = 3}, {.gpus = 4, .nics = 4}}});
  return found;
}

class EveryShape : public ::testing::TestWithParam<Shape> {};

TEST_P(EveryShape, EveryAlgorithmIsProven) {
  const topology::Cluster cluster = make_cluster(GetParam().nodes);
  // ring alone does five kinds on any group.
  EXPECT_GE(prove_all(cluster, all_ranks(cluster)), 5);
}

TEST_P(EveryShape, EverySecondRankIsProven) {
  const topology::Cluster cluster = make_cluster(GetParam().nodes);
  std::vector<int> ranks;
  for (std::size_t rank = 0; rank < cluster.rank_count(); rank += 2)
    ranks.push_back(static_cast<int>(rank));
  EXPECT_GE(prove_all(cluster, ranks), 5);
}

TEST_P(EveryShape, ReversedRanksAreProven) {
  const topology::Cluster cluster = make_cluster(GetParam().nodes);
  std::vector<int> ranks = all_ranks(cluster);
  std::reverse(ranks.begin(), ranks.end());
  EXPECT_GE(prove_all(cluster, ranks, {.channels = 3, .chunk = Bytes(5'000)}), 5);
}

TEST_P(EveryShape, ScatteredRanksAreProven) {
  // 5i mod n visits every rank when 5 does not divide n; otherwise 7i.
  const topology::Cluster cluster = make_cluster(GetParam().nodes);
  const auto n = static_cast<int>(cluster.rank_count());
  std::vector<int> ranks;
  for (int i = 0; i < n; ++i) ranks.push_back(i * (n % 5 == 0 ? 7 : 5) % n);
  EXPECT_GE(prove_all(cluster, ranks), 5);
}

INSTANTIATE_TEST_SUITE_P(Shapes, EveryShape, ::testing::ValuesIn(shapes()),
                         [](const auto& shape) { return shape.param.name; });

TEST(Algorithms, SizesThatDoNotDivideAreProven) {
  const topology::Cluster cluster = make_cluster({.gpus = 4, .nics = 4}, 2);
  for (const std::int64_t bytes : {0, 1, 4, 20, 31, 32, 4097}) {
    for (const Algorithm& algorithm : algorithms()) {
      for (const Kind kind : kKinds) {
        if (!algorithm.supports(kind)) continue;
        const Request request = make_request(cluster, {.kind = kind, .bytes = Bytes(bytes)});
        if (!algorithm.why_not(request).empty()) continue;
        EXPECT_TRUE(verify(algorithm.build(request)).empty()) << algorithm.name << " " << bytes;
      }
    }
  }
}

}  // namespace
}  // namespace railyard::collectives
