#include "placement/serving/step/format_support.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "core/config/enum_names.hpp"

namespace railyard::placement::serving {
namespace {

/// Compute capabilities, times ten: the minimum for weights, the minimum for the KV cache, and the
/// first one that no longer supports the KV cache (0: none).
struct Support {
  NumberFormat format;
  int weights, kv, kv_below = 0;
};

// Weights.
// - fp8 and nvfp4: Marlin from Turing on (vLLM, docs/features/quantization/llm_compressor/fp8.md at
//   263eecff, and pull request 29901).
// - int8: vLLM's W8A8 from Turing on (docs/features/quantization/README.md at 0328802b).
// - int4: LMDeploy from Volta on (docs/en/quantization/w4a16.md at 00948ee2), like vLLM's GPTQ.
// KV cache.
// - fp8: FlashInfer from Ampere on, expanded if the GPU has no fp8 (vLLM pull request 45375).
// - int8 and int4: LMDeploy from Volta on (docs/en/quantization/kv_quant.md at 0bf868e8).
// - nvfp4: TensorRT-LLM and FlashInfer on 10.x, not on 12.0 (TensorRT-LLM issue 10241, FlashInfer
//   issue 2143).
constexpr std::array<Support, 5> kSupport{{
    {NumberFormat::bf16, 0, 0},
    {NumberFormat::fp8, 75, 80},
    {NumberFormat::int8, 75, 70},
    {NumberFormat::int4, 70, 70},
    {NumberFormat::nvfp4, 75, 100, 110},
}};

}  // namespace

std::optional<std::string> why_not_on(const Processor& gpu, const Formats& formats) {
  const int capability = gpu.gpu.compute_capability;
  const auto refused = [&](std::string_view what, std::string_view format, std::string_view least) {
    return fmt::format("{} has compute capability {}.{}: {} in {} needs {}", gpu.gpu.name,
                       capability / 10, capability % 10, what, format, least);
  };
  const auto version = [](int times_ten) {
    return fmt::format("{}.{}", times_ten / 10, times_ten % 10);
  };
  for (const Support& one : kSupport) {
    for (const NumberFormat weights : {formats.attention, formats.mlp, formats.experts})
      if (weights == one.format && capability < one.weights)
        return refused("weights", core::enum_name(one.format), version(one.weights));
    if (formats.kv != one.format) continue;
    if (capability < one.kv || (one.kv_below > 0 && capability >= one.kv_below))
      return refused("a KV cache", core::enum_name(one.format),
                     one.kv_below > 0 ? fmt::format("{}.x", one.kv / 10) : version(one.kv));
  }
  return std::nullopt;
}

}  // namespace railyard::placement::serving
