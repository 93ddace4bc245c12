#include "topology/formats/nic_filter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnostic.hpp"

namespace railyard::topology {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A node with the NICs mlx5_0, mlx5_1, mlx5_10 and a second port of mlx5_1, each below a switch.
NodeSpec node() {
  CpuSpec cpu;
  int dev = 0;
  const auto net = [&](const char* name, int port) {
    NetSpec spec;
    spec.name = name;
    spec.dev = dev++;
    spec.port = port;
    return spec;
  };
  const auto add = [&](std::vector<NetSpec> nets) {
    PcieSpec nic;
    nic.kind = PcieKind::nic;
    nic.nets = std::move(nets);
    PcieSpec bridge;
    bridge.children = {nic};
    cpu.pcie.push_back(bridge);
  };
  add({net("mlx5_0", 1)});
  add({net("mlx5_1", 1), net("mlx5_1", 2)});
  add({net("mlx5_10", 1)});
  NodeSpec spec;
  spec.cpus = {cpu};
  return spec;
}

std::vector<std::string> kept(std::string_view setting) {
  NodeSpec spec = node();
  remove_nics(spec, NicFilter::parse(setting));
  std::vector<std::string> names;
  int dev = 0;
  for (const PcieSpec& bridge : spec.cpus.front().pcie)
    for (const PcieSpec& nic : bridge.children)
      for (const NetSpec& net : nic.nets) {
        EXPECT_EQ(net.dev, dev++);
        names.push_back(net.name + ":" + std::to_string(net.port));
      }
  return names;
}

TEST(NicFilter, NamesAreBeginningsUnlessTheyAreExact) {
  EXPECT_THAT(kept("NCCL_IB_HCA=mlx5_1"), ElementsAre("mlx5_1:1", "mlx5_1:2", "mlx5_10:1"));
  EXPECT_THAT(kept("NCCL_IB_HCA==mlx5_1"), ElementsAre("mlx5_1:1", "mlx5_1:2"));
  EXPECT_THAT(kept("NCCL_IB_HCA=^=mlx5_1"), ElementsAre("mlx5_0:1", "mlx5_10:1"));
  EXPECT_THAT(kept("NCCL_IB_HCA=^mlx5_1"), ElementsAre("mlx5_0:1"));
}

TEST(NicFilter, APortSelectsOneOfACard) {
  EXPECT_THAT(kept("NCCL_IB_HCA==mlx5_1:2,mlx5_0"), ElementsAre("mlx5_0:1", "mlx5_1:2"));
}

TEST(NicFilter, WhatSelectsNothingIsRefused) {
  const auto message = [](std::string_view setting) {
    try {
      (void)kept(setting);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_THAT(message("NCCL_IB_HCA=eth"), HasSubstr("the node has mlx5_0, mlx5_1"));
  EXPECT_THAT(message("NCCL_IB_HCA=^"), HasSubstr("does not list a NIC"));
  EXPECT_THAT(message("NCCL_IB_HCA=mlx5_0:a"), HasSubstr("'a' is not a port"));
  EXPECT_THAT(message("NCCL_ALGO=Ring"), HasSubstr("is not a filter of NICs"));
}

}  // namespace
}  // namespace railyard::topology
