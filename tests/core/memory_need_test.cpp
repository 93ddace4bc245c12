#include "core/memory_need.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnostic.hpp"

namespace railyard::core {
namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;
constexpr MachineMemory kMachine{.total = 16 * kGiB, .available = 8 * kGiB};

MemoryNeed need(std::uint64_t bytes) {
  return {.bytes = bytes, .run = "the run", .flag = "--gpus", .what_fits = [](double part) {
            return fmt::format("{:.0f} of 100 ranks", 100 * part);
          }};
}

// A tenth of 16 GiB is 1.6 GiB.
TEST(MemoryNeed, IsAnnouncedFromATenthOfTheMachineOn) {
  EXPECT_EQ(check_memory(need(1 * kGiB), kMachine), "");
  EXPECT_EQ(check_memory(need(2 * kGiB), kMachine),
            "the run needs about 2.0 GiB of memory of the 8.0 GiB that are available");
  EXPECT_EQ(check_memory(need(8 * kGiB), kMachine),
            "the run needs about 8.0 GiB of memory of the 8.0 GiB that are available");
}

// 8 of 32 GiB are a quarter.
TEST(MemoryNeed, BeyondWhatIsAvailableIsRefusedWithWhatFits) {
  try {
    (void)check_memory(need(32 * kGiB), kMachine);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(
        error.what(),
        ::testing::HasSubstr("the run needs about 32.0 GiB of memory, and 8.0 GiB are available"));
    EXPECT_THAT(error.what(), ::testing::HasSubstr("about 25 of 100 ranks would fit"));
    EXPECT_THAT(error.what(), ::testing::HasSubstr("--gpus"));
  }
}

TEST(MemoryNeed, TheMachineHasMoreThanIsAvailable) {
  const MachineMemory memory = machine_memory();
  EXPECT_GT(memory.available, 1U << 20);
  EXPECT_GE(memory.total, memory.available);
}

}  // namespace
}  // namespace railyard::core
