#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "placement/model/model.hpp"

namespace railyard::placement {

/// Precision of the matrix products (weights and activations are 16-bit with fp8).
enum class Precision { fp32, fp16, bf16, fp8 };
/// unfused keeps the attention scores in memory; flash computes them tile by tile, twice, and skips
/// the masked half: the best kernel of the GPU's generation. flash1 is that of 2022 and its Triton
/// version (arXiv 2205.14135), flash2 that of 2023 (arXiv 2307.08691), which does not know Hopper's
/// asynchronous units: both use much less of a newer GPU.
enum class AttentionKernel { unfused, flash, flash1, flash2 };
/// How elementwise work reaches the GPU: fused with its neighbours (Megatron, TransformerEngine,
/// torch.compile), or an operation of the framework at a time (eager PyTorch).
enum class KernelStyle { fused, eager };
/// Type in which gradients are accumulated and reduced.
enum class GradientType { fp16, fp32 };
/// Type in which the optimizer keeps its two moments.
enum class MomentType { bf16, fp32 };

/// What is to be trained (configs/jobs/*.json).
struct Job {
  std::string name{};
  std::string source{};
  std::string model_name{};
  Model model{};               ///< read from model_name
  int batch = 0;               ///< sequences of one step, over all GPUs
  std::vector<int> batches{};  ///< others that would train as well, to choose from
  int sequence = 0;
  int encoder_sequence = 0;  ///< of an encoder's input; 0: as the model says
  double tokens = 0;  ///< of the (decoder's) sequences, to train on, 0 where nobody asks for days
  Precision precision = Precision::bf16;
  AttentionKernel attention = AttentionKernel::flash;
  KernelStyle kernels = KernelStyle::fused;
  GradientType gradients = GradientType::fp32;
  MomentType moments = MomentType::fp32;
  /// Inputs of swiglu are kept in 8 bit for the backward pass (DeepSeek-V3, arXiv 2412.19437,
  /// section 3.3.3; Megatron-LM's --activation-func-fp8-input-store).
  bool fp8_act_input = false;
  bool blocking_launches = false;  ///< the host waits for each kernel (CUDA_LAUNCH_BLOCKING=1)

  /// Bytes of a weight or an activation in memory.
  [[nodiscard]] int element_bytes() const { return precision == Precision::fp32 ? 4 : 2; }
  [[nodiscard]] int gradient_bytes() const { return gradients == GradientType::fp32 ? 4 : 2; }
  [[nodiscard]] int moment_bytes() const { return moments == MomentType::fp32 ? 4 : 2; }
  /// Bytes of optimizer state per parameter: two moments, and with 16-bit weights a master copy in
  /// fp32.
  [[nodiscard]] int optimizer_bytes() const {
    return (element_bytes() == 2 ? 4 : 0) + 2 * moment_bytes();
  }
};

/// Reads a job: name in configs/jobs, or a path; the model is read too. Throws InputError with
/// every problem.
[[nodiscard]] Job read_job(const std::string& reference);

}  // namespace railyard::placement
