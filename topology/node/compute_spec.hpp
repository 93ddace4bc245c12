#pragma once

#include <string>

#include "core/flop_rate.hpp"
#include "core/units.hpp"

namespace railyard::topology {

/// The compute performance of a GPU: peak rates from its data sheet, and parameters of its
/// generation that are fitted to measured kernels. docs/models/compute.md has the formulas. Key
/// "compute" of configs/gpus/*.json.
struct ComputeSpec {
  std::string source{};
  FlopRate fp32{};    ///< matrix products of fp32 values, with TF32 if the GPU has it
  FlopRate fp16{};    ///< fp16 and bf16, dense
  FlopRate fp8{};     ///< dense; not set: not supported by the GPU
  FlopRate fp4{};     ///< dense; not set: not supported by the GPU
  FlopRate vector{};  ///< fp32 without tensor cores; not set: all products use tensor cores
  /// Streaming multiprocessors of the GPU.
  int multiprocessors = 0;
  double matrix_efficiency = 0.9;  ///< share of the peak in a tile whose operands are loaded
  double fp8_efficiency = 0.8;     ///< the same for fp8 products and the fp8 peak
  double fp4_efficiency = 0.8;     ///< the same for fp4 products and the fp4 peak
  double tile_load = 0.3;  ///< time to load one step of a 64 x 64 tile / time to multiply it
  double wave_tail = 0.5;  ///< weight of the unfilled part of the last wave, from 0 to 1
  Time tile_start{};       ///< first loads and last stores of a tile
  Time kernel_start{};     ///< start of any kernel on the GPU
  double memory_efficiency = 0.8;  ///< share of the memory bandwidth in matrix products
  double roofline_norm = 3.0;  ///< q: compute time a and load time b combine to (a^q + b^q)^(1/q)
  double stream_efficiency = 0.8;  ///< share of the memory bandwidth in elementwise kernels
  /// The same if the framework runs each operation as its own kernel.
  double eager_efficiency = 0.6;
  double score_efficiency = 0.5;  ///< the same in softmax and dropout of unfused attention scores
  double attention_efficiency = 0.6;           ///< flash attention forward, share of the fp16 peak
  double attention_backward_efficiency = 0.5;  ///< flash attention backward, share of the fp16 peak
  double flash2_efficiency = 0;  ///< FlashAttention-2 (2023) forward; 0: it is the best kernel here
  double flash2_backward_efficiency = 0;    ///< FlashAttention-2 backward
  double flash1_efficiency = 0.35;          ///< FlashAttention-1 (2022) forward
  double flash1_backward_efficiency = 0.3;  ///< FlashAttention-1 backward
  double sustained_clock = 1.0;             ///< clock under long load / clock in short measurements
  Time launch{};                            ///< host time of the framework to launch a kernel
  double communication_share = 0;           ///< share of the multiprocessors that a collective uses
  double nvlink_in_step = 1;   ///< collective inside a node: rate during a step / rate alone
  double network_in_step = 1;  ///< collective between nodes: rate during a step / rate alone
  /// Further factor on network_in_step for a ring that leaves a node by another NIC than it enters.
  double rail_crossing = 1;
  /// Further factor if the ring has one member on each socket of a node.
  double socket_crossing = 1;
  Bytes reserved{};            ///< GPU memory for contexts, libraries and communicators
  Bandwidth host_bandwidth{};  ///< to host memory, for offloading
};

}  // namespace railyard::topology
