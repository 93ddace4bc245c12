#include "collectives/workload/workload_json.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "collectives/workload/program_builder.hpp"
#include "collectives/workload/program_repeats.hpp"
#include "collectives/workload/workload_fields.hpp"
#include "core/config/text_file.hpp"
#include "core/diagnostic.hpp"

namespace railyard::collectives {
namespace {

using namespace literals;
using testing::HasSubstr;

constexpr const char* kText = R"({
  "$schema": "workload.schema.json",
  "ranks": 4,
  "families": [
    {"name": "pairs", "groups": [[0, 1], [2, 3]]}
  ],
  "programs": [
    {
      "operations": [
        {"kind": "compute", "name": "F", "stream": "compute", "duration": "1.5 ms"},
        {"kind": "collective", "name": "sum", "stream": "nccl", "collective": "all_reduce",
         "bytes": "100 MB", "family": "pairs", "rate_share": 0.7, "compute_share": 0.1,
         "after": [0]},
        {"kind": "send", "stream": "to", "bytes": "1 MiB", "family": "pairs", "offset": 1,
         "tag": 3},
        {"kind": "receive", "stream": "from", "bytes": "1 MiB", "family": "pairs", "offset": -1,
         "tag": 3},
        {"kind": "host", "duration": "20 us", "after_begin": [1]}
      ]
    }
  ],
  "roles": [
    {"name": "all", "program": 0, "ranks": [0, 1, 2, 3]}
  ]
})";

std::string refusal(std::string_view text) {
  try {
    (void)read_workload(text, "w.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST(WorkloadJson, ReadsOperationsWithUnits) {
  const Workload workload = read_workload(kText, "w.json");
  const Program& program = workload.programs()[0];
  ASSERT_EQ(program.operations.size(), 5u);
  EXPECT_EQ(program.operations[0].duration, 1'500_us);
  EXPECT_EQ(program.operations[1].bytes, 100_MB);
  EXPECT_FLOAT_EQ(program.operations[1].rate_share, 0.7F);
  EXPECT_EQ(program.dependencies(1).size(), 1u);
  EXPECT_TRUE(program.operations[2].is_relative);
  EXPECT_EQ(workload.peer(program.operations[2], 1), 0u);
  EXPECT_EQ(workload.peer(program.operations[3], 2), 3u);
  EXPECT_EQ(program.operations[4].stream, Operation::kUnordered);
  EXPECT_TRUE(program.dependencies(4)[0].on_begin);
}

TEST(WorkloadJson, WritesWhatReadsBackToTheSame) {
  const std::string once = write_workload(read_workload(kText, "w.json"));
  EXPECT_EQ(write_workload(read_workload(once, "w.json")), once);
  EXPECT_THAT(once, HasSubstr("\"rate_share\": 0.7"));
}

/// Of all operations, the ends that one waits for before the begins, as a file lists them.
std::vector<std::pair<std::uint32_t, bool>> in_order_of_file(const Program& program) {
  std::vector<std::pair<std::uint32_t, bool>> all;
  for (std::uint32_t i = 0; i < program.operations.size(); ++i)
    for (const bool on_begin : {false, true})
      for (const Dependency& other : program.dependencies(i))
        if (other.on_begin == on_begin) all.emplace_back(other.operation, on_begin);
  return all;
}

/// Operation by operation, names and dependencies included.
void expect_same(const Workload& a, const Workload& b) {
  ASSERT_EQ(a.programs().size(), b.programs().size());
  for (std::size_t p = 0; p < a.programs().size(); ++p) {
    const Program &x = a.programs()[p], &y = b.programs()[p];
    ASSERT_EQ(x.operations.size(), y.operations.size());
    EXPECT_EQ(x.after_ends, y.after_ends);
    EXPECT_EQ(in_order_of_file(x), in_order_of_file(y));
    for (std::size_t i = 0; i < x.operations.size(); ++i) {
      const Operation &l = x.operations[i], &r = y.operations[i];
      EXPECT_EQ(a.names()[l.name], b.names()[r.name]);
      EXPECT_EQ(std::tuple(l.kind, l.collective, l.is_relative, l.family, l.peer, l.tag, l.duration,
                           l.bytes, l.rate_share, l.compute_share),
                std::tuple(r.kind, r.collective, r.is_relative, r.family, r.peer, r.tag, r.duration,
                           r.bytes, r.rate_share, r.compute_share))
          << p << " " << i;
      const bool ordered = l.stream != Operation::kUnordered;
      ASSERT_EQ(ordered, r.stream != Operation::kUnordered);
      EXPECT_EQ(ordered ? x.streams[l.stream] : "", ordered ? y.streams[r.stream] : "");
    }
  }
}

/// A rank that receives, computes and sends, `rows` as in a file.
std::string messages(const std::string& rows) {
  return R"({"ranks": 2, "families": [{"name": "pair", "groups": [[0, 1]]}],
    "programs": [)" +
         rows + R"(], "roles": [{"program": 0, "ranks": [0, 1]}]})";
}

// Three micro-batches. Receives come first, one for each micro-batch, so computation k waits for
// receive k (a step of 1) and for the send before it: operation 3 + 2k - 1, a step of the 2
// operations that repeat. For k = 0 that is receive 2.
constexpr const char* kRepeated = R"({"operations": [
    {"kind": "receive", "name": "receive 4", "stream": "from", "family": "pair", "offset": 1,
     "tag": 7, "bytes": "1 MiB", "name_step": 2, "tag_step": 1},
    {"kind": "compute", "name": "F 4", "stream": "c", "duration": "1 ms", "name_step": 2,
     "after": [0, 2], "after_step": [1, 2]},
    {"kind": "send", "name": "send 4", "stream": "to", "family": "pair", "offset": 1,
     "tag": 7, "bytes": "1 MiB", "name_step": 2, "tag_step": 1, "after_begin": [3]}],
   "repeats": [{"first": 0, "count": 1, "times": 3}, {"first": 1, "count": 2, "times": 3}]})";

TEST(WorkloadJson, RepeatsAreWhatTheyExpandTo) {
  std::string rows;
  for (int k = 0; k < 3; ++k)
    rows += fmt::format(R"({{"kind": "receive", "name": "receive {}", "stream": "from",
      "family": "pair", "offset": 1, "tag": {}, "bytes": "1 MiB"}},)",
                        4 + 2 * k, 7 + k);
  for (int k = 0; k < 3; ++k)
    rows += fmt::format(
        R"({{"kind": "compute", "name": "F {0}", "stream": "c", "duration": "1 ms",
         "after": [{1}, {2}]}},
        {{"kind": "send", "name": "send {0}", "stream": "to", "family": "pair", "offset": 1,
         "tag": {3}, "bytes": "1 MiB", "after_begin": [{4}]}},)",
        4 + 2 * k, k, 2 + 2 * k, 7 + k, 3 + 2 * k);
  rows.pop_back();
  const Workload expanded = read_workload(messages("{\"operations\": [" + rows + "]}"), "w.json");
  expect_same(read_workload(messages(kRepeated), "w.json"), expanded);
}

TEST(WorkloadJson, LikeTakesTheFieldsOfAnEarlierOperation) {
  const std::string full = R"({"operations": [
    {"kind": "send", "name": "send 0", "stream": "to", "family": "pair", "offset": 1, "tag": 3,
     "bytes": "1 MiB", "rate_share": 0.5},
    {"kind": "receive", "name": "receive", "stream": "from", "family": "pair", "offset": 1,
     "tag": 3, "bytes": "1 MiB"},
    {"kind": "send", "name": "send 1", "stream": "to", "family": "pair", "offset": 1, "tag": 4,
     "bytes": "1 MiB", "rate_share": 0.5, "after": [1]},
    {"kind": "receive", "name": "receive", "stream": "from", "family": "pair", "offset": 1,
     "tag": 4, "bytes": "1 MiB"}]})";
  const std::string rest = R"({"operations": [
    {"kind": "send", "name": "send 0", "stream": "to", "family": "pair", "offset": 1, "tag": 3,
     "bytes": "1 MiB", "rate_share": 0.5},
    {"kind": "receive", "name": "receive", "stream": "from", "family": "pair", "offset": 1,
     "tag": 3, "bytes": "1 MiB"},
    {"like": 0, "name": "send 1", "tag": 4, "after": [1]}, {"like": 1, "tag": 4}]})";
  const Workload workload = read_workload(messages(full), "w.json");
  expect_same(read_workload(messages(rest), "w.json"), workload);
  EXPECT_EQ(write_workload(read_workload(messages(rest), "w.json")), write_workload(workload));
  EXPECT_THAT(write_workload(workload), HasSubstr("\"like\": 0"));

  const auto with = [&](std::string_view from, std::string_view to) {
    return refusal(messages(replaced(rest, from, to)));
  };
  EXPECT_THAT(with("\"like\": 1, \"tag\"", "\"like\": 3, \"tag\""),
              HasSubstr("w.json:/programs/0/operations/3/like: operation 3 is not an earlier one"));
  EXPECT_THAT(with("\"like\": 1, ", "\"like\": 1, \"stream\": \"to\", "),
              HasSubstr("/programs/0/operations/3/like: an operation with `like` has only a name"));
  EXPECT_THAT(with("\"like\": 1, ", ""), HasSubstr("/programs/0/operations/3/kind: is missing"));
  EXPECT_THAT(with("\"like\": 1, ", "\"like\": 1, \"name_step\": 1, "),
              HasSubstr("/programs/0/operations/3/name_step: a name taken from `like`"));
}

// A long program of that form: 2 entries for 1,000 receives and 2,000 others.
TEST(WorkloadJson, WritesRepeatsOnce) {
  std::string text = kRepeated;
  while (text.find("\"times\": 3") != std::string::npos)
    text = replaced(text, "\"times\": 3", "\"times\": 1000");
  text = replaced(text, "[0, 2]", "[0, 999]");
  text = replaced(text, "\"after_begin\": [3]", "\"after_begin\": [1000]");
  const Workload workload = read_workload(messages(text), "w.json");
  ASSERT_EQ(workload.programs()[0].operations.size(), 3000u);
  const auto repeats = repeats_of(workload.programs()[0], workload.names());
  EXPECT_EQ(repeats, (std::vector<ProgramRepeat>{{.first = 0, .count = 1, .times = 1000},
                                                 {.first = 1000, .count = 2, .times = 1000}}));
  const std::string once = write_workload(workload);
  EXPECT_LT(once.size(), 2000u);
  const Workload again = read_workload(once, "w.json");
  expect_same(again, workload);
  EXPECT_EQ(write_workload(again), once);
}

// Rounds of random operations, of which some are changed: whatever repeats are found, what is
// written reads back to the same.
TEST(WorkloadJson, RandomProgramsReadBackToTheSame) {
  std::mt19937_64 random(3);
  const auto below = [&](std::uint64_t n) { return static_cast<std::uint32_t>(random() % n); };
  for (int trial = 0; trial < 200; ++trial) {
    NameTable names;
    ProgramBuilder program(names);
    const std::uint32_t rounds = 1 + below(12), length = 1 + below(7);
    std::vector<std::uint32_t> kinds, behind;
    for (std::uint32_t i = 0; i < length; ++i) {
      kinds.push_back(below(3));
      behind.push_back(1 + below(2 * length));
    }
    for (std::uint32_t r = 0; r < rounds; ++r)
      for (std::uint32_t i = 0; i < length; ++i) {
        const std::uint32_t at = program.size();
        const bool is_odd = below(20) == 0;
        std::vector<Dependency> after;
        if (behind[i] <= at) after.push_back({at - behind[i], i % 2 == 1});
        if (at > 0 && is_odd) after.push_back({below(at)});
        const std::string name =
            fmt::format("{} {}{} of 07", "FBW"[kinds[i]], is_odd ? "0" : "", r);
        if (kinds[i] == 2) {
          program.add(name,
                      {.kind = OperationKind::send,
                       .is_relative = true,
                       .stream = program.stream("to"),
                       .peer = 1,
                       .tag = r + 100 * below(2),
                       .bytes = 1_MiB},
                      std::span<const Dependency>(after));
        } else {
          program.add(is_odd ? "host" : name,
                      {.stream = program.stream(kinds[i] == 0 ? "a" : "b"),
                       .duration = Time::picoseconds(5 + below(2))},
                      std::span<const Dependency>(after));
        }
      }
    Workload::Parts parts{.ranks = 2};
    parts.families.push_back({.name = "pair", .groups = {{0, 1}}});
    parts.programs.push_back(program.take());
    parts.roles.push_back({.name = "all", .program = 0, .ranks = {0, 1}});
    parts.names = names.names();
    const Workload workload(std::move(parts));
    expect_same(read_workload(write_workload(workload), "w.json"), workload);
  }
}

TEST(WorkloadJson, NamesWhatIsWrongInRepeats) {
  const auto with = [](std::string_view from, std::string_view to) {
    return refusal(messages(replaced(kRepeated, from, to)));
  };
  EXPECT_THAT(with("\"first\": 1, \"count\": 2", "\"first\": 1, \"count\": 3"),
              HasSubstr("w.json:/programs/0/repeats/1: ends at operation 4 of 3"));
  EXPECT_THAT(with("\"first\": 1, \"count\": 2", "\"first\": 0, \"count\": 2"),
              HasSubstr("/programs/0/repeats/1: begins at operation 0, before the end"));
  EXPECT_THAT(
      with("\"times\": 3", "\"times\": 4000000000"),
      HasSubstr("/programs/0/repeats/0: 1 operations 4000000000 times: the programs of a file "
                "have at most 50 million operations"));
  EXPECT_THAT(with("{\"first\": 0, \"count\": 1, \"times\": 3}, ", ""),
              HasSubstr("/programs/0/operations/0: has a step, but is not part of a repeat"));
  EXPECT_THAT(with("\"F 4\"", "\"F\""),
              HasSubstr("/programs/0/operations/1/name_step: 'F' has no number"));
  EXPECT_THAT(with("[1, 2]", "[-1, 2]"),
              HasSubstr("/programs/0/operations/1/after: operation -1 of repetition 1 of repeats/1 "
                        "does not exist"));
  EXPECT_THAT(with("[1, 2]", "[1]"), HasSubstr("after_step: has one number for each of `after`"));
}

TEST(WorkloadJson, NamesWhatIsWrong) {
  EXPECT_THAT(
      refusal(replaced(kText, "\"family\": \"pairs\", \"rate", "\"family\": \"pear\", \"rate")),
      HasSubstr("w.json:/programs/0/operations/1/family: 'pear' is not a family"));
  EXPECT_THAT(refusal(replaced(kText, "\"duration\": \"1.5 ms\"", "\"duration\": 15")),
              HasSubstr("/programs/0/operations/0/duration"));
  EXPECT_THAT(refusal(replaced(kText, "\"offset\": 1,", "\"offset\": 1, \"peer\": 0,")),
              HasSubstr("either a peer or an offset"));
  EXPECT_THAT(refusal(replaced(kText, "[0, 1, 2, 3]", "[0, 1, 2]")),
              HasSubstr("rank 3 is missing"));
}

/// configs/schema/workload.schema.json must be what the Fields say; RAILYARD_WRITE_SCHEMAS=1 writes
/// it.
TEST(WorkloadJson, SchemaIsUpToDate) {
  const std::filesystem::path path =
      std::filesystem::path(RAILYARD_SOURCE_DIR) / "configs" / "schema" / "workload.schema.json";
  const std::string schema = core::json_schema<WorkloadFile>();
  if (std::getenv("RAILYARD_WRITE_SCHEMAS") != nullptr) std::ofstream(path) << schema;
  EXPECT_EQ(core::read_text_file(path), schema);
}

}  // namespace
}  // namespace railyard::collectives
