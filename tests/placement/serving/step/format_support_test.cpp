#include "placement/serving/step/format_support.hpp"

#include <gtest/gtest.h>

namespace railyard::placement::serving {
namespace {

TEST(FormatSupport, WhatAGpuCannotDoIsRefusedByName) {
  const auto why = [](const char* gpu, const Formats& formats) {
    return why_not_on(read_processor(gpu), formats).value_or("");
  };
  EXPECT_EQ(why("v100_sxm", {.mlp = NumberFormat::fp8}),
            "V100-SXM2-32GB has compute capability 7.0: weights in fp8 needs 8.0");
  EXPECT_EQ(why("h100_sxm", {.kv = NumberFormat::nvfp4}),
            "H100-SXM5-80GB has compute capability 9.0: a KV cache in nvfp4 needs 10.0");
  for (const NumberFormat format : {NumberFormat::bf16, NumberFormat::fp8, NumberFormat::int8,
                                    NumberFormat::int4, NumberFormat::nvfp4})
    EXPECT_EQ(why("b200", {.attention = format, .mlp = format, .experts = format, .kv = format}),
              "");
  for (const NumberFormat format :
       {NumberFormat::fp8, NumberFormat::int8, NumberFormat::int4, NumberFormat::nvfp4})
    EXPECT_EQ(why("a100_sxm_80", {.attention = format, .mlp = format, .experts = format}), "");
}

}  // namespace
}  // namespace railyard::placement::serving
