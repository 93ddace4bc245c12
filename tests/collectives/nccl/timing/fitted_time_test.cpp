#include "collectives/nccl/timing/fitted_time.hpp"

#include <gtest/gtest.h>

#include <array>

#include "collectives/nccl/timing/mesh_load.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/cluster/lost_nics.hpp"

namespace railyard::collectives::nccl {
namespace {

topology::Cluster shipped(const std::string& name, int nodes) {
  return topology::build_cluster(topology::read_cluster(
      std::string(RAILYARD_SOURCE_DIR "/configs/clusters/") + name + ".json", nodes));
}

/// The first GPUs of a DGX-1 by 80 GB/s of NVLink each.
MeshLoad quad(std::initializer_list<int> gpus) {
  const auto node = topology::read_node(RAILYARD_SOURCE_DIR "/configs/nodes/dgx1_v100.json");
  const System system = make_system(node, std::vector<int>(gpus));
  return mesh_load(system, compute_paths(system, {}), 80);
}

TEST(MeshLoad, OfFourV100ItIsTheSingleLinks) {
  // All four meet directly, by one NVLink of 20 GB/s (0-1, 0-2, 1-3) or two. To all: a single link
  // has one of three blocks, 1/20 against 3/80: 4/3. To the next, 0-1 is single: 1/20 against 1/80.
  EXPECT_NEAR(quad({0, 1, 2, 3}).all_to_all, 4.0 / 3, 1e-6);
  EXPECT_NEAR(quad({0, 1, 2, 3}).next, 4, 1e-6);
}

TEST(MeshLoad, TwoWithoutALinkGoByAnother) {
  // 0 and 7 share none: each way goes over two links, none of which carries anything else. Both
  // GPUs' 80 GB/s would do it in 1/80; a link has 20 or 40.
  const double load = quad({0, 3, 7}).all_to_all;
  EXPECT_GE(load, 1);
  EXPECT_LE(load, 4);
}

TEST(MeshLoad, ASwitchLoadsAllLinksAlike) {
  const auto node = topology::read_node(RAILYARD_SOURCE_DIR "/configs/nodes/dgx_h100.json");
  const System system = make_system(node);
  const MeshLoad load = mesh_load(system, compute_paths(system, {}), 370);
  EXPECT_EQ(load.all_to_all, 1);
  EXPECT_EQ(load.next, 1);
}

/// The time of 256 MiB by an algorithm on so many channels; 0: NCCL's own number.
double time_of(FittedTime& time, const Group& group, std::string_view algorithm, int channels) {
  const auto asked = time.query(group, {.collective = {.bytes = Bytes(256 << 20)},
                                        .algorithm = algorithm,
                                        .protocol = Protocol::simple,
                                        .channels = channels});
  return asked ? collective_time(asked->machine, asked->query).total() : 0;
}

// What a channel copies does not depend on why there are few: a limit of the environment reaches
// the model as the number of channels of the schedule, and the machine stays the fitted one.
TEST(FittedTime, ALimitOnChannelsIsNoOtherMachine) {
  for (const int nodes : {1, 4}) {
    const auto cluster = shipped("dgx_h100_ndr400", nodes);
    const auto group = Group::first(cluster, cluster.rank_count());
    FittedTime free(cluster, {});
    FittedTime limited(cluster, {.search = {.max_channels = 2, .max_ctas = 2}});
    for (const char* algorithm : {"ring", "tree", nodes == 1 ? "nvls" : "nvls_tree"}) {
      const double few = time_of(limited, group, algorithm, 2);
      EXPECT_EQ(few, time_of(free, group, algorithm, 2)) << algorithm;
      EXPECT_GT(few, 3 * time_of(free, group, algorithm, 0)) << algorithm;
    }
  }
}

// 24 channels of a ring on 8 H100: one of them has 1/24 of the GPU's NVLinks. NVLS has 16.
TEST(FittedTime, AChannelHasItsShareOfTheLinks) {
  const auto cluster = shipped("dgx_h100_ndr400", 1);
  const auto group = Group::first(cluster, 8);
  FittedTime time(cluster, {});
  const auto share = [&](std::string_view algorithm, int channels) {
    return time
        .query(group, {.collective = {.bytes = Bytes(256 << 20)},
                       .algorithm = algorithm,
                       .protocol = Protocol::simple,
                       .channels = channels})
        ->query.channel_share;
  };
  EXPECT_DOUBLE_EQ(share("ring", 1), 1.0 / 24);
  EXPECT_DOUBLE_EQ(share("nvls", 4), 4.0 / 16);
  EXPECT_DOUBLE_EQ(share("nvls", 16), 1);
  EXPECT_DOUBLE_EQ(share("nvls", 0), 1);
}

TEST(FittedTime, SendsGoByTheNicsOfAllGpus) {
  // 72 GPUs with a NIC of 50 GB/s each, of which the channels of rings use 32 at most.
  const auto cluster = shipped("gb200_nvl72", 2);
  FittedTime time(cluster, {});
  const Machine* machine = time.machine(Group::first(cluster, 144));
  ASSERT_NE(machine, nullptr);
  EXPECT_NEAR(machine->exchange_nics, 72 * 50, 1e-6);
  EXPECT_LT(machine->nics, machine->exchange_nics);
}

TEST(FittedTime, KnowsWhichWaysAreNccls) {
  const auto cluster = shipped("dgx_h100_ndr400", 2);
  FittedTime time(cluster, {});
  const Group group = Group::first(cluster, 16);
  const auto knows = [&](Kind kind, std::string_view algorithm) {
    return time
        .query(group,
               {.collective = {.kind = kind, .bytes = Bytes(1 << 20)}, .algorithm = algorithm})
        .has_value();
  };
  EXPECT_TRUE(knows(Kind::all_reduce, "nvls_tree"));
  EXPECT_FALSE(knows(Kind::all_gather, "pat")) << "eight ranks a node";
  EXPECT_TRUE(knows(Kind::all_to_all, "rail_pxn"));
  EXPECT_FALSE(knows(Kind::all_reduce, "halving_doubling"));
  EXPECT_FALSE(knows(Kind::broadcast, "tree")) << "NCCL broadcasts on rings alone";
  EXPECT_FALSE(knows(Kind::all_to_all, "hierarchical"));
  const Group lone(cluster, {Rank(0), Rank(8)});
  EXPECT_TRUE(time.query(lone, {.collective = {.kind = Kind::all_gather, .bytes = Bytes(1 << 20)},
                                .algorithm = "pat"}));
}

TEST(FittedTime, OneRankHasNoMachine) {
  const auto cluster = shipped("dgx_h100_ndr400", 1);
  FittedTime time(cluster, {});
  EXPECT_EQ(time.machine(Group::first(cluster, 1)), nullptr);
}

TEST(FittedTime, FewerChannelsThanNcclsTakeLonger) {
  const auto cluster = shipped("dgx_h100_ndr400", 1);
  FittedTime time(cluster, {});
  const Group group = Group::first(cluster, 8);
  const auto bytes = [&](int channels) {
    const auto way = time.query(
        group,
        {.collective = {.bytes = Bytes(1 << 30)}, .algorithm = "ring", .channels = channels});
    return collective_time(way->machine, way->query).bytes;
  };
  // NCCL launches 24 there; as many again do not help.
  EXPECT_NEAR(bytes(12) / bytes(24), 2, 1e-9);
  EXPECT_NEAR(bytes(48), bytes(24), 1e-9);
  EXPECT_NEAR(bytes(0), bytes(24), 1e-9);
}

// One GPU per node sends by one NIC, on the node that lost another NIC too. There the remaining
// NICs have other numbers: 7 is no NIC of that node any more.
TEST(FittedTime, NumbersOfNicsAreThoseOfEachNode) {
  const auto lost = [](topology::ClusterSpec spec) {
    topology::FaultTexts texts{.failures = {"node3/nic1"}, .degradations = {}};
    return topology::build_cluster(topology::without_lost_nics(std::move(spec), texts));
  };
  const auto spec =
      topology::read_cluster(RAILYARD_SOURCE_DIR "/configs/clusters/dgx_h100_ndr400.json", 4);
  const topology::Cluster healthy = topology::build_cluster(spec), faulty = lost(spec);
  const topology::Timings timings = topology::read_timings("dgx_h100_ndr400");
  for (const std::uint32_t gpu : {0U, 1U, 6U, 7U}) {
    const auto seconds = [&](const topology::Cluster& cluster) {
      FittedTime time(cluster, {.timings = timings});
      const Group group(cluster, {Rank(gpu), Rank(8 + gpu), Rank(16 + gpu), Rank(24 + gpu)});
      return time_of(time, group, "ring", 0);
    };
    // GPU 1 of node 3 sends by the NIC of another GPU, at the same rate.
    EXPECT_EQ(seconds(faulty), seconds(healthy)) << gpu;
  }
}

// Domains of 72 GPUs joined by one NIC of 50 GB/s a GPU: half of an all_to_all of two domains, and
// 19 of 20 parts of 20, leave by that NIC; the NVLinks would take a tenth of the time.
TEST(FittedTime, NvlinkDomainsPayForTheFabricBetweenThem) {
  for (const auto& [nodes, leaving] : {std::pair{2, 0.5}, {20, 0.95}}) {
    const topology::Cluster cluster = shipped("gb200_nvl72", nodes);
    FittedTime time(cluster, {});
    const Bytes size(std::int64_t{8} << 30);
    const auto asked = time.query(Group::first(cluster, cluster.rank_count()),
                                  {.collective = {.kind = Kind::all_to_all, .bytes = size},
                                   .algorithm = "rail_pxn",
                                   .protocol = Protocol::simple,
                                   .channels = 0});
    ASSERT_TRUE(asked);
    const TimeTerms terms = collective_time(asked->machine, asked->query);
    const double nic = 50e3 * asked->machine.fabric.efficiency;  // bytes per us
    EXPECT_NEAR(terms.bytes, leaving * static_cast<double>(size.count()) / nic, terms.bytes * 1e-3);
    EXPECT_EQ(terms.bound, Bound::network);
  }
}

}  // namespace
}  // namespace railyard::collectives::nccl
