#include <gtest/gtest.h>

#include <algorithm>

#include "collectives/nccl/choice/read_environment.hpp"
#include "core/diagnostic.hpp"

namespace railyard::collectives::nccl {
namespace {

NcclEnvironment read(const std::vector<std::string>& variables, Version version = Version::v2_30) {
  return read_nccl_environment(version, variables);
}

/// Names of the algorithms that are left in.
std::vector<std::string> algorithms(const NcclEnvironment& environment, Kind kind) {
  std::vector<std::string> names;
  for (const TuningAlgorithm each : kAllTuningAlgorithms) {
    if (environment.tuning.algorithms[index_of(kind)][index_of(each)])
      names.emplace_back(nccl_name(each));
  }
  return names;
}

ProtocolUse use(const NcclEnvironment& environment, Kind kind, Protocol protocol) {
  return environment.tuning.protocols[index_of(kind)][index_of(protocol)];
}

using Names = std::vector<std::string>;

TEST(NcclEnvironment, AnAlgorithmListLeavesOthersOut) {
  const auto environment = read({"NCCL_ALGO=Tree,nvlstree"});
  EXPECT_EQ(algorithms(environment, Kind::all_reduce), (Names{"Tree", "NVLSTree"}));
  EXPECT_EQ(algorithms(environment, Kind::broadcast), (Names{"Tree", "NVLSTree"}));
  EXPECT_EQ(environment.tuning.algorithm_text, "NCCL_ALGO=Tree,nvlstree");
  EXPECT_EQ(algorithms(read({}), Kind::all_reduce).size(), 7u);
}

TEST(NcclEnvironment, ACaretInvertsAndAFunctionsOwnListWins) {
  const auto environment = read({"NCCL_ALGO=ring;allreduce:tree;Broadcast:^ring,pat"});
  EXPECT_EQ(algorithms(environment, Kind::all_reduce), Names{"Tree"});
  EXPECT_EQ(algorithms(environment, Kind::all_gather), Names{"Ring"});
  EXPECT_EQ(algorithms(environment, Kind::broadcast).size(), 5u);
  EXPECT_EQ(algorithms(read({"NCCL_ALGO=reduce:ring"}), Kind::all_reduce).size(), 7u);
}

TEST(NcclEnvironment, Ll128ByNameIsOnEvenWhereItIsUnsafe) {
  EXPECT_EQ(use(read({}), Kind::all_reduce, Protocol::ll128), ProtocolUse::where_safe);
  EXPECT_EQ(use(read({"NCCL_PROTO=LL128"}), Kind::all_reduce, Protocol::ll128), ProtocolUse::on);
  EXPECT_EQ(use(read({"NCCL_PROTO=LL128"}), Kind::all_reduce, Protocol::ll), ProtocolUse::off);
  const auto environment = read({"NCCL_PROTO=^LL128;allreduce:^ll"});
  EXPECT_EQ(use(environment, Kind::all_gather, Protocol::ll128), ProtocolUse::off);
  EXPECT_EQ(use(environment, Kind::all_gather, Protocol::ll), ProtocolUse::on);
  EXPECT_EQ(use(environment, Kind::all_reduce, Protocol::ll128), ProtocolUse::on);
}

TEST(NcclEnvironment, VariablesReachTheSearchTheTuningAndTheNetwork) {
  const auto environment =
      read({"NCCL_CROSS_NIC=0", "NCCL_P2P_LEVEL=PHB", "NCCL_NET_GDR_LEVEL=3", "NCCL_PXN_DISABLE=1",
            "NCCL_NVLS_ENABLE=0", "NCCL_COLLNET_ENABLE=1", "NCCL_MIN_CTAS=4", "NCCL_NTHREADS=256",
            "NCCL_THREAD_THRESHOLDS=1 -2 3", "NCCL_NET_OVERHEAD=1500", "NCCL_PAT_ENABLE=1",
            "NCCL_IB_QPS_PER_CONNECTION=4", "NCCL_IB_SPLIT_DATA_ON_QPS=1",
            "NCCL_NETDEVS_POLICY=MAX:2", "NCCL_P2P_NET_CHUNKSIZE=0x40000"},
           Version::v2_28);
  EXPECT_EQ(environment.search.version, Version::v2_28);
  EXPECT_EQ(environment.search.cross_nic, 0);
  EXPECT_EQ(environment.search.p2p_level, PathType::phb);
  EXPECT_EQ(environment.search.net_gdr_level, PathType::phb);  // 3 in the old numbers
  EXPECT_TRUE(environment.search.pxn_disable);
  EXPECT_FALSE(environment.search.nvls_enable);
  EXPECT_TRUE(environment.search.collnet_enable);
  EXPECT_EQ(environment.search.min_ctas, 4);
  EXPECT_EQ(environment.search.net_devices_limit, 2);
  EXPECT_EQ(environment.tuning.threads, 256);
  EXPECT_EQ(environment.tuning.thread_thresholds[0], 1);
  EXPECT_FALSE(environment.tuning.thread_thresholds[1]);
  EXPECT_EQ(environment.tuning.thread_thresholds[2], 3);
  EXPECT_FLOAT_EQ(environment.tuning.net_overhead_us.value(), 1.5f);
  EXPECT_EQ(environment.tuning.pat, true);
  EXPECT_EQ(environment.p2p.net_chunk, 256 * 1024);
  EXPECT_EQ(environment.qps, 4);
}

TEST(NcclEnvironment, PxnHasTwoSwitches) {
  EXPECT_EQ(why_not(read({}), "rail_pxn"), "");
  EXPECT_EQ(why_not(read({"NCCL_PXN_DISABLE=1"}), "rail_pxn"), "NCCL_PXN_DISABLE=1");
  EXPECT_EQ(why_not(read({"NCCL_P2P_PXN_LEVEL=0"}), "rail_pxn"), "NCCL_P2P_PXN_LEVEL=0");
  EXPECT_EQ(why_not(read({"NCCL_PXN_DISABLE=1"}), "direct"), "");
}

TEST(NcclEnvironment, ChannelsAreClamped) {
  const auto environment = read({"NCCL_MIN_NCHANNELS=4", "NCCL_MAX_CTAS=8"});
  EXPECT_EQ(clamped_channels(environment, 2), 4);
  EXPECT_EQ(clamped_channels(environment, 6), std::nullopt);
  EXPECT_EQ(clamped_channels(environment, 16), 8);
}

TEST(NcclEnvironment, BuffersAreSetByProtocol) {
  const auto buffers =
      read({"NCCL_BUFFSIZE=8388608", "NCCL_LL_BUFFSIZE=1048576", "NCCL_LL128_BUFFSIZE=122880"})
          .p2p.buffers;
  EXPECT_EQ(buffers.simple, 8 << 20);
  EXPECT_EQ(buffers.ll, 1 << 20);
  EXPECT_EQ(buffers.ll128, 122880);
  EXPECT_THROW((void)read({"NCCL_BUFFSIZE=4095"}), InputError);
}

TEST(NcclEnvironment, TheTableIsInOrderSoThatMessagesAre) {
  EXPECT_TRUE(std::ranges::is_sorted(modelled_nccl_variables()));
}

TEST(NcclEnvironment, EveryProblemIsNamed) {
  try {
    (void)read({"NCCL_ALGO=Rign", "NCCL_IB_TC=3", "NCCL_BUFSIZE=1", "NCCL_PROTO",
                "NCCL_MAX_NCHANNELS=65", "NCCL_P2P_LEVEL=NEAR", "NCCL_ALGO=ring;tree",
                "NCCL_NETDEVS_POLICY=MOST"});
    FAIL() << "it was accepted";
  } catch (const InputError& error) {
    ASSERT_EQ(error.diagnostics().size(), 8u);
    EXPECT_EQ(error.diagnostics()[0].hint, "did you mean 'ring'?");
    EXPECT_EQ(error.diagnostics()[1].message, "NCCL_IB_TC is not modelled");
    EXPECT_EQ(error.diagnostics()[2].hint, "did you mean 'NCCL_BUFFSIZE'?");
    EXPECT_EQ(error.diagnostics()[3].hint, "write NCCL_PROTO=VALUE");
    EXPECT_EQ(error.diagnostics()[4].message, "'65' is not a number from 1 to 64");
    EXPECT_EQ(error.diagnostics()[5].message,
              "'NEAR' is not one of LOC, NVL, NVB, C2C, PIX, PXB, P2C, PXN, PHB, SYS");
    EXPECT_EQ(error.diagnostics()[6].hint,
              "only the first list applies to all collectives; write the others as function:list");
    EXPECT_EQ(error.diagnostics()[7].message, "'MOST' is not one of AUTO, ALL, MAX:n");
  }
}

}  // namespace
}  // namespace railyard::collectives::nccl
