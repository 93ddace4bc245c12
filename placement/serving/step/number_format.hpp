#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "core/config/enum_names.hpp"
#include "placement/model/arithmetic.hpp"
#include "placement/model/processor.hpp"

namespace railyard::placement::serving {

/// Number format of weights or the KV cache. fp8 and int8 are computed with activations of the same
/// format if the GPU supports it, otherwise in bf16. int4 is expanded to bf16 by its kernels. nvfp4
/// is computed in fp4 if the GPU supports it, otherwise like int4.
enum class NumberFormat { bf16, fp8, int8, int4, nvfp4 };

/// Bytes per value, scales included. fp8: one fp32 scale per block of 128 x 128 (DeepSeek-V3, arXiv
/// 2412.19437, section 3.3). int8: one scale per channel (not counted). int4: an fp16 scale and a
/// 4-bit zero point per 128 values (AutoAWQ, awq/modules/linear/gemm.py at 030fe2a1). nvfp4: an fp8
/// scale per 16 values (NVIDIA, NVFP4).
[[nodiscard]] double bytes_per_value(NumberFormat format);
/// Bytes per value in a KV cache, scales included. int4: an fp16 scale and an fp16 zero point per
/// token and head of `head_dim` values (LMDeploy, token_param_size in
/// src/turbomind/kernels/attention/block.h at 0e546d79); head_dim 128: 0.53125 B. int8: one scale
/// per tensor (TensorRT-LLM). LMDeploy stores 4 more bytes per token and head, which are not
/// counted.
[[nodiscard]] double kv_bytes_per_value(NumberFormat format, double head_dim);

/// Arithmetic of products with weights of a format. Peaks that configs/gpus do not contain follow
/// from those that they contain, as in NVIDIA's data sheets (dense). int8: twice fp16 on Ampere and
/// Ada, equal to fp8 on Hopper and Blackwell. fp4: twice fp8 on Blackwell, three times fp8 on
/// Blackwell Ultra (B300, GB300).
[[nodiscard]] Arithmetic weight_arithmetic(const Processor& processor, NumberFormat weights);

}  // namespace railyard::placement::serving

namespace railyard {

template <>
struct core::EnumNames<placement::serving::NumberFormat> {
  using F = placement::serving::NumberFormat;
  static constexpr std::array<std::pair<F, std::string_view>, 5> table{{{F::bf16, "bf16"},
                                                                        {F::fp8, "fp8"},
                                                                        {F::int8, "int8"},
                                                                        {F::int4, "int4"},
                                                                        {F::nvfp4, "nvfp4"}}};
};

}  // namespace railyard
