#include "collectives/nccl/tuning/tuning_model.hpp"

#include <gtest/gtest.h>

#include <map>

#include "collectives/nccl/tuning/tuning_choice.hpp"
#include "tests/collectives/nccl_cases.hpp"

namespace railyard::collectives::nccl {
namespace {

using enum TuningAlgorithm;
using enum Kind;
using enum Protocol;

constexpr std::int64_t kKiB = 1024, kMiB = 1024 * kKiB, kGiB = 1024 * kMiB;

std::string reason(const TuningModel& model, Kind kind, TuningAlgorithm algorithm,
                   Protocol protocol = simple) {
  return model.entry(kind, algorithm, protocol).why_not;
}

// Worked by hand with the equations of docs/models/nccl_tuning.md.
TEST(NcclTuning, RingOnOneNodeTakesFourteenHopsAndTheSearchedBandwidth) {
  const auto model = make_tuning_model(dgx_h100(1), Version::v2_30);
  const TuningEntry& ring_simple = model.entry(all_reduce, ring, simple);
  EXPECT_FLOAT_EQ(ring_simple.latency, 8.4f + 14 * 3.4f);          // 56.0
  EXPECT_FLOAT_EQ(ring_simple.bandwidth, 12 * 30 * 8.0f / 14.0f);  // 205.71
  EXPECT_EQ(ring_simple.limit, Limit::intra);
}

TEST(NcclTuning, NvlsSharesItsGraphAndPaysItsEfficiency) {
  const auto model = make_tuning_model(dgx_h100(1), Version::v2_30);
  // 40 * .85 * 7/8 * 2 = 59.5, below the 60 of the graph; * 8 channels * 8/14.
  EXPECT_FLOAT_EQ(model.entry(all_reduce, nvls, simple).bandwidth, 59.5f * 8 * 8 / 14);
  EXPECT_FLOAT_EQ(model.entry(all_reduce, nvls, simple).latency, 25);
}

TEST(NcclTuning, NvlsTreeOnFourNodesIsCappedPerChannel) {
  const auto model = make_tuning_model(dgx_h100(4), Version::v2_30);
  // min(59.5, 48, 45.5) * 8 * 32/62; 25 + 2 * 2 * 20.9.
  EXPECT_FLOAT_EQ(model.entry(all_reduce, nvls_tree, simple).bandwidth, 45.5f * 8 * 32 / 62);
  EXPECT_FLOAT_EQ(model.entry(all_reduce, nvls_tree, simple).latency, 108.6f);
  EXPECT_EQ(model.entry(all_reduce, nvls_tree, simple).limit, Limit::protocol);
}

TEST(NcclTuning, TreeWithLl128OnTwoNodesFollowsTheWorkedExample) {
  const auto model = make_tuning_model(dgx_h100(2), Version::v2_30);
  // min(384 * .92, 8 * 41.4) = 331.2; * 120/128 = 310.5; min with 8 * 36.7 = 293.6; * .85 / 2.
  EXPECT_FLOAT_EQ(model.entry(all_reduce, tree, ll128).bandwidth, 293.6f * .85f / 2);
  EXPECT_FLOAT_EQ(model.entry(all_reduce, tree, ll128).latency, 14 + 2 * (7 * 1.25f + 8.5f));
}

TEST(NcclTuning, PatIsForOneGpuPerNode) {
  const auto alone = make_tuning_model(single_h100(8), Version::v2_30);
  // 8 + 3 * 14/3.5 + 8 * 2.8; 2 channels * 24 * .75.
  EXPECT_FLOAT_EQ(alone.entry(all_gather, pat, simple).latency, 42.4f);
  EXPECT_FLOAT_EQ(alone.entry(all_gather, pat, simple).bandwidth, 36);
  const auto full = make_tuning_model(dgx_h100(8), Version::v2_30);
  EXPECT_EQ(reason(full, all_gather, pat), "needs one GPU per node, or NCCL_PAT_ENABLE=1");
  TuningSettings forced;
  forced.pat = true;
  EXPECT_EQ(reason(make_tuning_model(dgx_h100(8), Version::v2_30, forced), all_gather, pat), "");
}

TEST(NcclTuning, BroadcastPaysEveryStepUnlessChannelsAreTheSame) {
  Communicator c = dgx_h100(4);
  // 32 steps of the tree's network latency for Simple (14), of the ring's for LL (2.7).
  auto model = make_tuning_model(c, Version::v2_30);
  EXPECT_FLOAT_EQ(model.entry(broadcast, ring, simple).latency, 8.4f + 32 * 14);
  EXPECT_FLOAT_EQ(model.entry(reduce, ring, ll).latency, 6.6f + 32 * 2.7f);
  // Of 32 steps for 32 ranks' worth of bytes.
  EXPECT_FLOAT_EQ(model.entry(broadcast, ring, simple).bandwidth, 8 * 48);
  c.graphs[0]->same_channels = true;
  model = make_tuning_model(c, Version::v2_30);
  EXPECT_FLOAT_EQ(model.entry(broadcast, ring, simple).latency, 8.4f + 14);
  EXPECT_EQ(reason(model, broadcast, tree), "NCCL does not implement broadcast with Tree");
}

TEST(NcclTuning, TheCpuPaysForStepsBetweenNodes) {
  Communicator c = dgx_h100(2);
  // 2 * 15 steps, of which 2 * 1 leave a node at 2.7 us; the others take max(.6, overhead).
  EXPECT_FLOAT_EQ(make_tuning_model(c, Version::v2_30).entry(all_reduce, ring, ll).latency,
                  6.6f + 28 * 1 + 2 * 2.7f);
  c.cpu_vendor = CpuVendor::amd;
  EXPECT_FLOAT_EQ(make_tuning_model(c, Version::v2_30).entry(all_reduce, ring, ll).latency,
                  6.6f + 28 * 2 + 2 * 2.7f);
  TuningSettings quick;
  quick.net_overhead_us = 0.0f;
  EXPECT_FLOAT_EQ(make_tuning_model(c, Version::v2_30, quick).entry(all_reduce, ring, ll).latency,
                  6.6f + 28 * .6f + 2 * 2.7f);
}

/// First size of each choice among the powers of two from 1K to 8G.
std::map<std::int64_t, std::string> switches(const TuningModel& model, Kind kind) {
  std::map<std::int64_t, std::string> found;
  std::string last;
  for (std::int64_t bytes = kKiB; bytes <= 8 * kGiB; bytes *= 2) {
    const auto choice = choose(model, {.kind = kind, .bytes = bytes});
    const std::string name =
        std::string(nccl_name(choice->algorithm)) + "/" + std::string(nccl_name(choice->protocol));
    if (name != last) found[bytes] = name;
    last = name;
  }
  return found;
}

// Selections that NCCL 2.30.7 printed for these systems (graphs as in the fixtures).
TEST(NcclTuning, SwitchSizesAreNccls) {
  using Switches = std::map<std::int64_t, std::string>;
  EXPECT_EQ(switches(make_tuning_model(dgx_h100(1), Version::v2_30), all_reduce),
            (Switches{{kKiB, "Ring/LL"}, {2 * kMiB, "NVLS/Simple"}}));
  EXPECT_EQ(switches(make_tuning_model(dgx_h100(16), Version::v2_30), all_reduce),
            (Switches{{kKiB, "Tree/LL"},
                      {256 * kKiB, "Tree/LL128"},
                      {16 * kMiB, "NVLSTree/Simple"},
                      {8 * kGiB, "Ring/Simple"}}));
  EXPECT_EQ(switches(make_tuning_model(dgx_h100(4), Version::v2_30), all_gather),
            (Switches{{kKiB, "Ring/LL"}, {kMiB, "Ring/LL128"}, {128 * kMiB, "Ring/Simple"}}));
  EXPECT_EQ(switches(make_tuning_model(single_h100(8), Version::v2_30), all_gather),
            (Switches{{kKiB, "Ring/LL"},
                      {64 * kKiB, "PAT/Simple"},
                      {4 * kMiB, "Ring/LL128"},
                      {32 * kMiB, "Ring/Simple"}}));
}

TEST(NcclTuning, ReleasesDifferOnBlackwell) {
  Communicator c = dgx_h100(4);
  c.min_compute_capability = c.max_compute_capability = 100;
  const auto older = make_tuning_model(c, Version::v2_28);
  const auto newer = make_tuning_model(c, Version::v2_30);
  // Ring LL128: .92 * 8 * 48 = 353.28 against 8 * 73.4 and 8 * 40 = 320; * 32/62.
  EXPECT_FLOAT_EQ(older.entry(all_reduce, ring, ll128).bandwidth, 353.28f * 32 / 62);
  EXPECT_FLOAT_EQ(newer.entry(all_reduce, ring, ll128).bandwidth, 320.0f * 32 / 62);
  // NVLSTree: 40 * .74 * 7/8 * 2 = 51.8 and NICs of 48, against 43.8 and 80.
  EXPECT_FLOAT_EQ(older.entry(all_reduce, nvls_tree, simple).bandwidth, 43.8f * 8 * 32 / 62);
  EXPECT_FLOAT_EQ(newer.entry(all_reduce, nvls_tree, simple).bandwidth, 48.0f * 8 * 32 / 62);
  // From 64 B * 2^14 = 1 MiB on the correction of Simple is .5; 2.28 has none.
  const TuningQuery query{.kind = all_reduce, .bytes = kMiB};
  const float latency = older.entry(all_reduce, nvls_tree, simple).latency;
  EXPECT_FLOAT_EQ(estimated_time(older, query, nvls_tree, simple),
                  latency + kMiB / (1000 * 43.8f * 8 * 32 / 62));
  EXPECT_FLOAT_EQ(estimated_time(newer, query, nvls_tree, simple),
                  latency + kMiB / (1000 * 48.0f * 8 * 32 / 62 * .5f));
}

TEST(NcclTuning, MixedHoppersKeepLl128SinceTwoThirty) {
  Communicator c = dgx_h100(1);
  c.max_compute_capability = 100;
  EXPECT_EQ(reason(make_tuning_model(c, Version::v2_28), all_reduce, ring, ll128),
            "LL128 needs GPUs of one compute capability");
  EXPECT_EQ(reason(make_tuning_model(c, Version::v2_30), all_reduce, ring, ll128), "");
}

TEST(NcclTuning, Ll128StaysOffWhereStoresMayTear) {
  Communicator c = dgx_h100(2);
  c.graphs[0]->type_inter = PathType::phb;
  EXPECT_EQ(reason(make_tuning_model(c, Version::v2_30), all_reduce, ring, ll128),
            "LL128 needs NICs below the GPU's PCIe switch, or reached by PXN");
  c.graphs[0]->type_inter = PathType::pxn;
  EXPECT_EQ(reason(make_tuning_model(c, Version::v2_30), all_reduce, ring, ll128), "");
  c.graphs[0]->type_intra = PathType::sys;
  TuningSettings forced;
  EXPECT_NE(reason(make_tuning_model(c, Version::v2_30), all_reduce, ring, ll128), "");
  forced.protocols[index_of(all_reduce)] = {ProtocolUse::off, ProtocolUse::on, ProtocolUse::off};
  const auto model = make_tuning_model(c, Version::v2_30, forced);
  EXPECT_EQ(reason(model, all_reduce, ring, ll128), "");
  EXPECT_EQ(reason(model, all_reduce, ring, ll), "NCCL_PROTO excludes it");
}

TEST(NcclTuning, SharpOpensCollnetAndNvlsBetweenNodes) {
  Communicator c = dgx_h100(2);
  c.graphs[2] = c.graphs[4] = c.graphs[0];
  const auto without = make_tuning_model(c, Version::v2_30);
  EXPECT_EQ(reason(without, all_reduce, collnet_direct),
            "needs SHARP: NICs and switches that reduce, and NCCL_COLLNET_ENABLE=1");
  EXPECT_EQ(reason(without, all_reduce, nvls), reason(without, all_reduce, collnet_direct));
  c.collnet_support = true;
  const auto with = make_tuning_model(c, Version::v2_30);
  // 8 heads for 8 GPUs: factor 1; 8 * 48 * .85 / 2. 2 * (1 * 3.7 + 7 * .4) + 31.
  EXPECT_FLOAT_EQ(with.entry(all_reduce, collnet_direct, simple).bandwidth, 384 * .85f / 2);
  EXPECT_FLOAT_EQ(with.entry(all_reduce, collnet_direct, simple).latency, 44);
  EXPECT_FLOAT_EQ(with.entry(all_reduce, collnet_chain, simple).latency, 14 * 2.8f + 30);
  EXPECT_FLOAT_EQ(with.entry(all_reduce, nvls, simple).latency, 25 + 18);
  // all-gather: 8 GPUs * min(48, .9 * 48), unchanged by steps.
  EXPECT_FLOAT_EQ(with.entry(all_gather, collnet_direct, simple).bandwidth, 8 * 43.2f);
  c.graphs[4]->channels = 4;
  EXPECT_EQ(reason(make_tuning_model(c, Version::v2_30), all_gather, collnet_direct),
            "needs a NIC for each GPU of the group; 8 GPUs of a node share 4");
}

TEST(NcclTuning, SwitchesReduceOnlySomeTypes) {
  const auto model = make_tuning_model(dgx_h100(1), Version::v2_30);
  const auto algorithm = [&](DataType type, ReduceOp op) {
    return choose(model, {.kind = all_reduce, .bytes = kGiB, .type = type, .op = op})->algorithm;
  };
  EXPECT_EQ(algorithm(DataType::float32, ReduceOp::sum), nvls);
  EXPECT_EQ(algorithm(DataType::float16, ReduceOp::max), nvls);
  EXPECT_EQ(algorithm(DataType::float32, ReduceOp::max), ring);
  EXPECT_EQ(algorithm(DataType::float16, ReduceOp::prod), ring);
  EXPECT_EQ(algorithm(DataType::int8, ReduceOp::sum), ring);
  EXPECT_EQ(algorithm(DataType::uint8, ReduceOp::max), ring);
  EXPECT_EQ(algorithm(DataType::uint32, ReduceOp::max), nvls);
  EXPECT_EQ(algorithm(DataType::float16, ReduceOp::avg), ring);
}

TEST(NcclTuning, RingsReachAPlateau) {
  const auto model = make_tuning_model(dgx_h100(2), Version::v2_30);
  // 16 collective channels * 16 ranks * 64 B.
  const std::int64_t from = 16 * 16 * 64;
  const float latency = model.entry(all_reduce, ring, simple).latency;
  EXPECT_FLOAT_EQ(estimated_latency(model, {.bytes = from - 1}, ring, simple), latency);
  EXPECT_FLOAT_EQ(estimated_latency(model, {.bytes = from}, ring, simple), latency * 1.4f);
  // Aggregated collectives: rings pay for each, others for each batch of eight.
  EXPECT_FLOAT_EQ(estimated_latency(model, {.bytes = 64, .aggregated = 9}, ring, ll),
                  9 * model.entry(all_reduce, ring, ll).latency);
  EXPECT_FLOAT_EQ(estimated_latency(model, {.bytes = 64, .aggregated = 9}, tree, ll),
                  2 * model.entry(all_reduce, tree, ll).latency);
}

TEST(NcclTuning, SmallMessagesGetFewerChannelsAndThreads) {
  const auto model = make_tuning_model(dgx_h100(1), Version::v2_30);
  // Ring Simple: 512 threads * 64 B = 32 KiB a channel, 24 channels; one warp more for waiting.
  EXPECT_EQ(launch_size(model, kGiB, ring, simple).channels, 24);
  EXPECT_EQ(launch_size(model, 100 * kKiB, ring, simple).channels, 3);
  EXPECT_EQ(launch_size(model, 100 * kKiB, ring, simple).threads, 512 + 32);
  // 8 KiB fill 128 threads of one channel: 512, 256, 128.
  EXPECT_EQ(launch_size(model, 8 * kKiB, ring, simple).channels, 1);
  EXPECT_EQ(launch_size(model, 8 * kKiB, ring, simple).threads, 128 + 32);
  // Ring LL: 8 B * 8 ranks a thread.
  EXPECT_EQ(launch_size(model, 64 * kKiB, ring, ll).channels, 2);
  EXPECT_EQ(launch_size(model, kKiB, nvls, simple).channels, 16);
  EXPECT_EQ(launch_size(model, kKiB, tree, ll).threads, 640);
  TuningSettings settings;
  settings.threads = 256;
  settings.thread_thresholds[5] = 16;  // Ring Simple
  EXPECT_EQ(
      launch_size(make_tuning_model(dgx_h100(1), Version::v2_30, settings), 16 * kKiB, ring, simple)
          .channels,
      4);  // 256 threads * 16 B
}

TEST(NcclTuning, OneRankIsACopy) {
  Communicator c;
  c.ranks = c.nodes = 1;
  const auto choice = choose(make_tuning_model(c, Version::v2_30), {.bytes = kMiB});
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->algorithm, ring);
  EXPECT_EQ(choice->time_us, 0);
}

TEST(NcclTuning, NothingIsChosenWhereTheUserLeavesNothing) {
  TuningSettings settings;
  settings.algorithms[index_of(all_gather)] = {true};  // the tree alone
  const auto model = make_tuning_model(dgx_h100(2), Version::v2_30, settings);
  EXPECT_FALSE(choose(model, {.kind = all_gather, .bytes = kMiB}));
  EXPECT_TRUE(choose(model, {.kind = all_reduce, .bytes = kMiB}));
}

}  // namespace
}  // namespace railyard::collectives::nccl
