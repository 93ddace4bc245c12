#include "placement/serving/step/format_support.hpp"

#include <gtest/gtest.h>

namespace railyard::placement::serving {
namespace {

TEST(FormatSupport, WhatAGpuCannotDoIsRefusedByName) {
  const auto why = [](const char* gpu, const Formats& formats) {
    return why_not_on(read_processor(gpu), formats).value_or("");
  };
  EXPECT_EQ(why("v100_sxm", {.mlp = NumberFormat::fp8}),
            "V100-SXM2-32GB has compute capability 7.0: weights in fp8 needs 7.5");
  EXPECT_EQ(why("h100_sxm", {.kv = NumberFormat::nvfp4}),
            "H100-SXM5-80GB has compute capability 9.0: a KV cache in nvfp4 needs 10.x");
  EXPECT_EQ(
      why("rtx_pro_6000", {.kv = NumberFormat::nvfp4}),
      "RTX PRO 6000 Blackwell Server Edition has compute capability 12.0: a KV cache in nvfp4 "
      "needs 10.x");
  EXPECT_EQ(why("v100_sxm", {.mlp = NumberFormat::int4, .kv = NumberFormat::int8}), "");
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
