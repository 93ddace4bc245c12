#include <gtest/gtest.h>

#include "collectives/nccl/tuning/release.hpp"
#include "collectives/nccl/tuning/tuning_choice.hpp"
#include "collectives/nccl/tuning/tuning_model.hpp"
#include "tests/collectives/nccl_cases.hpp"

// NCCL 2.32 has run nowhere for these tests. Their numbers follow from the formulas in its
// src/tuning/ by hand.
namespace railyard::collectives::nccl {
namespace {

using enum TuningAlgorithm;
using enum Kind;
using enum Protocol;

constexpr std::int64_t kKiB = 1024, kMiB = 1024 * kKiB;

TuningModel before(const Communicator& c, const TuningSettings& settings = {}) {
  return make_tuning_model(c, Version::v2_30, settings);
}
TuningModel after(const Communicator& c, const TuningSettings& settings = {}) {
  return make_tuning_model(c, Version::v2_32, settings);
}

Communicator blackwell(int nodes) {
  Communicator c = dgx_h100(nodes);
  c.min_compute_capability = c.max_compute_capability = 100;
  return c;
}

TEST(Nccl232, TwoConstantsOfBlackwellAreNew) {
  Communicator c = blackwell(1);
  c.graphs[0]->channels = 24;
  // LL on one node: min(24 * 30 / 2 = 360, 2 * 141.2), was 2 * 141; * 8 ranks / 14 steps.
  EXPECT_FLOAT_EQ(before(c).entry(all_reduce, ring, ll).bandwidth, 282.0f * 8 / 14);
  EXPECT_FLOAT_EQ(after(c).entry(all_reduce, ring, ll).bandwidth, 282.4f * 8 / 14);
  // Tree LL128 on two nodes: min(8 * 48 * .92 * 120/128, 8 * 36.7), was 8 * 31.67; * .85 / 2.
  EXPECT_FLOAT_EQ(before(blackwell(2)).entry(all_reduce, tree, ll128).bandwidth,
                  8 * 31.67f * .85f / 2);
  EXPECT_FLOAT_EQ(after(blackwell(2)).entry(all_reduce, tree, ll128).bandwidth,
                  8 * 36.7f * .85f / 2);
}

TEST(Nccl232, TwoNodesCountTheNics) {
  for (Communicator c : {dgx_h100(2), blackwell(2)}) {
    c.graphs[0]->bandwidth_inter = 24;
    c.graphs[1]->bandwidth_inter = 24;
    const bool b200 = c.min_compute_capability == 100;
    // Rings before B200 still count the 48 GB/s between GPUs: 8 channels, 16 ranks, 30 steps.
    EXPECT_FLOAT_EQ(before(c).entry(all_reduce, ring, simple).bandwidth, 8 * 48 * 16.0f / 30);
    EXPECT_FLOAT_EQ(after(c).entry(all_reduce, ring, simple).bandwidth,
                    8 * (b200 ? 24 : 48) * 16.0f / 30);
    // Trees count the lower: min(8 * 24 * .92, 8 * 41.4 or 42.8) = 176.64; * .85 / 2.
    EXPECT_FLOAT_EQ(after(c).entry(all_reduce, tree, simple).bandwidth, 176.64f * .85f / 2);
    EXPECT_GT(before(c).entry(all_reduce, tree, simple).bandwidth, 330 * .85f / 2);
  }
}

TEST(Nccl232, RingsOnOneNodeOfBlackwellHaveAPlateau) {
  // 24 channels * 8 ranks; the plateau begins at 64 B each.
  const std::int64_t parts = 24 * 8;
  const auto factor = [](const TuningModel& model, Kind kind, std::int64_t bytes) {
    return estimated_latency(model, {.kind = kind, .bytes = bytes}, ring, simple) /
           model.entry(kind, ring, simple).latency;
  };
  const TuningModel eight = after(blackwell(1));
  EXPECT_FLOAT_EQ(factor(eight, all_reduce, 63 * parts), 1);
  // 14 and 7 steps: 1 - (.1/.4)^13 and ^6 of the 0.4.
  EXPECT_FLOAT_EQ(factor(eight, all_reduce, 64 * parts), 1.4f);
  EXPECT_NEAR(factor(eight, all_gather, 64 * parts), 1 + .4 * (1 - 1.0 / 4096), 1e-6);
  // Above 256 KiB a part it falls, by 0.1 at 512 KiB: halfway at 384 KiB.
  EXPECT_FLOAT_EQ(factor(eight, all_reduce, 384 * kKiB * parts), 1.35f);
  EXPECT_FLOAT_EQ(factor(eight, all_reduce, 4096 * kKiB * parts), 1.3f);
  EXPECT_FLOAT_EQ(factor(eight, broadcast, kMiB), 1);
  Communicator pair = blackwell(1);
  pair.ranks = 2;
  // Two ranks: one step of an all-gather has none, two steps of an all-reduce three quarters.
  EXPECT_FLOAT_EQ(factor(after(pair), reduce_scatter, kMiB), 1);
  EXPECT_FLOAT_EQ(factor(after(pair), all_reduce, kMiB), 1.3f);
  // Not over PCIe, not on H100, not in 2.30.
  Communicator pcie = blackwell(1);
  pcie.graphs[0]->type_intra = PathType::phb;
  EXPECT_FLOAT_EQ(factor(after(pcie), all_reduce, kMiB), 1);
  EXPECT_FLOAT_EQ(factor(after(dgx_h100(1)), all_reduce, kMiB), 1);
  EXPECT_FLOAT_EQ(factor(before(blackwell(1)), all_reduce, kMiB), 1);
  // Between nodes as before, for all-reduce alone.
  EXPECT_FLOAT_EQ(factor(after(dgx_h100(2)), all_reduce, kMiB), 1.4f);
  EXPECT_FLOAT_EQ(factor(after(dgx_h100(2)), all_gather, kMiB), 1);
}

TEST(Nccl232, PatFlushesOnceAndComesLastOnFullNodes) {
  Communicator c = single_h100(8);
  c.graphs[1]->latency_inter = 3.5f;
  // 8 + 3 (14 + latencies of the NIC)/3.5 + 8 * 2.8 us.
  EXPECT_FLOAT_EQ(before(c).entry(all_gather, pat, simple).latency, 42.4f + 6);
  EXPECT_FLOAT_EQ(after(c).entry(all_gather, pat, simple).latency, 42.4f + 3);
  TuningSettings asked;
  asked.pat = true;
  EXPECT_EQ(before(dgx_h100(8), asked).entry(all_gather, pat, simple).why_not, "");
  EXPECT_EQ(
      after(dgx_h100(8), asked).entry(all_gather, pat, simple).why_not,
      "with several GPUs per node NCCL 2.32 combines it with NVLS and ranks it last; not modelled");
}

TEST(Nccl232, NvlsTreeOfArmHostsIsCorrectedToo) {
  Communicator c = blackwell(2);
  c.x86 = false;
  c.ranks = 8;  // four GPUs a node
  c.net_bandwidth = 100;
  const auto set_nics = [&c](PathType type) {
    for (std::optional<Graph>& graph : c.graphs)
      if (graph) graph->type_inter = type;
  };
  set_nics(PathType::pxb);
  const auto correction = [&c](const TuningModel& model, std::int64_t bytes) {
    const TuningQuery query{.kind = all_reduce, .bytes = bytes};
    const float latency = estimated_latency(model, query, nvls_tree, simple);
    const float uncorrected =
        static_cast<float>(bytes) / (1000 * model.entry(all_reduce, nvls_tree, simple).bandwidth);
    return uncorrected / (estimated_time(model, query, nvls_tree, simple) - latency);
  };
  // The factors of Simple for 2^14, 2^19, 2^20, 2^21 and 2^23 times 64 B: .5, .7, .8, .9, .9.
  EXPECT_NEAR(correction(before(c), kMiB), 1, 1e-4);
  EXPECT_NEAR(correction(after(c), kMiB), .5, 1e-4);
  EXPECT_NEAR(correction(after(c), 32 * kMiB), .7, 1e-4);
  EXPECT_NEAR(correction(after(c), 64 * kMiB), 1, 1e-4);
  set_nics(PathType::pix);
  EXPECT_NEAR(correction(after(c), 64 * kMiB), .8, 1e-4);
  EXPECT_NEAR(correction(after(c), 128 * kMiB), .9, 1e-4);
  EXPECT_NEAR(correction(after(c), 512 * kMiB), 1, 1e-4);
  c.net_bandwidth = 48;
  EXPECT_NEAR(correction(after(c), kMiB), 1, 1e-4);
  c.net_bandwidth = 100;
  c.ranks = 16;
  EXPECT_NEAR(correction(after(c), kMiB), 1, 1e-4);
}

TEST(Nccl232, SlowRingsKeepTheirThreads) {
  Communicator c = dgx_h100(1);
  c.graphs[0]->channels = 1;
  c.graphs[0]->bandwidth_intra = 12;
  EXPECT_EQ(launch_size(before(c), 1024 * kMiB, ring, simple).threads, 256 + 32);
  EXPECT_EQ(launch_size(after(c), 1024 * kMiB, ring, simple).threads, 512 + 32);
}

TEST(Nccl232, CollnetNeedsHeadsAndNoSwitch) {
  Communicator c = dgx_h100(2);
  c.graphs[2] = c.graphs[4] = c.graphs[0];
  c.collnet_support = true;
  c.nvswitch = false;
  EXPECT_EQ(before(c).entry(all_reduce, collnet_direct, simple).why_not, "needs NVSwitch");
  EXPECT_EQ(after(c).entry(all_reduce, collnet_direct, simple).why_not, "");
  c.graphs[4]->channels = 4;
  EXPECT_EQ(before(c).entry(all_reduce, collnet_chain, simple).why_not, "");
  for (const TuningAlgorithm algorithm : {collnet_direct, collnet_chain})
    EXPECT_EQ(after(c).entry(all_reduce, algorithm, simple).why_not,
              "needs a NIC for each GPU of the group; 8 GPUs of a node share 4");
}

TEST(Nccl232, TheLastOfEqualEstimatesWins) {
  for (const Version version : {Version::v2_30, Version::v2_32}) {
    TuningModel model = make_tuning_model(dgx_h100(2), version);
    for (const TuningAlgorithm algorithm : kAllTuningAlgorithms)
      for (const Protocol protocol : kAllProtocols)
        model.entries[index_of(all_reduce)][index_of(algorithm)][index_of(protocol)] = {
            .latency = 1,
            .bandwidth = 1,
            .why_not = algorithm == tree || algorithm == ring ? "" : "not in this test"};
    // 64 B: the tree's correction of LL and LL128 is 1, that of Simple .9.
    const auto choice = choose(model, {.kind = all_reduce, .bytes = 64});
    ASSERT_TRUE(choice);
    EXPECT_EQ(choice->algorithm, version == Version::v2_30 ? tree : ring);
    EXPECT_EQ(choice->protocol, version == Version::v2_30 ? ll : simple);
  }
}

TEST(NcclRelease, AnotherReleaseIsNamed) {
  struct Case {
    const char* text;
    Version version;
    const char* answers;
  };
  for (const Case& c : {Case{"2.28", Version::v2_28, ""},
                        {"2.28.9", Version::v2_28, ""},
                        {"2.30", Version::v2_30, ""},
                        {"2.32.6", Version::v2_32, ""},
                        {"2.18.5", Version::v2_28, "2.28.9"},
                        {"2.29", Version::v2_30, "2.30.7"},
                        {"2.30.3", Version::v2_30, "2.30.7"},
                        {"2.31.2", Version::v2_32, "2.32.6"},
                        {"2.33", Version::v2_32, "2.32.6"}}) {
    const auto release = modelled_release(c.text);
    ASSERT_TRUE(release) << c.text;
    EXPECT_EQ(release->version, c.version) << c.text;
    const std::string answers = c.answers;
    const std::string note = "NCCL " + std::string(c.text) +
                             " is not modelled; the answer uses NCCL " + answers +
                             ", the nearest modelled release";
    EXPECT_EQ(release->note, answers.empty() ? "" : note);
  }
  for (const char* text : {"", "2", "2.", "2.x", "3.1", "2.30.", "2.30.7.1", "2.-3", "2.30-1"})
    EXPECT_FALSE(modelled_release(text)) << text;
}

}  // namespace
}  // namespace railyard::collectives::nccl
