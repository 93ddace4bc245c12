#include "core/available_memory.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

namespace railyard::core {
namespace {

TEST(AvailableMemory, IsSomethingAndAtMostWhatTheMachineHas) {
  const auto pages = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES));
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  EXPECT_GT(available_memory(), 1U << 20);
  EXPECT_LE(available_memory(), pages * page);
}

}  // namespace
}  // namespace railyard::core
