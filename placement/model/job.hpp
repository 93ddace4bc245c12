#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "placement/model/model.hpp"

namespace railyard::placement {

/// Precision of matrix products. With fp8, mxfp8 and nvfp4 weights and activations between products
/// stay 16-bit. fp8 has one scale per tensor. mxfp8 has one 8-bit scale per 32 values (OCP
/// Microscaling Formats 1.0). nvfp4 has one fp8 scale per 16 values and one fp32 scale per tensor
/// (arXiv 2509.25149, section 2).
enum class Precision { fp32, fp16, bf16, fp8, mxfp8, nvfp4 };
/// Products to which a PrecisionRule applies. `layer`: all products of a layer with weights;
/// `attention`: QKV and output projection; `mlp`: dense MLP and shared experts; `experts`: routed
/// experts. `scores` (Q·K^T and P·V) and `head` (output head) are 16-bit unless a rule names them.
enum class LayerPart { layer, attention, mlp, experts, scores, head };
/// Layers to which a PrecisionRule applies: all; `edge`, which are the job's first_layers and
/// last_layers; or `inner`, which are the others.
enum class LayerRange { all, edge, inner };
/// Precision of some products, where it differs from the job's precision.
struct PrecisionRule {
  LayerPart part = LayerPart::layer;
  LayerRange layers = LayerRange::all;
  Precision precision = Precision::bf16;
  bool operator==(const PrecisionRule&) const = default;
};
/// Kernel of attention. unfused stores the scores in memory. The flash kernels compute scores tile
/// by tile, again in the backward pass, and skip masked tiles. flash is the best kernel for the
/// GPU's generation; flash1 is the version of 2022, its Triton port included (arXiv 2205.14135);
/// flash2 is the version of 2023 (arXiv 2307.08691). flash1 and flash2 do not use Hopper's
/// asynchronous units, so they reach a much smaller part of the peak of newer GPUs.
enum class AttentionKernel { unfused, flash, flash1, flash2 };
/// Kernels of elementwise operations: fused with their neighbours (Megatron-LM, TransformerEngine,
/// torch.compile), or one kernel per framework operation (eager PyTorch).
enum class KernelStyle { fused, eager };
/// Kernels of the cross-entropy loss. unfused: one kernel per framework operation, in place on fp32
/// logits. native: compiled together (Megatron-LM's --cross-entropy-fusion-impl native); keeps fp32
/// logits and their exponentials. te: TransformerEngine's kernel; reads 16-bit logits and
/// overwrites them with their gradient.
enum class LossKernel { unfused, native, te };
/// Type in which gradients are accumulated and reduced.
enum class GradientType { fp16, fp32 };
/// How a micro-batch's weight gradient is added to the sum of the step. fused: by the product that
/// computes it (Megatron-LM since 2022). separate: by a kernel of its own (autograd, DeepSpeed,
/// earlier Megatron-LM).
enum class GradientSum { fused, separate };
/// Type in which the optimizer keeps its two moments.
enum class MomentType { bf16, fp32 };

/// A training job (configs/jobs/*.json): the model, its batch and sequence, and numeric formats.
struct Job {
  std::string name{};
  std::string source{};
  std::string model_name{};
  Model model{};               ///< read from model_name
  int batch = 0;               ///< sequences of one step, over all GPUs
  std::vector<int> batches{};  ///< other acceptable batches, from which a search may choose
  int sequence = 0;
  int encoder_sequence = 0;  ///< tokens of the encoder's input; 0: the model's value
  double tokens = 0;  ///< training tokens (of the decoder, if the model has an encoder); 0: not
                      ///< given, no days
  Precision precision = Precision::bf16;
  std::vector<PrecisionRule> precisions{};  ///< exceptions; the last matching rule applies
  int first_layers = 0, last_layers = 0;    ///< number of edge layers (LayerRange::edge)
  AttentionKernel attention = AttentionKernel::flash;
  KernelStyle kernels = KernelStyle::fused;
  LossKernel loss = LossKernel::unfused;
  bool narrow_weights = false;  ///< layers' weights are kept and gathered as operands of products
                                ///< (Megatron-LM's --fp8-param-gather), with no 16-bit copy
  GradientType gradients = GradientType::fp32;
  GradientSum gradient_sum = GradientSum::fused;
  MomentType moments = MomentType::fp32;
  /// Keep the inputs of swiglu in 8 bits for the backward pass (DeepSeek-V3, arXiv 2412.19437,
  /// section 3.3.3; Megatron-LM's --activation-func-fp8-input-store).
  bool fp8_act_input = false;
  bool blocking_launches = false;  ///< the host waits for each kernel (CUDA_LAUNCH_BLOCKING=1)
  bool cuda_graphs = false;        ///< replay passes as CUDA graphs: the host launches no single
                                   ///< kernels

  /// Bytes of a weight or an activation in memory.
  [[nodiscard]] int element_bytes() const { return precision == Precision::fp32 ? 4 : 2; }
  [[nodiscard]] int gradient_bytes() const { return gradients == GradientType::fp32 ? 4 : 2; }
  [[nodiscard]] int moment_bytes() const { return moments == MomentType::fp32 ? 4 : 2; }
  /// Bytes of optimizer state per parameter: two moments, and an fp32 master copy if weights are
  /// 16-bit.
  [[nodiscard]] int optimizer_bytes() const {
    return (element_bytes() == 2 ? 4 : 0) + 2 * moment_bytes();
  }
  /// Precision of the products `part`, in edge layers or in inner ones.
  [[nodiscard]] Precision precision_of(LayerPart part, bool edge = false) const;
  /// Whether a precision rule makes edge layers differ from inner ones.
  [[nodiscard]] bool has_edges() const;
};

/// Whether operands have 8 bits or fewer, so that separate kernels cast them from 16-bit tensors.
[[nodiscard]] constexpr bool is_narrow(Precision precision) {
  return precision == Precision::fp8 || precision == Precision::mxfp8 ||
         precision == Precision::nvfp4;
}
/// Bytes per element of a product's operand, with its share of the block scales.
[[nodiscard]] double operand_bytes(Precision precision);

/// Reads a job and its model. `reference`: a name in configs/jobs, or a path. Throws InputError
/// that lists every problem.
[[nodiscard]] Job read_job(const std::string& reference);

}  // namespace railyard::placement
