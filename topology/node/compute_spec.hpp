#pragma once

#include <string>

#include "core/flop_rate.hpp"
#include "core/units.hpp"

namespace railyard::topology {

/// What a GPU computes with: the peaks of its data sheet, and a few numbers of its generation that
/// are fitted to measured kernels (docs/models/compute.md). Key "compute" of configs/gpus/*.json.
struct ComputeSpec {
  std::string source{};
  FlopRate fp32{};    ///< matrix products of fp32 values (TF32 where the GPU has it)
  FlopRate fp16{};    ///< fp16 and bf16, dense
  FlopRate fp8{};     ///< dense; not set: the GPU has none
  FlopRate fp4{};     ///< dense; not set: the GPU has none
  FlopRate vector{};  ///< fp32 outside the matrix units; not set: every product runs in those
  int multiprocessors = 0;
  double matrix_efficiency = 0.9;  ///< of the peak, in a tile whose operands are there
  double fp8_efficiency = 0.8;     ///< the same of fp8 products
  double fp4_efficiency = 0.8;     ///< the same of fp4 products
  double tile_load = 0.3;          ///< loading a tile of 64 x 64 per step, over multiplying it
  double wave_tail = 0.5;          ///< of a last wave that is not full, how much counts as full
  Time tile_start{};               ///< first loads and last stores of a tile
  Time kernel_start{};             ///< on the GPU, of any kernel
  double memory_efficiency = 0.8;  ///< of the memory bandwidth, in products
  double roofline_norm = 3.0;      ///< how computing and loading overlap: their q-norm
  double stream_efficiency = 0.8;  ///< of the memory bandwidth, in elementwise kernels
  double eager_efficiency = 0.6;   ///< the same where the framework runs each operation by itself
  double score_efficiency = 0.5;   ///< of it, in softmax and dropout of attention scores
  double attention_efficiency = 0.6;           ///< flash attention forward, of the fp16 peak
  double attention_backward_efficiency = 0.5;  ///< and backward
  double flash2_efficiency = 0;  ///< the same of that of 2023; 0: it is the best kernel here
  double flash2_backward_efficiency = 0;    ///< and backward
  double flash1_efficiency = 0.35;          ///< the same of flash attention of 2022
  double flash1_backward_efficiency = 0.3;  ///< and backward
  double sustained_clock = 1.0;    ///< clock under a long load over that of short measurements
  Time launch{};                   ///< of a kernel by the host's framework
  double communication_share = 0;  ///< of the multiprocessors that a collective takes
  double nvlink_in_step = 1;       ///< rate of a collective inside a node, in a step over alone
  double network_in_step = 1;      ///< and between nodes
  double rail_crossing = 1;        ///< of that, what a ring gets that leaves a node by another NIC
  double socket_crossing = 1;      ///< of that, with one member on each socket of a node
  Bytes reserved{};                ///< contexts, libraries, communicators
  Bandwidth host_bandwidth{};      ///< to the host's memory, for offloading
};

}  // namespace railyard::topology
