#include "core/size_text.hpp"

#include <gtest/gtest.h>

namespace railyard::core {
namespace {

TEST(SizeText, IsWrittenAsNcclTestsDoes) {
  EXPECT_EQ(size_text(8), "8");
  EXPECT_EQ(size_text(4096), "4K");
  EXPECT_EQ(size_text(std::int64_t{3} << 30), "3G");
  EXPECT_EQ(size_text(std::int64_t{5} << 40), "5T");
  EXPECT_EQ(size_text(1025), "1025");
  EXPECT_EQ(size_text(0), "0");
}

}  // namespace
}  // namespace railyard::core
