#include "placement/serving/planner/served_run.hpp"

#include <gtest/gtest.h>

namespace railyard::placement::serving {
namespace {

TEST(ServedRun, AStepIsASpanOfItsReplica) {
  const Model model = read_model("llama3_8b");
  ServingPlanRequest request{.model = model,
                             .demand = {.rate = 1, .input = 500, .output = 2},
                             .candidates = {{.cluster = "h100",
                                             .gpu = read_processor("h100_sxm"),
                                             .fabric = {.gpus_per_node = 8},
                                             .gpus = 1}}};
  request.demand.trace = {{.arrival = 0, .input = 500, .output = 2}};
  const ServingOption option{.cluster = "h100", .deployment = {}, .replicas = 1};
  const ServedRun run = serve_option(request, option, true);
  ASSERT_EQ(run.requests.size(), 1U);
  // The prompt gives the first token, a decode the second.
  ASSERT_EQ(run.spans.size(), 2U);
  EXPECT_EQ(run.spans[0].track, "replicas / replica 0");
  EXPECT_EQ(run.spans[0].name, "1 prompt (500 tokens)");
  EXPECT_EQ(run.spans[1].name, "1 decode");
  EXPECT_GE(run.spans[1].begin, run.spans[0].end);
  EXPECT_FALSE(run.timeline.empty());
  EXPECT_TRUE(serve_option(request, option, false).spans.empty());
}

}  // namespace
}  // namespace railyard::placement::serving
