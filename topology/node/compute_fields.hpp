#pragma once

#include "core/config/fields.hpp"
#include "topology/node/compute_spec.hpp"

namespace railyard {

template <>
struct core::Fields<topology::ComputeSpec> {
  using T = topology::ComputeSpec;
  static constexpr std::string_view
      name = "Compute",
      doc = "Compute peaks of a GPU and fitted efficiencies (docs/models/compute.md).";
  template <class Visitor>
  static void list(Visitor& field) {
    constexpr core::FieldOptions kShare{.minimum = 0.01, .maximum = 1};
    field("source", &T::source, "source of the values: document, page or measurement");
    field("fp32", &T::fp32, "dense peak of fp32 matrix products, with TF32 if the GPU has it");
    field("fp16", &T::fp16, core::required, "dense peak of fp16 and bf16 matrix products");
    field("fp8", &T::fp8, "dense peak of fp8 matrix products; left out: not supported");
    field("fp4", &T::fp4, "dense peak of fp4 matrix products; left out: not supported");
    field("vector", &T::vector,
          "fp32 peak without tensor cores, for products with rows that are not multiples of 16 "
          "bytes; left out: tensor cores compute all products");
    field("multiprocessors", &T::multiprocessors,
          core::FieldOptions{.required = true, .minimum = 1, .maximum = 1024},
          "streaming multiprocessors of the GPU");
    field("matrix_efficiency", &T::matrix_efficiency, kShare,
          "share of the peak in a tile whose operands are loaded");
    field("fp8_efficiency", &T::fp8_efficiency, kShare, "the same for fp8 products");
    field("fp4_efficiency", &T::fp4_efficiency, kShare, "the same for fp4 products");
    field("tile_load", &T::tile_load, core::FieldOptions{.minimum = 0, .maximum = 10},
          "time to load one step of a 64 x 64 tile / time to multiply it");
    field("wave_tail", &T::wave_tail, core::FieldOptions{.minimum = 0, .maximum = 1},
          "weight of the unfilled part of the last wave");
    field("tile_start", &T::tile_start, "first loads and last stores of a tile");
    field("kernel_start", &T::kernel_start, "start of a kernel on the GPU");
    field("memory_efficiency", &T::memory_efficiency, kShare,
          "share of the memory bandwidth in matrix products");
    field("roofline_norm", &T::roofline_norm, core::FieldOptions{.minimum = 1, .maximum = 100},
          "exponent q: compute time a and memory time b combine to (a^q + b^q)^(1/q)");
    field("stream_efficiency", &T::stream_efficiency, kShare,
          "share of the memory bandwidth in fused elementwise kernels");
    field("eager_efficiency", &T::eager_efficiency, kShare,
          "share of the memory bandwidth in elementwise kernels of an eager framework");
    field("score_efficiency", &T::score_efficiency, kShare,
          "share of the memory bandwidth in softmax and dropout of unfused attention");
    field("attention_efficiency", &T::attention_efficiency, kShare,
          "flash attention forward: share of the fp16 peak");
    field("attention_backward_efficiency", &T::attention_backward_efficiency, kShare,
          "flash attention backward: share of the fp16 peak");
    field(
        "flash2_efficiency", &T::flash2_efficiency, core::FieldOptions{.minimum = 0, .maximum = 1},
        "FlashAttention-2 (2023) forward: share of the fp16 peak; 0: same as attention_efficiency");
    field("flash2_backward_efficiency", &T::flash2_backward_efficiency,
          core::FieldOptions{.minimum = 0, .maximum = 1}, "FlashAttention-2 backward, likewise");
    field("flash1_efficiency", &T::flash1_efficiency, kShare,
          "FlashAttention-1 (2022) and Triton forward: share of the fp16 peak");
    field("flash1_backward_efficiency", &T::flash1_backward_efficiency, kShare,
          "FlashAttention-1 and Triton backward");
    field("sustained_clock", &T::sustained_clock, kShare,
          "clock during training steps / clock in short measurements");
    field("launch", &T::launch, "host time to launch one kernel of the model");
    field("communication_share", &T::communication_share,
          core::FieldOptions{.minimum = 0, .maximum = 1},
          "share of the multiprocessors that an overlapped collective uses");
    field("nvlink_in_step", &T::nvlink_in_step, kShare,
          "collective inside a node: rate during a step / rate alone");
    field("network_in_step", &T::network_in_step, kShare,
          "collective between nodes: rate during a step / rate alone");
    field("rail_crossing", &T::rail_crossing, kShare,
          "further factor on network_in_step for a ring that leaves a node by another NIC than it "
          "enters");
    field("socket_crossing", &T::socket_crossing, kShare,
          "further factor if such a ring has one member on each socket of a node");
    field("reserved", &T::reserved, "GPU memory for contexts, libraries and communicators");
    field("host_bandwidth", &T::host_bandwidth, "bandwidth to host memory, for offloading");
  }
};

// Instantiated once, in the source file: the templates behind a description are large.
extern template const core::StructType& core::struct_type<topology::ComputeSpec>();

}  // namespace railyard
