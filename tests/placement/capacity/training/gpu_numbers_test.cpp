#include "placement/capacity/training/gpu_numbers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnostic.hpp"

namespace railyard::placement {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string error_of(const std::string& text) {
  try {
    (void)parse_gpu_numbers(text, "--gpus");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(GpuNumbers, AListIsSortedAndARangeDoublesUpToItsEnd) {
  EXPECT_THAT(parse_gpu_numbers("1024,512,1024", "--gpus"), ElementsAre(512, 1024));
  EXPECT_THAT(parse_gpu_numbers("8", "--gpus"), ElementsAre(8));
  EXPECT_THAT(parse_gpu_numbers("512..4096", "--gpus"), ElementsAre(512, 1024, 2048, 4096));
  EXPECT_THAT(parse_gpu_numbers("512..1536", "--gpus"), ElementsAre(512, 1024, 1536));
  EXPECT_THAT(parse_gpu_numbers("512..512", "--gpus"), ElementsAre(512));
}

TEST(GpuNumbers, OtherTextsAreErrorsOfTheFlag) {
  EXPECT_THAT(error_of("8,"), HasSubstr("--gpus: '' is not a number of GPUs"));
  EXPECT_THAT(error_of("0"), HasSubstr("'0' is not a number of GPUs"));
  EXPECT_THAT(error_of("8x"), HasSubstr("'8x' is not a number of GPUs"));
  EXPECT_THAT(error_of("16..8"), HasSubstr("16..8 ends below its beginning"));
}

}  // namespace
}  // namespace railyard::placement
