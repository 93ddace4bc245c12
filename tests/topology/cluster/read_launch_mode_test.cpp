#include "topology/cluster/read_launch_mode.hpp"

#include <gtest/gtest.h>

#include "core/diagnostic.hpp"

namespace railyard::topology {
namespace {

// docs/models/nccl_time.md: one process per GPU 0.5 us, one thread that drives all GPUs 15 us.
TEST(ReadLaunchOverhead, ReadsTheShippedModes) {
  EXPECT_EQ(read_launch_cost("process", "--harness").overhead, Time::nanoseconds(500));
  EXPECT_EQ(read_launch_cost("one_thread", "--harness").host_per_gpu, Time::nanoseconds(4200));
  EXPECT_EQ(read_launch_cost("threads", "--harness").overhead, Time());
  EXPECT_EQ(read_launch_cost("graph", "--harness").overhead, Time());
  EXPECT_EQ(read_launch_cost("none", "--harness").overhead, Time());
}

TEST(ReadLaunchOverhead, AnUnknownModeIsAnErrorWithTheNames) {
  try {
    (void)read_launch_cost("thread", "--harness");
    FAIL() << "it was accepted";
  } catch (const InputError& error) {
    EXPECT_EQ(error.diagnostics().front().pointer, "--harness");
    EXPECT_EQ(error.diagnostics().front().message,
              "'thread' is not one of graph, one_thread, process, threads, none (did you mean "
              "'threads'?)");
  }
}

}  // namespace
}  // namespace railyard::topology
