#pragma once

#include <optional>
#include <string>

#include "core/power.hpp"
#include "core/units.hpp"
#include "placement/model/gemm_table.hpp"
#include "placement/model/job.hpp"
#include "topology/cluster/cluster_spec.hpp"
#include "topology/node/compute_spec.hpp"
#include "topology/node/price_spec.hpp"

namespace railyard::placement {

/// A GPU as a place to compute: its specification and, where one is loaded, measured products.
struct Processor {
  topology::GpuSpec gpu{};
  topology::ComputeSpec spec{};
  GemmTable measured{};  ///< empty: every product by formula
  Power power{};         ///< thermal design power; 0: not known
  std::optional<topology::PriceSpec> price{};

  [[nodiscard]] const topology::ComputeSpec& compute() const { return spec; }
};

/// Reads a GPU (name in configs/gpus, or a path). Throws InputError where it has no "compute".
[[nodiscard]] Processor read_processor(const std::string& reference);
/// The processor of a GPU of a cluster: that of the same "name" in configs/gpus. Throws InputError
/// where there is none, or it has no "compute".
[[nodiscard]] Processor find_processor(const topology::GpuSpec& gpu);

/// Peak of matrix products. Throws InputError for a precision that the GPU does not have.
[[nodiscard]] FlopRate peak(const Processor& processor, Precision precision);

/// A product of an m x k by a k x n matrix, `batch` times.
struct Product {
  double m = 0, n = 0, k = 0;
  double batch = 1;
  double result_bytes = 0;  ///< of memory traffic per element of the result; 0: it is written once
  bool aligned =
      true;  ///< rows in memory are multiples of 16 bytes; others go without matrix units
  [[nodiscard]] double flops() const { return 2 * m * n * k * batch; }
  bool operator==(const Product&) const = default;
};

/// Time of a product, without sustained_clock. From the measured table where it has the shape; else
///   t0 + min over tiles and splits of k of (compute^q + memory^q)^(1/q)
///   compute = waves · (2·tm·tn·k / (e·peak/SMs) · (1 + c·64(1/tm + 1/tn)) + tile start)
///   memory  = (operands + result + partial sums of a split) / (e2 · bandwidth)
/// where a last wave that is not full counts as wave_tail of a full one.
[[nodiscard]] Time product_time(const Processor& processor, Precision precision,
                                const Product& product);

/// Time of a kernel that streams `bytes` through the GPU's memory.
[[nodiscard]] Time stream_time(const Processor& processor, double bytes);

/// Flash attention of `flops` operations (forward or backward count); flash1 and flash2
/// are slower, and a forward pass on 8-bit operands is 1.6 times as fast (Shah et al., arXiv
/// 2407.08608, abstract: 1.2 PFLOP/s against 740 TFLOP/s on H100).
[[nodiscard]] Time attention_time(const Processor& processor, AttentionKernel kernel, double flops,
                                  bool backward, Precision precision = Precision::bf16);

}  // namespace railyard::placement
