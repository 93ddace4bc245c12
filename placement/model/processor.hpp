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

/// A GPU model for computation: its specification, and measured products if a table was loaded.
struct Processor {
  topology::GpuSpec gpu{};
  topology::ComputeSpec spec{};
  GemmTable measured{};  ///< empty: all products by formula
  Power power{};         ///< thermal design power; 0: unknown
  std::optional<topology::PriceSpec> price{};

  [[nodiscard]] const topology::ComputeSpec& compute() const { return spec; }
};

/// Reads a GPU. `reference`: a name in configs/gpus, or a path. Throws InputError if the file has
/// no "compute".
[[nodiscard]] Processor read_processor(const std::string& reference);
/// The processor of a cluster's GPU: the file in configs/gpus with the same "name". Throws
/// InputError if there is none, or it has no "compute".
[[nodiscard]] Processor find_processor(const topology::GpuSpec& gpu);

/// Nominal rate of matrix products. Throws InputError for a precision that the GPU does not
/// support.
[[nodiscard]] FlopRate peak(const Processor& processor, Precision precision);

/// `batch` products of an m x k by a k x n matrix.
struct Product {
  double m = 0, n = 0, k = 0;
  double batch = 1;
  double result_bytes = 0;  ///< memory traffic per element of the result; 0: it is written once
  bool aligned =
      true;  ///< rows in memory are multiples of 16 bytes; others go without matrix units
  [[nodiscard]] double flops() const { return 2 * m * n * k * batch; }
  bool operator==(const Product&) const = default;
};

/// Time of a product at full clock (callers divide it by sustained_clock). If the measured table
/// has the shape, its time; otherwise, with tiles of tm x tn and q = roofline_norm,
///   t0 + min over tiles and splits of k of (compute^q + memory^q)^(1/q)
///   compute = waves · (2·tm·tn·k / (e·peak/SMs) · (1 + c·64(1/tm + 1/tn)) + tile start)
///   memory  = (operands + result + partial sums of a split) / (e2 · bandwidth)
/// A last wave that is not full counts as wave_tail of a full one.
[[nodiscard]] Time product_time(const Processor& processor, Precision precision,
                                const Product& product);

/// Time of a memory-bound kernel that reads and writes `bytes` in total.
[[nodiscard]] Time stream_time(const Processor& processor, double bytes);

/// The work of one flash-attention kernel. Each row of queries attends to `keys` keys, with a
/// causal mask only to those before it.
struct AttentionWork {
  double flops = 0;  ///< useful operations: with a causal mask half of the square
  double rows = 0;   ///< rows of queries, over all heads and sequences
  double keys = 0;   ///< keys per sequence; 0: not given, efficiency as with 8,192 keys
  bool causal = true;
};

/// Time of flash attention at full clock (callers divide it by the clock):
///   t0 + max(flops · u(keys), longest block) / (u(8192) · rate)
///   u(keys) = 1 + (128 + 2r) / keys with a causal mask, else 1 + r / keys
/// A block has 128 rows of queries (backward: of keys). It also computes the masked half of its
/// diagonal tile, and its start and end take the time of r keys (150 forward, 350 backward). The
/// rates are given for 8,192 keys and more, hence u(8192). If there are fewer blocks than
/// multiprocessors, the block that attends to all keys determines the time. flash1 has one rate for
/// all lengths. A forward pass on 8-bit operands is 1.6 times as fast (Shah et al., arXiv
/// 2407.08608, abstract: 1.2 PFLOP/s against 740 TFLOP/s on H100).
[[nodiscard]] Time attention_time(const Processor& processor, AttentionKernel kernel,
                                  const AttentionWork& work, bool backward,
                                  Precision precision = Precision::bf16);

}  // namespace railyard::placement
