#include "placement/serving/step/format_support.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace railyard::placement::serving {
namespace {

/// Least compute capability, times ten, for weights and for the KV cache.
struct Support {
  NumberFormat format;
  std::string_view name;
  int weights, kv;
};

// Weights: vLLM's Marlin kernels (vllm, docs/features/quantization/README.md: Ampere and later for
// fp8; int4 by Marlin from Ampere on, nvfp4 expanded likewise). KV cache: fp8 by FlashInfer from
// Ampere on; int8 and int4 by LMDeploy's TurboMind (tested from 7.0 on) and TensorRT-LLM, which
// supports Ampere and later; nvfp4 by TensorRT-LLM on Blackwell.
constexpr std::array<Support, 5> kSupport{{
    {NumberFormat::bf16, "bf16", 0, 0},
    {NumberFormat::fp8, "fp8", 80, 80},
    {NumberFormat::int8, "int8", 75, 75},
    {NumberFormat::int4, "int4", 75, 75},
    {NumberFormat::nvfp4, "nvfp4", 80, 100},
}};

}  // namespace

std::optional<std::string> why_not_on(const Processor& gpu, const Formats& formats) {
  const int capability = gpu.gpu.compute_capability;
  const auto refused = [&](std::string_view what, std::string_view format, int least) {
    return fmt::format("{} has compute capability {}.{}: {} in {} needs {}.{}", gpu.gpu.name,
                       capability / 10, capability % 10, what, format, least / 10, least % 10);
  };
  for (const Support& one : kSupport) {
    for (const NumberFormat weights : {formats.attention, formats.mlp, formats.experts})
      if (weights == one.format && capability < one.weights)
        return refused("weights", one.name, one.weights);
    if (formats.kv == one.format && capability < one.kv)
      return refused("a KV cache", one.name, one.kv);
  }
  return std::nullopt;
}

}  // namespace railyard::placement::serving
