#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/formats/traces/chakra_file.hpp"
#include "collectives/formats/traces/chakra_workload.hpp"
#include "collectives/formats/traces/import_workload.hpp"
#include "collectives/workload/check_workload.hpp"
#include "core/diagnostic.hpp"
#include "tests/truth_path.hpp"

namespace railyard::collectives {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace std::string_literals;

/// A message behind its length.
std::string framed(const std::string& message) {
  return std::string(1, static_cast<char>(message.size())) + message;
}
const std::string kMetadata = framed("\x0a\x05"s + "0.0.4");

/// By hand, from the schema: node 1 "x" (fields 1, 2), type 7 (field 3), data_deps {0} packed
/// (field 5), and the attribute comm_size = 300 as int64 (field 10 of {1: name, 9: 300}).
const std::string kCollective = framed(
    "\x08\x01"
    "\x12\x01x"
    "\x18\x07"
    "\x2a\x01\x00"
    "\x52\x0e\x0a\x09"s +
    "comm_size" + "\x48\xac\x02"s);

ChakraNode node(std::uint64_t id, ChakraType type) {
  return {.id = id, .name = "n", .type = static_cast<std::uint64_t>(type)};
}
ChakraNode collective(std::uint64_t id, ChakraCollective kind, std::int64_t bytes) {
  ChakraNode its = node(id, ChakraType::collective);
  its.comm_type = static_cast<std::int64_t>(kind);
  its.comm_size = bytes;
  return its;
}
ChakraNode message(std::uint64_t id, bool sends, std::int64_t peer, std::int64_t tag) {
  ChakraNode its = node(id, sends ? ChakraType::send : ChakraType::receive);
  (sends ? its.destination : its.source) = peer;
  its.comm_size = 100;
  its.tag = tag;
  return its;
}

ImportedWorkload import(std::vector<std::vector<ChakraNode>> ranks, TraceImport how = {}) {
  std::vector<ChakraRank> traces;
  for (auto& nodes : ranks) {
    const auto rank = static_cast<std::uint32_t>(traces.size());
    traces.push_back({rank, "t." + std::to_string(rank) + ".et", {"0.0.4", std::move(nodes), {}}});
  }
  return workload_of_chakra(std::move(traces), how);
}

std::string error_of(std::vector<std::vector<ChakraNode>> ranks, const TraceImport& how = {}) {
  try {
    (void)import(std::move(ranks), how);
  } catch (const InputError& error) {
    return to_text(error.diagnostics().front());
  }
  return "";
}
std::string error_of_bytes(const std::string& bytes) {
  try {
    (void)read_chakra(bytes, "t.0.et");
  } catch (const InputError& error) {
    return to_text(error.diagnostics().front());
  }
  return "";
}

TEST(ChakraFile, IsReadByTheFieldNumbersOfTheSchema) {
  const ChakraTrace trace = read_chakra(kMetadata + kCollective, "t.0.et");
  EXPECT_EQ(trace.version, "0.0.4");
  ASSERT_EQ(trace.nodes.size(), 1U);
  EXPECT_EQ(trace.nodes[0].id, 1U);
  EXPECT_EQ(trace.nodes[0].name, "x");
  EXPECT_EQ(trace.nodes[0].type, 7U);
  EXPECT_THAT(trace.nodes[0].dependencies, ElementsAre(0U));
  EXPECT_EQ(trace.nodes[0].comm_size, 300);
  EXPECT_EQ(trace.nodes[0].comm_type, -1) << "not said";
}

TEST(ChakraFile, ReadsBackWhatIsWritten) {
  ChakraTrace trace{.version = "0.0.4", .nodes = {}, .unread_attributes = {}};
  trace.nodes.push_back(collective(3, ChakraCollective::all_gather, std::int64_t{1} << 40));
  trace.nodes[0].group = "tp";
  trace.nodes[0].involved_dims = {true, false};
  trace.nodes.push_back(node(4, ChakraType::compute));
  trace.nodes[1].duration_us = 17;
  trace.nodes[1].runs_on_cpu = true;
  trace.nodes[1].dependencies = {3};
  const std::string bytes = write_chakra(trace);
  const ChakraTrace again = read_chakra(bytes, "t.0.et");
  EXPECT_EQ(write_chakra(again), bytes);
  EXPECT_EQ(again.nodes[0].comm_size, std::int64_t{1} << 40);
  EXPECT_EQ(again.nodes[0].group, "tp");
  EXPECT_THAT(again.nodes[0].involved_dims, ElementsAre(true, false));
  EXPECT_EQ(again.nodes[1].duration_us, 17U);
  EXPECT_TRUE(again.nodes[1].runs_on_cpu);
  EXPECT_TRUE(again.unread_attributes.empty());
}

TEST(ChakraFile, ThatIsDamagedIsRejectedWithItsMessage) {
  EXPECT_THAT(error_of_bytes(""), HasSubstr("empty"));
  const std::string whole = kMetadata + kCollective;
  EXPECT_THAT(error_of_bytes(whole.substr(0, whole.size() - 1)), HasSubstr("message 1"));
  EXPECT_THAT(error_of_bytes(whole + kCollective), HasSubstr("node 1 appears twice"));
  EXPECT_THAT(error_of_bytes(kMetadata + framed("\x0a\x01x"s)), HasSubstr("wire type"))
      << "an id that is a text";
  EXPECT_THAT(error_of_bytes(kMetadata + "\x05\xff\xff\xff\xff\xff"s), HasSubstr("message 1"));
  for (std::size_t cut = 1; cut < whole.size(); ++cut) {
    if (cut == kMetadata.size()) continue;  // a trace without nodes is one
    EXPECT_NE(error_of_bytes(whole.substr(0, cut)), "") << cut;
  }
}

TEST(ChakraWorkload, RunsCollectivesOverAllRanks) {
  const auto rank = [] {
    return std::vector{collective(0, ChakraCollective::all_gather, 1000),
                       collective(1, ChakraCollective::all_reduce, 1000)};
  };
  const Workload workload = import({rank(), rank()}).workload;
  EXPECT_TRUE(check_workload(workload).empty());
  const auto& operations = workload.program_of(0).operations;
  EXPECT_EQ(operations[0].bytes, Bytes(2000)) << "all_gather counts what a rank gets";
  EXPECT_EQ(operations[1].bytes, Bytes(1000));
}

// Rank 1 is the root: it receives 100 bytes from ranks 0 and 2, then sends 40 to each. What depends
// on the gather waits for both messages.
TEST(ChakraWorkload, RunsGathersAndScattersAsMessagesOfTheRoot) {
  const auto rank = [] {
    ChakraNode gather = collective(0, ChakraCollective::gather, 100);
    ChakraNode scatter = collective(1, ChakraCollective::scatter, 40);
    gather.root = scatter.root = 1;
    scatter.dependencies = {0};
    return std::vector{gather, scatter};
  };
  const ImportedWorkload imported = import({rank(), rank(), rank()});
  EXPECT_TRUE(check_workload(imported.workload).empty());
  EXPECT_THAT(imported.notes, ::testing::Contains(HasSubstr("6 gathers and scatters")));
  const Program& leaf = imported.workload.program_of(0);
  ASSERT_EQ(leaf.operations.size(), 2U);
  EXPECT_EQ(leaf.operations[0].kind, OperationKind::send);
  EXPECT_EQ(leaf.operations[0].bytes, Bytes(100));
  EXPECT_EQ(leaf.operations[1].kind, OperationKind::receive);
  EXPECT_EQ(leaf.operations[1].bytes, Bytes(40));
  const Program& root = imported.workload.program_of(1);
  ASSERT_EQ(root.operations.size(), 6U) << "two messages and their end, twice";
  for (const std::uint32_t i : {0U, 1U}) {
    EXPECT_EQ(root.operations[i].kind, OperationKind::receive);
    EXPECT_EQ(imported.workload.peer(root.operations[i], 1), i == 0 ? 0U : 2U);
    EXPECT_EQ(root.operations[3 + i].kind, OperationKind::send);
    EXPECT_EQ(root.dependencies(3 + i).front().operation, 2U);
  }
  EXPECT_EQ(root.dependencies(2).size(), 2U);
}

TEST(ChakraWorkload, OrdersNodesByTheirDependencies) {
  ChakraNode first = node(7, ChakraType::compute), second = node(9, ChakraType::compute);
  first.dependencies = {9};
  first.duration_us = 5;
  second.duration_us = 3;
  const Workload workload = import({{first, second}}).workload;
  const Program& program = workload.program_of(0);
  EXPECT_EQ(program.operations[0].duration, Time::microseconds(3));
  EXPECT_EQ(program.dependencies(1).front().operation, 0U);
}

TEST(ChakraWorkload, NamesFileAndNodeOfWhatIsWrong) {
  ChakraNode bad = node(5, ChakraType::compute);
  bad.dependencies = {77};
  EXPECT_THAT(error_of({{bad}}), HasSubstr("t.0.et:node 5 'n': depends on node 77"));
  bad.dependencies = {5};
  EXPECT_THAT(error_of({{bad}}), HasSubstr("depend on each other"));
  bad = node(1, ChakraType::compute);
  bad.type = 42;
  EXPECT_THAT(error_of({{bad}}), HasSubstr("is of type 42"));
  EXPECT_THAT(error_of({{collective(1, static_cast<ChakraCollective>(12), 8)}}),
              HasSubstr("type 12"));
  EXPECT_THAT(error_of({{message(1, true, 9, 0)}}), HasSubstr("rank 9 as comm_dst"));
  ChakraNode dims = collective(1, ChakraCollective::all_reduce, 8);
  dims.involved_dims = {true, false};
  EXPECT_THAT(error_of({{dims}}), HasSubstr("involved_dim"));
  ChakraNode unsized = collective(1, ChakraCollective::all_reduce, -1);
  EXPECT_THAT(error_of({{unsized}}), HasSubstr("has no comm_size"));
}

TEST(ChakraWorkload, OfMissingRanksIsRejectedUnlessTheyAreAlike) {
  const std::vector nodes{collective(0, ChakraCollective::all_reduce, 1000)};
  std::vector<ChakraRank> one{{2, "t.2.et", {"0.0.4", nodes, {}}}};
  EXPECT_THROW((void)workload_of_chakra(one, {}), InputError);
  TraceImport how;
  how.world = 4;
  const ImportedWorkload imported = workload_of_chakra(one, how);
  EXPECT_EQ(imported.workload.ranks(), 4U);
  EXPECT_EQ(imported.workload.roles().size(), 1U);
  EXPECT_THAT(imported.notes.back(), HasSubstr("only rank 2 of 4 has a trace"));
  EXPECT_TRUE(check_workload(imported.workload).empty());
}

TEST(ChakraWorkload, GroupsHoldTheRanksThatUseTheirNames) {
  const auto in_group = [](const std::string& name) {
    ChakraNode its = collective(0, ChakraCollective::all_reduce, 8);
    its.group = name;
    return std::vector{its};
  };
  const ImportedWorkload imported =
      import({in_group("a"), in_group("b"), in_group("a"), in_group("b")});
  EXPECT_TRUE(check_workload(imported.workload).empty());
  ASSERT_EQ(imported.workload.families().size(), 2U);
  EXPECT_THAT(imported.workload.families()[0].groups[0], ElementsAre(0U, 2U));
  TraceImport how;
  how.groups["a"] = {1, 3};
  EXPECT_THAT(error_of({in_group("a")}, how), HasSubstr("'a' has rank 1"));
}

// 2e12 operations at 1e12 per second; the memory would take 1 s.
TEST(ChakraWorkload, ComputationWithoutADurationIsPriced) {
  ChakraNode its = node(0, ChakraType::compute);
  its.operations = 2'000'000'000'000;
  its.tensor_size = 1'000'000'000;
  EXPECT_THAT(error_of({{its}}), HasSubstr("cannot be priced"));
  TraceImport how;
  how.price = [](double operations, double bytes) {
    return Time::from_seconds(std::max(operations / 1e12, bytes / 1e9));
  };
  EXPECT_EQ(import({{its}}, how).workload.program_of(0).operations[0].duration, Time::seconds(2));
}

TEST(ChakraWorkload, IsTheSameAfterAnExport) {
  const auto rank = [](std::int64_t other, bool first) {
    std::vector<ChakraNode> nodes{collective(0, ChakraCollective::reduce_scatter, 4096)};
    nodes.push_back(node(1, ChakraType::compute));
    nodes[1].duration_us = 12;
    nodes[1].dependencies = {0};
    nodes.push_back(message(2, first, other, 3));
    nodes[2].dependencies = {1};
    return nodes;
  };
  const Workload workload = import({rank(1, true), rank(0, false)}).workload;
  std::vector<ChakraTrace> exported = chakra_of_workload(workload);
  std::vector<ChakraRank> again;
  for (std::uint32_t i = 0; i < exported.size(); ++i)
    again.push_back({i, "t.et", read_chakra(write_chakra(exported[i]), "t.et")});
  const Workload read = workload_of_chakra(std::move(again), {}).workload;
  for (std::uint32_t r = 0; r < 2; ++r) {
    const Program &a = workload.program_of(r), &b = read.program_of(r);
    ASSERT_EQ(a.operations.size(), b.operations.size());
    for (std::uint32_t i = 0; i < a.operations.size(); ++i) {
      EXPECT_EQ(a.operations[i].kind, b.operations[i].kind);
      EXPECT_EQ(a.operations[i].bytes, b.operations[i].bytes);
      EXPECT_EQ(a.operations[i].duration, b.operations[i].duration);
      EXPECT_EQ(a.operations[i].peer, b.operations[i].peer);
      EXPECT_EQ(a.dependencies(i).size(), b.dependencies(i).size());
    }
  }
}

// ASTRA-sim's examples: 8 ranks, one collective of 1 MiB each, and a ring all-reduce of sends and
// receives of 128 KiB: 14 of each per rank.
TEST(ChakraWorkload, OfAstraSimsExamplesCompletes) {
  namespace fs = std::filesystem;
  const fs::path top = railyard::testing::truth_path("traces/chakra");
  if (top.empty()) GTEST_SKIP() << "no ../shared/truth/traces beside this checkout";
  const auto imported = [&](const std::string& folder) {
    return import_workload(std::vector{(top / folder).string()}, {}).workload;
  };
  const Workload gather = imported("all_gather_8npus_1MB");
  EXPECT_EQ(gather.ranks(), 8U);
  EXPECT_EQ(gather.program_of(3).operations[0].bytes, Bytes(8 << 20));
  EXPECT_EQ(imported("all_reduce_8npus_1MB").program_of(0).operations[0].bytes, Bytes(1 << 20));
  EXPECT_EQ(imported("all_to_all_8npus_1MB").program_of(0).operations[0].collective,
            Kind::all_to_all);
  EXPECT_EQ(imported("reduce_scatter_8npus_1MB").program_of(0).operations[0].collective,
            Kind::reduce_scatter);
  const Workload ring = imported("custom_ring_allreduce_8npus_1MB");
  std::size_t sends = 0;
  for (const Operation& operation : ring.program_of(0).operations)
    sends += operation.kind == OperationKind::send ? 1 : 0;
  EXPECT_EQ(sends, 14U);
}

}  // namespace
}  // namespace railyard::collectives
