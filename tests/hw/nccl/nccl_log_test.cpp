#include "hw/nccl/nccl_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace railyard::hw::nccl {
namespace {

using collectives::Kind;
using ::testing::ElementsAre;

constexpr std::string_view kPrefix = "node1:4242:4251 [0] NCCL INFO ";

std::string lines(std::initializer_list<std::string_view> texts) {
  std::string all;
  for (const std::string_view text : texts) all.append(kPrefix).append(text).append("\n");
  return all;
}

TEST(NcclLog, TheFormFrom224OnNamesCollectiveAlgorithmProtocolAndChannels) {
  const NcclLog log = read_nccl_log(
      lines({"AllReduce: 1048576 Bytes -> Algo NVLS_TREE proto SIMPLE channel{Lo..Hi}={0..15}",
             "ReduceScatter: 8192 Bytes -> Algo PAT proto SIMPLE channel{Lo..Hi}={0..0}"}));
  ASSERT_EQ(log.choices.size(), 2U);
  EXPECT_EQ(log.choices[0].kind, Kind::all_reduce);
  EXPECT_EQ(log.choices[0].bytes, Bytes(1048576));
  EXPECT_EQ(log.choices[0].algorithm, "nvls_tree");
  EXPECT_EQ(log.choices[0].protocol, "simple");
  EXPECT_EQ(log.choices[0].channels, 16);
  EXPECT_EQ(log.choices[1].kind, Kind::reduce_scatter);
  EXPECT_EQ(log.choices[1].algorithm, "pat");
  EXPECT_EQ(log.choices[1].channels, 1);
}

TEST(NcclLog, TheOlderFormHasNumbersAndNoCollective) {
  const NcclLog log = read_nccl_log(lines({"4096 Bytes -> Algo 0 proto 0 time 21.3",
                                           "67108864 Bytes -> Algo 1 proto 2 time 512.25",
                                           "1024 Bytes -> Algo 9 proto 1 time 1"}));
  ASSERT_EQ(log.choices.size(), 3U);
  EXPECT_FALSE(log.choices[0].kind);
  EXPECT_EQ(log.choices[0].algorithm + "/" + log.choices[0].protocol, "tree/ll");
  EXPECT_EQ(log.choices[1].algorithm + "/" + log.choices[1].protocol, "ring/simple");
  EXPECT_EQ(log.choices[1].channels, 0);
  EXPECT_EQ(log.choices[2].algorithm, "") << "there is no algorithm 9";
}

TEST(NcclLog, TheLastChoiceOfASizeIsFound) {
  const NcclLog log =
      read_nccl_log(lines({"AllReduce: 64 Bytes -> Algo TREE proto LL channel{Lo..Hi}={0..1}",
                           "AllGather: 64 Bytes -> Algo RING proto LL channel{Lo..Hi}={0..0}",
                           "AllReduce: 64 Bytes -> Algo RING proto LL128 channel{Lo..Hi}={0..1}"}));
  EXPECT_EQ(find_choice(log, Kind::all_reduce, Bytes(64))->protocol, "ll128");
  EXPECT_EQ(find_choice(log, Kind::all_gather, Bytes(64))->algorithm, "ring");
  EXPECT_EQ(find_choice(log, Kind::all_reduce, Bytes(128)), nullptr);
}

TEST(NcclLog, RelaysAreTheRanksInParentheses) {
  const NcclLog log = read_nccl_log(lines(
      {"NCCL version 2.30.7+cuda13.0",
       "Channel 00/0 : 0[0] -> 9[1] [send] via NET/IB/1(1)/GDRDMA/Shared",
       "Channel 01/0 : 0[0] -> 9[1] [send] via NET/IB/1(1)/GDRDMA/Shared",
       "Channel 00/0 : 8[0] -> 0[0] [receive] via NET/IB/0/GDRDMA",
       "Channel 00/0 : 0[0] -> 8[0] [send] via NET/IB/0(0)/GDRDMA",
       "Channel 02/0 : 0[0] -> 1[1] via P2P/CUMEM", "Connected all rings, use ring PXN 1 GDR 1",
       "16 coll channels, 16 collnet channels, 4 nvls channels, 32 p2p channels, 4 p2p channels "
       "per peer"}));
  EXPECT_EQ(log.version, "2.30.7+cuda13.0");
  EXPECT_THAT(log.relays, ElementsAre(LoggedRelay{0, 9, 1}));
  EXPECT_EQ(log.network_connections, 3U);
  EXPECT_EQ(log.ring_uses_pxn, true);
  EXPECT_EQ(log.channels, 16);
  EXPECT_EQ(log.nvls_channels, 4);
  EXPECT_EQ(log.p2p_channels, 32);
}

TEST(NcclLog, WhatIsCutOffOrForeignIsPassedOver) {
  const NcclLog log = read_nccl_log(
      " Bytes -> Algo \nx Bytes -> Algo RING\n12 Bytes -> Algo RING prot\n"
      "Channel 00/0 : 0[0] -> \n coll channels\nuse ring PXN ");
  EXPECT_TRUE(log.choices.empty());
  EXPECT_TRUE(log.relays.empty());
  EXPECT_FALSE(log.ring_uses_pxn);
  EXPECT_FALSE(log.channels);
}

}  // namespace
}  // namespace railyard::hw::nccl
