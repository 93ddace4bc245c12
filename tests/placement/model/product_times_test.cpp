#include "placement/model/product_times.hpp"

#include <gtest/gtest.h>

namespace railyard::placement {
namespace {

// Whatever differs between products is told apart, the first time and when asked again.
TEST(ProductTimes, AreThoseOfTheFormula) {
  const Processor gpu = read_processor("h100_sxm");
  ProductTimes times(gpu);
  const std::vector<Product> products{
      {.m = 1024, .n = 4096, .k = 512},
      {.m = 4096, .n = 1024, .k = 512},
      {.m = 1024, .n = 4096, .k = 1024},
      {.m = 1024, .n = 4096, .k = 512, .batch = 8},
      {.m = 1024, .n = 4096, .k = 512, .result_bytes = 64},
      {.m = 1024, .n = 4096, .k = 512, .aligned = false},
  };
  for (const int again : {0, 1})
    for (const Precision precision : {Precision::bf16, Precision::fp8})
      for (const Product& p : products)
        EXPECT_EQ(times.time(precision, p), product_time(gpu, precision, p)) << again << p.m;
  EXPECT_NE(times.time(Precision::bf16, products[0]), times.time(Precision::fp8, products[0]));
}

}  // namespace
}  // namespace railyard::placement
