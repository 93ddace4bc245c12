#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "placement/model/model.hpp"

namespace railyard::placement {

/// Precision of the matrix products; with 8 and 4 bits weights and activations are 16-bit beside
/// them. fp8 has one scale per tensor; mxfp8 one of 8 bits per 32 values (OCP Microscaling Formats
/// 1.0); nvfp4 one of fp8 per 16 values and one per tensor (arXiv 2509.25149, section 2).
enum class Precision { fp32, fp16, bf16, fp8, mxfp8, nvfp4 };
/// The products of a layer with weights: all, those of attention (QKV and projection), of a dense
/// MLP (shared experts too), of experts; and those that are 16-bit unless a rule says otherwise:
/// attention's own (scores and context) and the head behind the last layer.
enum class LayerPart { layer, attention, mlp, experts, scores, head };
/// All layers; the first_layers and last_layers of a job; the others.
enum class LayerRange { all, edge, inner };
/// The precision of a part of some layers, other than the job's.
struct PrecisionRule {
  LayerPart part = LayerPart::layer;
  LayerRange layers = LayerRange::all;
  Precision precision = Precision::bf16;
  bool operator==(const PrecisionRule&) const = default;
};
/// unfused keeps the attention scores in memory; flash computes them tile by tile, twice, and skips
/// the masked half: the best kernel of the GPU's generation. flash1 is that of 2022 and its Triton
/// version (arXiv 2205.14135), flash2 that of 2023 (arXiv 2307.08691), which does not know Hopper's
/// asynchronous units: both use much less of a newer GPU.
enum class AttentionKernel { unfused, flash, flash1, flash2 };
/// How elementwise work reaches the GPU: fused with its neighbours (Megatron, TransformerEngine,
/// torch.compile), or an operation of the framework at a time (eager PyTorch).
enum class KernelStyle { fused, eager };
/// Kernels of the loss. unfused: an operation of the framework after another, in place on fp32
/// logits; native: compiled together (Megatron-LM's --cross-entropy-fusion-impl native), which
/// keeps fp32 logits and their exponentials; te: TransformerEngine's, which reads 16-bit logits and
/// writes their gradient over them.
enum class LossKernel { unfused, native, te };
/// Type in which gradients are accumulated and reduced.
enum class GradientType { fp16, fp32 };
/// Where a micro-batch's gradient of a weight is added to the sum of a step: in the product that
/// makes it (Megatron-LM since 2022), or by a kernel behind it, as autograd, Megatron-LM before and
/// DeepSpeed do.
enum class GradientSum { fused, separate };
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
  std::vector<PrecisionRule> precisions{};  ///< exceptions; of several that match the last counts
  int first_layers = 0, last_layers = 0;    ///< layers at the edges, for rules that name these
  AttentionKernel attention = AttentionKernel::flash;
  KernelStyle kernels = KernelStyle::fused;
  LossKernel loss = LossKernel::unfused;
  bool narrow_weights = false;  ///< layers' weights are kept and gathered as operands of products
                                ///< (Megatron-LM's --fp8-param-gather), with no 16-bit copy
  GradientType gradients = GradientType::fp32;
  GradientSum gradient_sum = GradientSum::fused;
  MomentType moments = MomentType::fp32;
  /// Inputs of swiglu are kept in 8 bit for the backward pass (DeepSeek-V3, arXiv 2412.19437,
  /// section 3.3.3; Megatron-LM's --activation-func-fp8-input-store).
  bool fp8_act_input = false;
  bool blocking_launches = false;  ///< the host waits for each kernel (CUDA_LAUNCH_BLOCKING=1)
  bool cuda_graphs = false;        ///< passes are replayed: the host launches none of their kernels

  /// Bytes of a weight or an activation in memory.
  [[nodiscard]] int element_bytes() const { return precision == Precision::fp32 ? 4 : 2; }
  [[nodiscard]] int gradient_bytes() const { return gradients == GradientType::fp32 ? 4 : 2; }
  [[nodiscard]] int moment_bytes() const { return moments == MomentType::fp32 ? 4 : 2; }
  /// Bytes of optimizer state per parameter: two moments, and with 16-bit weights a master copy in
  /// fp32.
  [[nodiscard]] int optimizer_bytes() const {
    return (element_bytes() == 2 ? 4 : 0) + 2 * moment_bytes();
  }
  /// Precision of a part of the layers at the edges, or of the others.
  [[nodiscard]] Precision precision_of(LayerPart part, bool edge = false) const;
  /// Whether layers at the edges differ from the others.
  [[nodiscard]] bool has_edges() const;
};

/// Whether operands have 8 bits or fewer: they are made from 16-bit tensors by kernels of their
/// own.
[[nodiscard]] constexpr bool is_narrow(Precision precision) {
  return precision == Precision::fp8 || precision == Precision::mxfp8 ||
         precision == Precision::nvfp4;
}
/// Bytes of an element of a product's operands, with its part of the scales of blocks.
[[nodiscard]] double operand_bytes(Precision precision);

/// Reads a job: name in configs/jobs, or a path; the model is read too. Throws InputError with
/// every problem.
[[nodiscard]] Job read_job(const std::string& reference);

}  // namespace railyard::placement
