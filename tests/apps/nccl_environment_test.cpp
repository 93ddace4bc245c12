#include "apps/nccl_environment.hpp"

#include <gtest/gtest.h>

#include "core/diagnostic.hpp"

namespace railyard::apps {
namespace {

using collectives::Kind;
using collectives::Protocol;
using Names = std::vector<std::string>;

TEST(NcclEnvironment, AnAlgorithmListLeavesOthersOut) {
  const auto environment = read_nccl_environment({"NCCL_ALGO=Tree,NVLSTree"}, Kind::all_reduce);
  EXPECT_EQ(environment.algorithms, (Names{"tree", "nvls_tree"}));
  EXPECT_EQ(why_not(environment, Kind::all_reduce, "ring", Protocol::simple),
            "NCCL_ALGO=Tree,NVLSTree leaves it out");
  EXPECT_EQ(why_not(environment, Kind::all_reduce, "tree", Protocol::ll), "");
}

TEST(NcclEnvironment, ACaretInvertsAndAFunctionsOwnListWins) {
  EXPECT_EQ(read_nccl_environment({"NCCL_PROTO=^LL128"}, Kind::all_reduce).protocols,
            (std::vector<Protocol>{Protocol::ll, Protocol::simple}));
  const std::string text = "NCCL_ALGO=ring;allreduce:tree;broadcast:^ring";
  EXPECT_EQ(read_nccl_environment({text}, Kind::all_reduce).algorithms, Names{"tree"});
  EXPECT_EQ(read_nccl_environment({text}, Kind::all_gather).algorithms, Names{"ring"});
  EXPECT_FALSE(read_nccl_environment({"NCCL_ALGO=reduce:ring"}, Kind::all_reduce).algorithms);
}

TEST(NcclEnvironment, SendAndReceiveKnowNoAlgorithms) {
  const auto environment =
      read_nccl_environment({"NCCL_ALGO=Ring", "NCCL_PXN_DISABLE=1"}, Kind::all_to_all);
  EXPECT_EQ(why_not(environment, Kind::all_to_all, "direct", Protocol::simple), "");
  EXPECT_EQ(why_not(environment, Kind::all_to_all, "rail_pxn", Protocol::simple),
            "NCCL_PXN_DISABLE=1");
}

TEST(NcclEnvironment, ChannelsAreClamped) {
  const auto environment =
      read_nccl_environment({"NCCL_MIN_NCHANNELS=4", "NCCL_MAX_NCHANNELS=8"}, Kind::all_reduce);
  EXPECT_EQ(clamped_channels(environment, 2), 4);
  EXPECT_EQ(clamped_channels(environment, 6), std::nullopt);
  EXPECT_EQ(clamped_channels(environment, 16), 8);
}

TEST(NcclEnvironment, EveryProblemIsNamed) {
  try {
    (void)read_nccl_environment({"NCCL_ALGO=Rign", "NCCL_BUFFSIZE=1", "NCCL_BUFSIZE=1",
                                 "NCCL_PROTO", "NCCL_MAX_NCHANNELS=65"},
                                Kind::all_reduce);
    FAIL() << "it was accepted";
  } catch (const InputError& error) {
    ASSERT_EQ(error.diagnostics().size(), 5u);
    EXPECT_EQ(error.diagnostics()[0].hint, "did you mean 'ring'?");
    EXPECT_EQ(error.diagnostics()[1].message, "NCCL_BUFFSIZE is not modelled yet");
    EXPECT_EQ(error.diagnostics()[2].hint, "did you mean 'NCCL_BUFFSIZE'?");
    EXPECT_EQ(error.diagnostics()[3].hint, "write NCCL_PROTO=VALUE");
    EXPECT_EQ(error.diagnostics()[4].message, "'65' is not a number from 1 to 64");
  }
}

}  // namespace
}  // namespace railyard::apps
