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

/// A kernel of flash attention: of each row of queries with `keys` keys, with a causal mask with
/// those in front of it alone.
struct AttentionWork {
  double flops = 0;  ///< that count: with a causal mask those of half of the square
  double rows = 0;   ///< of all heads and sequences
  double keys = 0;   ///< 0: as many as usual
  bool causal = true;
};

/// Time of flash attention, without sustained_clock:
///   t0 + max(flops · u(keys), longest block) / (u(8192) · rate),   u = 1 + (128 + 2r) / keys
/// Blocks take 128 rows (backward: keys). They compute what the mask cuts off the diagonal, and
/// their start and end take as long as r keys (150, backward 350). Without a mask u is 1 + r /
/// keys. The efficiencies behind the rate are those of 8,192 keys and more. With fewer blocks than
/// multiprocessors the longest counts, which meets all keys. The kernels of 2022 (flash1) have one
/// rate. A forward pass on 8-bit operands is 1.6 times as fast (Shah et al., arXiv 2407.08608,
/// abstract: 1.2 PFLOP/s against 740 TFLOP/s on H100).
[[nodiscard]] Time attention_time(const Processor& processor, AttentionKernel kernel,
                                  const AttentionWork& work, bool backward,
                                  Precision precision = Precision::bf16);

}  // namespace railyard::placement
