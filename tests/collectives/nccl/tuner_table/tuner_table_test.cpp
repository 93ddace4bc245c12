#include "collectives/nccl/tuner_table/tuner_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>

#include "collectives/nccl/tuner/tuner_files.hpp"
#include "core/diagnostic.hpp"

namespace railyard::collectives::nccl {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

/// The table of a file with this text.
TunerTable table_of(const std::string& text) {
  const auto file = std::filesystem::path(::testing::TempDir()) / "railyard_tuner_table.json";
  std::ofstream(file) << text;
  return read_tuner_table(file);
}

std::string error_of(const std::string& text) {
  try {
    (void)table_of(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(TunerTable, ReadsTheFileOfAPlanAndLeavesOutWhatNcclChooses) {
  constexpr std::uint64_t kEnd = std::numeric_limits<std::uint64_t>::max();
  const TunerPlan plan{.ranks = 16,
                       .nodes = 2,
                       .ranges = {{.kind = Kind::all_reduce,
                                   .from = 0,
                                   .to = 1023,
                                   .algorithm = "tree",
                                   .protocol = Protocol::ll,
                                   .nccl_choice = ""},
                                  {.kind = Kind::all_reduce,
                                   .from = 1024,
                                   .to = 4095,
                                   .algorithm = "ring",
                                   .protocol = Protocol::ll128,
                                   .nccl_choice = "tree ll"},
                                  {.kind = Kind::all_gather,
                                   .from = 4096,
                                   .to = kEnd,
                                   .algorithm = "pat",
                                   .protocol = Protocol::simple,
                                   .nccl_choice = "ring simple"}}};
  const TunerTable table = table_of(tuner_json(plan, "a test"));
  EXPECT_EQ(table.ranks, 16U);
  EXPECT_EQ(table.nodes, 2U);
  ASSERT_THAT(table.decisions, SizeIs(2));
  // ncclFuncAllReduce is 4, NCCL_ALGO_RING 1, NCCL_PROTO_LL128 1 (nccl_common.h).
  constexpr int kAllGather = 2, kAllReduce = 4;
  EXPECT_EQ(table.decision(kAllReduce, 1023), nullptr);
  const TunerDecision* ring = table.decision(kAllReduce, 4095);
  ASSERT_NE(ring, nullptr);
  EXPECT_EQ(ring->algorithm, 1);
  EXPECT_EQ(ring->protocol, 1);
  EXPECT_EQ(table.decision(kAllReduce, 4096), nullptr);
  // NCCL_ALGO_PAT is 6, NCCL_PROTO_SIMPLE 2; the last range has no end.
  const TunerDecision* pat = table.decision(kAllGather, kEnd);
  ASSERT_NE(pat, nullptr);
  EXPECT_EQ(pat->algorithm, 6);
  EXPECT_EQ(pat->protocol, 2);
}

TEST(TunerTable, EveryProblemOfAFileIsReported) {
  EXPECT_THAT(error_of(R"({"kind": "regress"})"),
              HasSubstr("is not a file of railyard explain --tuner-json"));
  const std::string error = error_of(R"({"kind": "nccl_tuner", "nodes": -2, "ranks": 16, "ranges": [
      {"collective": "all_reduc", "algorithm": "ring", "protocol": "ll"}]})");
  EXPECT_THAT(error, HasSubstr("key 'nodes' (a number) is missing"));
  EXPECT_THAT(error, HasSubstr("/ranges/0/collective"));
  EXPECT_THAT(error, HasSubstr("all_reduce"));
  EXPECT_THAT(error, HasSubstr("key 'from_bytes' (a number) is missing"));
}

}  // namespace
}  // namespace railyard::collectives::nccl
