#include "placement/model/processor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "core/config/config_path.hpp"
#include "core/config/enum_names.hpp"
#include "core/diagnostic.hpp"
#include "placement/model/arithmetic.hpp"
#include "placement/model/job_fields.hpp"
#include "topology/node/node_fields.hpp"

namespace railyard::placement {
namespace {

struct Tile {
  double m, n;
};
// Thread-block tiles of CUTLASS's default tensor-op configurations (sm80, sm90).
constexpr std::array kTiles{Tile{256, 128}, Tile{128, 256}, Tile{128, 128}, Tile{128, 64},
                            Tile{64, 128},  Tile{64, 64},   Tile{64, 256},  Tile{256, 64},
                            Tile{32, 128},  Tile{16, 128}};
constexpr std::array kSplits{1.0, 2.0, 4.0, 8.0, 16.0};

/// The parts of a product's time that do not depend on the tile.
struct Work {
  double m, n, k, batch;
  double flops_per_sm;  ///< per second
  double bytes_per_s;
  double operand_bytes;  ///< operands and result
};

double q_norm(double a, double b, double q) {
  const double most = std::max(a, b), least = std::min(a, b);
  return most <= 0 ? 0 : most * std::pow(1 + std::pow(least / most, q), 1 / q);
}

/// Operations per second in a tile whose operands are loaded.
double product_rate(const topology::ComputeSpec& c, const Arithmetic& how, bool aligned) {
  if (!aligned && c.vector > FlopRate() && c.vector < how.peak)
    return c.matrix_efficiency * static_cast<double>(c.vector.per_second());
  return static_cast<double>(how.peak.per_second()) * how.efficiency;
}

/// Seconds with one tile shape and one split of k, or `best` if that is smaller.
double tiled_seconds(const topology::ComputeSpec& c, const Work& w, const Tile& tile, double split,
                     double best) {
  // k advances in steps of 32 elements (CUTLASS's default of a thread block).
  const double k = std::ceil(w.k / split / 32) * 32;
  const double tiles = std::ceil(w.m / tile.m) * std::ceil(w.n / tile.n) * split * w.batch;
  const double filled = tiles / c.multiprocessors, whole = std::ceil(filled);
  const double waves = filled <= 1 ? 1 : filled + c.wave_tail * (whole - filled);
  const double load = c.tile_load * 64 * (1 / tile.m + 1 / tile.n);
  const double each =
      2 * tile.m * tile.n * k / w.flops_per_sm * (1 + load) + c.tile_start.seconds();
  // A split writes and reads fp32 partial sums.
  const double partial = split > 1 ? 8 * w.m * w.n * split * w.batch : 0;
  const double compute = waves * each, memory = (w.operand_bytes + partial) / w.bytes_per_s;
  // The norm is at least its larger argument, so that most tiles need no std::pow.
  if (std::max(compute, memory) >= best) return best;
  return std::min(best, q_norm(compute, memory, c.roofline_norm));
}

/// The value for the width of a precision: 16 or 32 bits, 8 bits, or 4 bits.
template <class T>
T by_width(Precision precision, T wide, T eight, T four) {
  if (precision == Precision::nvfp4) return four;
  return is_narrow(precision) ? eight : wide;
}

// Rows of a thread block of FlashAttention-2 and 3, and its start and end as a number of keys that
// take equal time. The rates of both and of cuDNN for 512 to 16,384 keys follow `slower_by` within
// 3 % (Shah et al., arXiv 2407.08608, figures 5 and 6), with fitted starts of 110 to 220 keys
// forward and 270 to 410 backward. Beyond kUsualKeys, for which the efficiencies are given, rates
// are constant.
constexpr double kBlockRows = 128;
constexpr double kStartKeys = 150, kBackwardStartKeys = 350;
constexpr double kUsualKeys = 8192;

/// Operations that would take the same time at the rate of kUsualKeys keys with a causal mask. They
/// include the masked half of diagonal blocks and the start of each block. If there are too few
/// blocks, they are the longest block's operations times the number of multiprocessors.
double attention_flops(const topology::ComputeSpec& c, const AttentionWork& w, bool backward) {
  if (!(w.keys > 0)) return w.flops;
  const double start = backward ? kBackwardStartKeys : kStartKeys;
  const auto slower_by = [&](double keys, bool causal) {
    return 1 + (causal ? kBlockRows + 2 * start : start) / keys;
  };
  const double all = w.flops * slower_by(std::min(w.keys, kUsualKeys), w.causal);
  const double key_row = w.flops / (w.rows * (w.causal ? w.keys / 2 : w.keys));
  const double longest = key_row * kBlockRows * (w.keys + start) * c.multiprocessors;
  return std::max(all, longest) / slower_by(kUsualKeys, true);
}

}  // namespace

Processor read_processor(const std::string& reference) {
  const auto path = core::resolve_config(reference, "gpus");
  const auto file = core::read_config<topology::GpuFile>(path);
  if (!file.compute)
    throw InputError(path.string(), "/compute", "nothing says how fast this GPU computes",
                     "its peaks and efficiencies, as in configs/gpus/a100_sxm_80.json");
  return {.gpu = file, .spec = *file.compute, .power = file.power, .price = file.price};
}

Processor find_processor(const topology::GpuSpec& gpu) {
  for (const std::string& name : core::config_names("gpus")) {
    const auto root = core::ConfigNode::read(core::resolve_config(name, "gpus"));
    const auto called = root.find("name");
    if (!called || called->text() != gpu.name) continue;
    Processor processor = read_processor(name);
    const topology::GpuSpec shipped = std::exchange(processor.gpu, gpu);
    // An imported node has the name of its GPU, but not the memory.
    if (gpu.memory == Bytes()) processor.gpu.memory = shipped.memory;
    if (gpu.memory_bandwidth == Bandwidth())
      processor.gpu.memory_bandwidth = shipped.memory_bandwidth;
    return processor;
  }
  throw InputError("", "--cluster", fmt::format("no config of a GPU is called '{}'", gpu.name),
                   "a file in configs/gpus of that \"name\" with its \"compute\"");
}

FlopRate peak(const Processor& processor, Precision precision) {
  const topology::ComputeSpec& c = processor.compute();
  const FlopRate rate =
      precision == Precision::fp32 ? c.fp32 : by_width(precision, c.fp16, c.fp8, c.fp4);
  if (rate == FlopRate())
    throw InputError(
        "", "precision",
        fmt::format("{} does not compute in {}", processor.gpu.name, core::enum_name(precision)),
        precision == Precision::nvfp4 ? "fp8 or bf16, or a GPU whose config has compute.fp4"
                                      : "bf16, or fp16 before compute capability 80");
  return rate;
}

Arithmetic arithmetic_of(const Processor& processor, Precision precision) {
  const topology::ComputeSpec& c = processor.compute();
  const double size = operand_bytes(precision);
  return {
      .peak = peak(processor, precision),
      .efficiency = by_width(precision, c.matrix_efficiency, c.fp8_efficiency, c.fp4_efficiency),
      .left_bytes = size,
      .right_bytes = size,
      .result_bytes = std::max(size, 2.0)};
}

Time product_time(const Processor& processor, Precision precision, const Product& p) {
  if (!(p.flops() > 0)) return Time();
  if (!processor.measured.empty() && p.batch == 1) {
    const auto time =
        processor.measured.find(std::llround(p.m), std::llround(p.n), std::llround(p.k));
    if (time) return *time;
  }
  return product_time(processor, arithmetic_of(processor, precision), p);
}

Time product_time(const Processor& processor, const Arithmetic& how, const Product& p) {
  if (!(p.flops() > 0)) return Time();
  const topology::ComputeSpec& c = processor.compute();
  const double result = p.result_bytes > 0 ? p.result_bytes : how.result_bytes;
  const Work work{
      .m = p.m,
      .n = p.n,
      .k = p.k,
      .batch = p.batch,
      .flops_per_sm = product_rate(c, how, p.aligned) / c.multiprocessors,
      .bytes_per_s = processor.gpu.memory_bandwidth.bytes_per_second() * c.memory_efficiency,
      .operand_bytes = p.batch * (how.left_bytes * p.m * p.k + how.right_bytes * p.k * p.n +
                                  result * p.m * p.n)};
  double best = std::numeric_limits<double>::infinity();
  for (const Tile& tile : kTiles) {
    for (const double split : kSplits) {
      if (split > 1 && p.k < 256 * split) break;
      best = tiled_seconds(c, work, tile, split, best);
    }
  }
  return c.kernel_start + Time::from_seconds(best);
}

Time stream_time(const Processor& processor, double bytes) {
  if (!(bytes > 0)) return Time();
  const topology::ComputeSpec& c = processor.compute();
  return c.kernel_start +
         Time::from_seconds(
             bytes / (c.stream_efficiency * processor.gpu.memory_bandwidth.bytes_per_second()));
}

Time attention_time(const Processor& processor, AttentionKernel kernel, const AttentionWork& work,
                    bool backward, Precision precision) {
  if (!(work.flops > 0)) return Time();
  constexpr double kNarrowForward = 1200.0 / 740;
  const topology::ComputeSpec& c = processor.compute();
  const double newest = backward ? c.attention_backward_efficiency : c.attention_efficiency;
  const double first = backward ? c.flash1_backward_efficiency : c.flash1_efficiency;
  const double second = backward ? c.flash2_backward_efficiency : c.flash2_efficiency;
  const double efficiency = kernel == AttentionKernel::flash1                 ? first
                            : kernel == AttentionKernel::flash2 && second > 0 ? second
                                                                              : newest;
  const double faster = is_narrow(precision) && !backward ? kNarrowForward : 1;
  const double per_second = faster * efficiency * static_cast<double>(c.fp16.per_second());
  // Measured steps with flash1 follow one rate from 512 to 65,536 keys (results/training.md, MPT).
  const double flops =
      kernel == AttentionKernel::flash1 ? work.flops : attention_flops(c, work, backward);
  return c.kernel_start + Time::from_seconds(flops / per_second);
}

}  // namespace railyard::placement
