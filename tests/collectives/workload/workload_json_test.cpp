#include "collectives/workload/workload_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

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
