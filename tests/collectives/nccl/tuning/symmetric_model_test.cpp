#include "collectives/nccl/tuning/symmetric_model.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "collectives/nccl/tuning/copy_engine_model.hpp"
#include "collectives/nccl/tuning/registered_estimates.hpp"
#include "tests/collectives/nccl_cases.hpp"

// NCCL's symmetric kernels have run nowhere for these tests. Their numbers follow from the formulas
// in src/tuning/sym_model of NCCL 2.32 by hand.
namespace railyard::collectives::nccl {
namespace {

using enum Kind;

constexpr std::int64_t kKiB = 1024, kMiB = 1024 * kKiB, kGiB = 1024 * kMiB;
constexpr double kGiBPerSecond = 1073.741824;  // bytes per us

SymmetricEstimate named(const Communicator& c, const TuningQuery& query, std::string_view name) {
  for (const SymmetricEstimate& one : symmetric_estimates(c, query))
    if (one.name == name) return one;
  ADD_FAILURE() << "no kernel " << name;
  return {};
}

Communicator of_capability(int capability) {
  Communicator c = dgx_h100(1);
  c.min_compute_capability = c.max_compute_capability = capability;
  return c;
}

TEST(SymmetricKernels, LoadsAndStoresOfHopperReachTheirPeak) {
  // 64 MiB all-reduce, 8 ranks: 2 * 7/8 * 64 MiB = 117,440,512 B on the bus. 64 blocks of 65 GiB/s
  // would reach 4,160, far beyond the peak of 320 GiB/s: 341.797 us, and 7.8 - 1 more. With k
  // blocks softmin(65 k, 320, 65) = 320 - 65 ln(1 + (e^(320/65) - 1) e^-k): 8 blocks give 316.9,
  // within 2.5 %; 6 give 301.1.
  const SymmetricEstimate kernel =
      named(dgx_h100(1), {.kind = all_reduce, .bytes = 64 * kMiB}, "AllReduce_RSxLD_AGxST");
  EXPECT_EQ(kernel.blocks, 8);
  const double rate = 320 - 65 * std::log1p((std::exp(320.0 / 65) - 1) * std::exp(-8.0));
  EXPECT_NEAR(kernel.time_us, 7.8 + 117440512 / (rate * kGiBPerSecond) - 1, 1e-3);
  EXPECT_NEAR(kernel.selection_us, kernel.time_us * (1 + .025 * 8), 1e-3);
}

TEST(SymmetricKernels, SmallMessagesGoByLlOnOneBlock) {
  // 1 KiB: LL moves 8 * 1024 * 9 B = 73,728 B. One block: softmin(65, 320, 65) GiB/s, 1.06 us of
  // bytes; softplus(x - 1) of it is about 0.73 us above 4.5.
  const TuningQuery query{.kind = all_reduce, .bytes = kKiB};
  const SymmetricEstimate ll = named(dgx_h100(1), query, "AllReduce_AGxLL_R");
  const auto time = [](int blocks, double multiplier) {
    const double rate =
        320 - 65 * std::log1p((std::exp(320.0 / 65) - 1) * std::exp(-blocks * multiplier));
    return 4.5 + std::log1p(std::exp(73728 / (rate * kGiBPerSecond) - 1));
  };
  EXPECT_NEAR(ll.time_us, time(ll.blocks, 1), 1e-3);
  EXPECT_LE(ll.time_us, 1.025 * time(64, 1) + 1e-3);
  EXPECT_GT(time(ll.blocks == 2 ? 1 : ll.blocks - 2, 1), 1.025 * time(64, 1));
  // By multicast a block is 1.1 times as fast, so it is chosen.
  EXPECT_TRUE(named(dgx_h100(1), query, "AllReduce_AGxLLMC_R").chosen);
}

TEST(SymmetricKernels, BlackwellGathersByItsFittedModel) {
  // 64 MiB over 8 ranks: 8 MiB each. AllGather_ST: 10.5902 + 7 * .0563 us, and the larger of 8 * 8
  // MiB by k blocks of 64.481 GB/s and 7 * 8 MiB at 650.4378: 90.277 us. 12 blocks take 86.7.
  const SymmetricEstimate kernel =
      named(of_capability(100), {.kind = all_gather, .bytes = 64 * kMiB}, "AllGather_ST");
  EXPECT_EQ(kernel.blocks, 12);
  EXPECT_NEAR(kernel.time_us, 10.5902 + 7 * .0563 + 7 * 8388608 / 650437.8, 1e-3);
  EXPECT_NEAR(kernel.selection_us, kernel.time_us * (1 + .02 * 12), 1e-3);
}

TEST(SymmetricKernels, MulticastOverlapsItsLatencyOnFewBlocks) {
  // 8 KiB: 1 KiB each. One block: compute 1024/2193.2 us, transfer 8 * 1024/27460, together .765;
  // ranks 7 * .103 = .721 us, wholly overlapped. 7.4229 + .765.
  const SymmetricEstimate kernel =
      named(of_capability(100), {.kind = all_gather, .bytes = 8 * kKiB}, "AllGather_LLMC");
  EXPECT_EQ(kernel.blocks, 1);
  EXPECT_NEAR(kernel.time_us, 7.4229 + 1024 / 2193.2 + 8192 / 27460.0, 1e-3);
}

TEST(SymmetricKernels, ReductionsByLoadsPayForTheirEnds) {
  // GB300, 8 KiB of float32 over 8 ranks: 1 KiB each, so no chunk is whole. One block: 8 * 1024 B
  // at 7.3964 GB/s = 1.10757 us. 9.6736 + 7 * .2801.
  const TuningQuery query{.kind = reduce_scatter, .bytes = 8 * kKiB};
  EXPECT_NEAR(named(of_capability(103), query, "ReduceScatter_LD").time_us,
              9.6736 + 7 * .2801 + 8192 / 7396.4, 1e-3);
  // Halves have rates of their own.
  TuningQuery half = query;
  half.type = DataType::bfloat16;
  EXPECT_NEAR(named(of_capability(103), half, "ReduceScatter_LD").time_us,
              8.4739 + 7 * .2096 + 8192 / 4002.2, 1e-3);
}

TEST(SymmetricKernels, BulkCopiesNeedBlackwellAndWholeChunks) {
  const TuningQuery small{.kind = all_gather, .bytes = 32 * kKiB};  // 4 KiB each
  EXPECT_EQ(named(dgx_h100(1), small, "AllGather_TmaST").why_not, "needs compute capability 100");
  EXPECT_EQ(named(of_capability(100), small, "AllGather_TmaST").why_not,
            "the message is smaller than a chunk of its bulk copies");
  EXPECT_EQ(named(of_capability(100), small, "AllGather_TmaSTMC").why_not, "");
  // 40 KiB each are five chunks of 8 KiB: at most four blocks, an even number.
  const TuningQuery five{.kind = all_gather, .bytes = 320 * kKiB};
  EXPECT_LE(named(of_capability(100), five, "AllGather_TmaST").blocks, 4);
}

TEST(SymmetricKernels, WhatTheyCannotDoIsNamed) {
  const auto why = [](const Communicator& c, const TuningQuery& query) {
    for (const SymmetricEstimate& one : symmetric_estimates(c, query)) EXPECT_FALSE(one.chosen);
    return symmetric_estimates(c, query).front().why_not;
  };
  const Communicator c = dgx_h100(1);
  EXPECT_EQ(why(c, {.kind = all_reduce, .bytes = kMiB, .type = DataType::float64}),
            "symmetric kernels reduce only floats of up to 32 bits");
  EXPECT_EQ(why(c, {.kind = all_reduce, .bytes = kMiB, .type = DataType::int8}),
            "symmetric kernels reduce only floats of up to 32 bits");
  EXPECT_EQ(why(c, {.kind = all_reduce, .bytes = kMiB, .op = ReduceOp::avg}),
            "symmetric kernels support only sum, for reduce_scatter also avg");
  EXPECT_EQ(why(dgx_h100(2), {.kind = all_reduce, .bytes = kMiB}),
            "works only within an NVLink domain");
  EXPECT_EQ(why(c, {.kind = all_gather, .bytes = 64 * kGiB}),
            "symmetric kernels do not support messages of 64 GiB and more");
  EXPECT_TRUE(symmetric_estimates(c, {.kind = broadcast, .bytes = kMiB}).empty());
  // LL counts bytes in 32 bits; two GPUs have no use for multicast.
  EXPECT_EQ(named(c, {.kind = all_gather, .bytes = 2 * kGiB}, "AllGather_LL").why_not,
            "LL supports messages below 2 GiB");
  Communicator pair = c;
  pair.ranks = 2;
  EXPECT_EQ(named(pair, {.kind = all_gather, .bytes = kMiB}, "AllGather_STMC").why_not,
            "needs multicast (NVLS) and more than two GPUs");
}

TEST(SymmetricKernels, SwitchesReduce8BitFloatsFromBlackwellOn) {
  // NCCL 2.32 src/sym_kernels.cc, ncclSymkMask.
  const TuningQuery query{.kind = all_reduce, .bytes = kMiB, .type = DataType::float8_e4m3};
  EXPECT_EQ(named(dgx_h100(1), query, "AllReduce_RSxLDMC_AGxSTMC").why_not,
            "reducing 8-bit floats in NVSwitches needs compute capability 100");
  EXPECT_EQ(named(dgx_h100(1), query, "AllReduce_RSxLD_AGxST").why_not, "");
  EXPECT_EQ(named(of_capability(100), query, "AllReduce_RSxLDMC_AGxSTMC").why_not, "");
  const TuningQuery gather{.kind = all_gather, .bytes = kMiB, .type = DataType::float8_e4m3};
  EXPECT_EQ(named(dgx_h100(1), gather, "AllGather_STMC").why_not, "");
}

TEST(CopyEngines, GatherByUnicastOrMulticast) {
  const auto of = [](const Communicator& c, std::int64_t bytes) {
    const auto both = copy_engine_estimates(c, {.kind = all_gather, .bytes = bytes}, true);
    return std::pair(both.at(0).time_us, both.at(1).time_us);
  };
  // 8 H100, 8 MiB each: 17.5 + 8 * 1.957 + 7 * 8 MiB / 392 GB/s; 14.9 + 8 * .726 + 8 * 8 MiB / 392.
  const auto times = of(dgx_h100(1), 64 * kMiB);
  EXPECT_NEAR(times.first, 33.156 + 58720256 / 392e3, 1e-3);
  EXPECT_NEAR(times.second, 20.708 + 67108864 / 392e3, 1e-3);
  // Two GPUs: a slice through the host at 106 GB/s takes longer than the copy at 392; no multicast.
  Communicator pair = dgx_h100(1);
  pair.ranks = 2;
  EXPECT_NEAR(of(pair, 64 * kMiB).first, 17.5 + 2 * 1.957 + 33554432 / 106e3, 1e-3);
  EXPECT_EQ(copy_engine_estimates(pair, {.kind = all_gather, .bytes = kMiB}, true).at(1).why_not,
            "needs multicast (NVLS) and more than two GPUs");
  pair.x86 = false;
  EXPECT_NEAR(of(pair, 64 * kMiB).first, 17.5 + 2 * 1.957 + 33554432 / 392e3, 1e-3);
  // 4 B200 share 4 * 106 GB/s of 779.
  Communicator four = of_capability(100);
  four.ranks = 4;
  EXPECT_NEAR(of(four, 64 * kMiB).second, 29.14 + 4 * .137 + 67108864 / 424e3, 1e-3);
  EXPECT_TRUE(copy_engine_estimates(four, {.kind = all_reduce, .bytes = kMiB}, true).empty());
}

TEST(CopyEngines, RunWithThePolicyZeroAloneAndThenBeforeEveryKernel) {
  const TuningQuery gather{.kind = all_gather, .bytes = 64 * kMiB};
  const auto kernel = registered_choice(dgx_h100(1), gather, false);
  ASSERT_TRUE(kernel);
  EXPECT_FALSE(kernel->name.starts_with("CE"));
  // 8 H100: unicast 183 us, multicast 192 us (above).
  const auto copies = registered_choice(dgx_h100(1), gather, true);
  ASSERT_TRUE(copies);
  EXPECT_EQ(copies->name, "CE AllGather_UC");
  EXPECT_NEAR(copies->latency_us, 33.156, 1e-3);
  int chosen = 0;
  for (const SymmetricEstimate& one : registered_estimates(dgx_h100(1), gather, true))
    chosen += one.chosen;
  EXPECT_EQ(chosen, 1);
  // Nothing to copy in a sum: the kernel as before.
  const TuningQuery sum{.kind = all_reduce, .bytes = 64 * kMiB};
  EXPECT_EQ(registered_choice(dgx_h100(1), sum, true)->name,
            registered_choice(dgx_h100(1), sum, false)->name);
}

Communicator with_nics(int nodes) {
  Communicator c = dgx_h100(nodes);
  c.net_bandwidth = 50;
  return c;
}

// Two DGX H100, 64 MiB over 16 ranks: b = 4 MiB a rank. By multicast the bytes pass NVLink 8 * 2
// times, the multiprocessors 1 + 1 + 1 times and the NIC once. NVLink sets the rate, 360 / 16
// = 22.5 GB/s; blocks of 4.22 / 3 GB/s reach it from 16 on. The first 16 chunks of 128 KiB are
// processed before anything else: 2 MiB (16 / 360 + 1 / 50) us/KB. Latency 14 us.
TEST(SymmetricKernels, BetweenNodesTheGpusSendByThemselves) {
  const TuningQuery query{.kind = reduce_scatter, .bytes = 64 * kMiB};
  const Communicator c = with_nics(2);
  const SymmetricEstimate kernel = named(c, query, "ReduceScatter_RailA2A_LsaLDMC");
  const double nic = 50;
  EXPECT_EQ(kernel.blocks, 16);
  EXPECT_NEAR(kernel.time_us,
              14 + 4.0 * kMiB / 22.5e3 + 2.0 * kMiB * (16 / 360e3 + 1 / (1000 * nic)), 0.01);
  EXPECT_NEAR(kernel.selection_us, kernel.time_us * 1.4, 0.01);
  EXPECT_TRUE(kernel.chosen);
  // By loads: NVLink 14 times, 17 times the multiprocessors. Blocks of 13.7 / 17 GB/s: 32 of them.
  const SymmetricEstimate loads = named(c, query, "ReduceScatter_RailA2A_LsaLD");
  EXPECT_EQ(loads.blocks, 32);
  EXPECT_NEAR(loads.time_us,
              14 + 4.0 * kMiB * 14 / 360e3 + 4.0 * kMiB * (14 / 360e3 + 1 / (1000 * nic)), 0.01);
}

TEST(SymmetricKernels, GathersBetweenNodesTakeALatencyForEachMebibyteAndHop) {
  // 4 DGX H100, 64 MiB: 2 MiB a rank, two chunks over three hops. NVLink carries 32 * 2 MiB at 360
  // GB/s, a NIC 3 * 2 MiB at 50: 186.4 us against 125.8. 16 blocks over 8 heads: two.
  const SymmetricEstimate kernel =
      named(with_nics(4), {.kind = all_gather, .bytes = 64 * kMiB}, "AllGather_RailRing_LsaSTMC");
  EXPECT_EQ(kernel.blocks, 2);
  EXPECT_NEAR(kernel.time_us, 14 * 6 + 64.0 * kMiB / 360e3, 0.01);
  // No kernel reduces for all ranks of several nodes.
  EXPECT_FALSE(
      registered_choice(with_nics(4), {.kind = all_reduce, .bytes = 64 * kMiB}, false).has_value());
  EXPECT_EQ(
      named(dgx_h100(4), {.kind = all_gather, .bytes = kMiB}, "AllGather_RailRing_LsaSTMC").why_not,
      "needs a NIC for each GPU");
}

}  // namespace
}  // namespace railyard::collectives::nccl
