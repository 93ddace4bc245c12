#include <gtest/gtest.h>

#include "collectives/nccl/timing/timing_parameters.hpp"
#include "tests/collectives/nccl_machine.hpp"

namespace railyard::collectives::nccl {
namespace {

using namespace railyard::literals;

TEST(NcclTime, RingOfOneNodeIsLaunchStepsAndBytes) {
  // 14 steps; 14/8 of 72 MB at 400 x 0.9 = 360 GB/s: 350 us.
  const auto t = collective_time(machine(1), {.kind = Kind::all_reduce, .bytes = 72'000'000});
  EXPECT_NEAR(t.launch, 10, 1e-9);
  EXPECT_NEAR(t.steps, 14 * 3, 1e-9);
  EXPECT_NEAR(t.bytes, 350, 1e-9);
  EXPECT_EQ(t.bound, Bound::gpu_links);
}

TEST(NcclTime, LlHasHalfTheBandwidthAndItsOwnLatencies) {
  const auto t = collective_time(machine(1), {.kind = Kind::all_gather,
                                              .bytes = 72'000'000,
                                              .algorithm = TuningAlgorithm::ring,
                                              .protocol = Protocol::ll});
  EXPECT_NEAR(t.total(), 5 + 7 * 1 + 350, 1e-9);  // 7/8 of 72 MB at 180 GB/s
}

TEST(NcclTime, TailAddsAPartOfABlock) {
  Machine m = machine(1);
  m.gpu.tail = 0.4;
  // (14 + 0.4) / 8 of 72 MB at 360 GB/s: 360 us.
  EXPECT_NEAR(collective_time(m, {.bytes = 72'000'000}).bytes, 360, 1e-9);
}

TEST(NcclTime, RingBetweenNodesIsBoundByTheNics) {
  // 16 ranks: 30 steps, 4 of them between nodes; 30/16 of the bytes at 380 GB/s against 360 inside.
  Machine m = machine(2);
  EXPECT_EQ(collective_time(m, {.bytes = 1 << 30}).bound, Bound::gpu_links);
  m.nics = 200;
  const auto t = collective_time(m, {.bytes = 76'000'000});
  EXPECT_EQ(t.bound, Bound::network);
  EXPECT_NEAR(t.steps, 26 * 3 + 4 * 12, 1e-9);
  EXPECT_NEAR(t.bytes, 750, 1e-9);  // 142.5 MB at 190 GB/s
}

TEST(NcclTime, NicsCarryNoMoreOfLl128ThanItsLineFormatLeavesForData) {
  // Inside 400 x 0.9 x 1 = 360 GB/s; of NICs 400 x 0.95 x 120/128 = 356.25 GB/s. 30/16 of 190 MB
  // are 356.25 MB: 1000 us.
  Machine m = machine(2);
  m.gpu.ll128_efficiency = 1;
  const auto t = collective_time(m, {.kind = Kind::all_reduce,
                                     .bytes = 190'000'000,
                                     .algorithm = TuningAlgorithm::ring,
                                     .protocol = Protocol::ll128});
  EXPECT_NEAR(t.bytes, 1000, 1e-9);
  EXPECT_EQ(t.bound, Bound::network);
}

TEST(NcclTime, ATreeOfTwoNodesSendsHalfOfWhatOneOfFourDoes) {
  // Simple inside: 360 x 0.5 = 180 GB/s; the NICs of two nodes carry S at 190, of four 2 S.
  Machine m = machine(2);
  m.nics = 100;
  TimeQuery query{.bytes = 95'000'000, .algorithm = TuningAlgorithm::tree};
  const auto two = collective_time(m, query);
  EXPECT_NEAR(two.bytes, 1000, 1e-9);  // 95 GB/s
  EXPECT_NEAR(two.steps, 2 * (7 * 3 + 1 * 24), 1e-9);
  m.nodes = 4;
  m.ranks = 32;
  const auto four = collective_time(m, query);
  EXPECT_NEAR(four.bytes, 2000, 1e-9);
  EXPECT_NEAR(four.steps, 2 * (7 * 3 + 2 * 24), 1e-9);
}

TEST(NcclTime, NvlsHasTheSameBusBandwidthForAnyCountOfGpus) {
  // 400 x 0.9 x 1.4 = 504 GB/s of bus bandwidth: 8 GPUs 504/1.75 = 288 GB/s of the message.
  const TimeQuery query{.bytes = 288'000'000, .algorithm = TuningAlgorithm::nvls};
  EXPECT_NEAR(collective_time(machine(1), query).bytes, 1000, 1e-9);
  Machine m = machine(1);
  m.ranks = 72;
  EXPECT_NEAR(collective_time(m, query).bytes, 288'000 * (2 * 71.0 / 72) / 504, 1e-6);
}

TEST(NcclTime, SmallChunksOfNvlsCostSynchronisation) {
  // 16 channels x 8 heads: 64 KiB chunks below 64 rounds of 128 KiB (1 GiB), where (32/64)^2 is
  // added.
  Machine m = machine(1);
  m.gpu.nvls_chunk = 32_KiB;
  const TimeQuery query{.bytes = 288'000'000, .algorithm = TuningAlgorithm::nvls};
  EXPECT_NEAR(collective_time(m, query).bytes, 1250, 1e-9);
}

TEST(NcclTime, AllToAllOfOneNodeGoesByLlUpToItsLimit) {
  const Machine m = machine(1);
  TimeQuery query{.kind = Kind::all_to_all, .bytes = 8 * (512 << 10)};
  EXPECT_EQ(exchange_protocol(m, query), Protocol::ll);
  EXPECT_NEAR(collective_time(m, query).launch, 7, 1e-9);
  query.bytes += 8;
  EXPECT_EQ(exchange_protocol(m, query), Protocol::simple);
  // 7/8 of 72 MB at 360 GB/s and 7 peers.
  query.bytes = 72'000'000;
  EXPECT_NEAR(collective_time(m, query).total(), 14 + 7 + 175, 1e-9);
}

TEST(NcclTime, AllToAllBetweenNodesIsBoundByWhatLeavesTheNode) {
  // 16 ranks: 8 x 8/16 of 76 MB leave a node at 380 GB/s: 800 us.
  const auto t = collective_time(machine(2), {.kind = Kind::all_to_all, .bytes = 76'000'000});
  EXPECT_EQ(t.bound, Bound::network);
  EXPECT_NEAR(t.bytes, 800, 1e-9);
  EXPECT_NEAR(t.steps, 7 * 1 + 8 * 2 + 12, 1e-9);
}

TEST(NcclTime, EveryParameterCanBeReadAndSet) {
  for (const TimingParameter& parameter : timing_parameters()) {
    Machine m = machine(2);
    parameter.set(m, 3);
    EXPECT_NEAR(parameter.get(m), 3, 1e-9) << parameter.name;
  }
}

TEST(NcclTime, ChannelsReachAsManyNicsAsThereAreOfThem) {
  // Two nodes, 4 of 8 NICs: W = 200 x 0.95 = 190 GB/s instead of min(360, 380). 30/16 of 76 MB.
  const auto of = [](int channels) {
    return collective_time(machine(2),
                           {.kind = Kind::all_reduce, .bytes = 76'000'000, .channels = channels});
  };
  EXPECT_NEAR(of(4).bytes, 750, 1e-9);
  EXPECT_EQ(of(4).bound, Bound::network);
  EXPECT_NEAR(of(8).bytes, of(0).bytes, 1e-12);
}

TEST(NcclTime, OneChannelOfATreeFillsNoSlowerThanAll) {
  // 4 KiB on 16 channels at what two nodes get of 8 NICs of 50 GB/s: LL takes 0.1 of 360 GB/s
  // inside, which is less; 2 (7 + 2) x 0.1 x 65,536 B at 36 GB/s = 3.277 us, on one channel as on
  // all.
  Machine m = machine(2);
  m.gpu.tree_fill = 0.1;
  for (const int channels : {0, 1, 4}) {
    const auto t = collective_time(m, {.kind = Kind::all_reduce,
                                       .bytes = 1024,
                                       .algorithm = TuningAlgorithm::tree,
                                       .protocol = Protocol::ll,
                                       .channels = channels});
    EXPECT_NEAR(t.fill, 1.8 * 65536 / 36e3, 1e-9) << channels;
  }
}

TEST(NcclTime, AShareOfTheChannelsHasThatShareOfTheGpusLinks) {
  // Half of 360 GB/s: 14/8 of 72 MB take 700 us.
  const auto t = collective_time(
      machine(1), {.kind = Kind::all_reduce, .bytes = 72'000'000, .channel_share = 0.5});
  EXPECT_NEAR(t.bytes, 700, 1e-9);
}

TEST(NcclTime, TheFillOfNvlsIsNoMoreThanTheMessage) {
  // A round of 16 channels x 8 heads x 16 KiB is 2 MiB; 1 MB at 400 x 0.9 x 1.4 / (14/8) = 288
  // GB/s.
  Machine m = machine(1);
  m.gpu.nvls_fill = 1;
  const auto t = collective_time(
      m, {.kind = Kind::all_reduce, .bytes = 1'000'000, .algorithm = TuningAlgorithm::nvls});
  EXPECT_NEAR(t.fill, 1e6 / 288e3, 1e-9);
}

TEST(NcclTime, ATreeOfNvlsFillsItsLevelsWithNoMoreThanTheMessage) {
  // 36 heads on 72 channels: a round of 16 KiB chunks is 42 MB, and 360 KB are far from one. They
  // take 1.25 us at 288 GB/s (above), which the node's level and the one between nodes add each.
  Machine m = machine(2);
  m.nvls_heads = 36;
  m.nvls_channels = 72;
  m.gpu.nvls_tree_fill = 1;
  const auto t = collective_time(
      m, {.kind = Kind::all_reduce, .bytes = 360'000, .algorithm = TuningAlgorithm::nvls_tree});
  EXPECT_NEAR(t.bytes, 1.25, 1e-9);
  EXPECT_NEAR(t.fill, 2 * 1.25, 1e-9);
}

TEST(NcclTime, HopsOfAnAlgorithmAreThoseOfItsTerms) {
  const auto of = [](TuningAlgorithm algorithm) {
    return hop_times(machine(2), {.kind = Kind::all_reduce,
                                  .bytes = 1,
                                  .algorithm = algorithm,
                                  .protocol = Protocol::ll128});
  };
  EXPECT_EQ(of(TuningAlgorithm::ring).inside, 2_us);
  EXPECT_EQ(of(TuningAlgorithm::ring).outside, 6_us);
  EXPECT_EQ(of(TuningAlgorithm::tree).outside, 12_us);  // tree_step 2
  EXPECT_EQ(of(TuningAlgorithm::nvls_tree).outside, 15_us);
}

TEST(NcclTime, ALoneGpuOfUnknownMemoryIsHeldBackByTheNetworkAlone) {
  // An imported node says nothing of the memory of its GPU.
  Machine machine{.ranks = 2, .nodes = 2, .nics = 50};
  EXPECT_GT(machine.inner_rate(), machine.network_rate());
  machine.memory = 3350;
  EXPECT_EQ(machine.inner_rate(), 3350);
}

TEST(NcclTime, AThreadThatDrivesAllGpusPaysForEach) {
  const topology::LaunchCost thread{.overhead = 1_us,
                                    .host_per_gpu = Time::nanoseconds(4200),
                                    .host_per_send = Time::nanoseconds(270)};
  const TimeQuery reduce{.kind = Kind::all_reduce, .bytes = 8};
  // 8 GPUs x 4.2 us = 33.6 us, as long as the GPUs are faster; measured 33.7 (nccl-tests#123).
  EXPECT_NEAR(call_time(thread, machine(1), reduce, 20), 33.6, 1e-9);
  EXPECT_NEAR(call_time(thread, machine(1), reduce, 50), 1 + 50, 1e-9);
  // 16 sends and receives of 8 ranks: 8 x (4.2 + 16 x 0.27) = 68.16 us. A pair: 8 x (4.2 + .54).
  EXPECT_NEAR(call_time(thread, machine(1), {.kind = Kind::all_to_all, .bytes = 8}, 20), 68.16,
              1e-9);
  EXPECT_NEAR(call_time(thread, machine(1), {.kind = Kind::send_recv, .bytes = 8}, 20), 37.92,
              1e-9);
  EXPECT_NEAR(call_time({}, machine(1), reduce, 20), 20, 1e-9);
}

}  // namespace
}  // namespace railyard::collectives::nccl
