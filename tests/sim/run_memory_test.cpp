#include "sim/run_memory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnostic.hpp"
#include "sim/flow/flow_network.hpp"
#include "sim/packet/packet_network.hpp"
#include "tests/sim/sim_cluster.hpp"

namespace railyard::sim {
namespace {

using namespace testing;
using ::testing::AllOf;
using ::testing::HasSubstr;

template <class Run>
std::string refusal(Run&& run) {
  try {
    run();
  } catch (const InputError& error) {
    return error.what();
  }
  return "not refused";
}

// More than any machine has: 2^62 bytes.
constexpr std::uint64_t kTooMuch = std::uint64_t{1} << 62;

TEST(RunMemory, IsRefusedWithTheRanksOrTheSizeThatFit) {
  const auto cluster = testing::cluster(4, 2, leaf_spine(2));
  const auto pairs =
      schedule(cluster, "direct", {.kind = collectives::Kind::all_to_all, .bytes = 64_MiB});
  const collectives::Task task{.schedule = &pairs, .start = {}, .name = {}};
  const std::vector<collectives::Task> two{task, task};
  EXPECT_THAT(refusal([&] {
                check_memory({.bytes = kTooMuch, .engine = "flow", .tasks = {&task, 1}}, {});
              }),
              AllOf(HasSubstr("the flow simulation of 56 transfers needs about"),
                    HasSubstr("ranks (--gpus, --nodes) would fit")));
  EXPECT_THAT(
      refusal([&] { check_memory({.bytes = kTooMuch, .engine = "flow", .tasks = two}, {}); }),
      HasSubstr("of the 2 collectives or messages"));
}

// 2^52 bytes over a tree of 8 ranks, in chunks of 1 MB: 4.5e9 iterations of 14 transfers.
TEST(RunMemory, EveryStepOfALargeSizeIsRefusedBeforeItIsSimulated) {
  const auto cluster = single_switch(8, 1);
  const auto tree = schedule(cluster, "tree", {.bytes = Bytes(std::int64_t{1} << 52)},
                             {.channels = 1, .chunk = 1_MB});
  const collectives::Task task{.schedule = &tree, .start = {}, .name = {}};
  const auto flow = refusal([&] { (void)FlowNetwork(cluster, {.expand = true}).run({&task, 1}); });
  EXPECT_THAT(flow, AllOf(HasSubstr("the flow simulation of"), HasSubstr("a size of"),
                          HasSubstr("a run without --expand needs less")));
  packet::PacketOptions options;
  options.fast_forward = false;
  const auto packets = refusal([&] { (void)PacketNetwork(cluster, options).run({&task, 1}); });
  EXPECT_THAT(packets, AllOf(HasSubstr("the packet simulation of"),
                             HasSubstr("--fidelity flow needs less")));
  // As one stream it takes nothing.
  EXPECT_GT(duration(FlowNetwork(cluster).run({&task, 1})), Time());
}

}  // namespace
}  // namespace railyard::sim
