#pragma once

#include "core/config/fields.hpp"
#include "topology/node/compute_spec.hpp"

namespace railyard {

template <>
struct core::Fields<topology::ComputeSpec> {
  using T = topology::ComputeSpec;
  static constexpr std::string_view name = "Compute", doc = "What a GPU computes with.";
  template <class Visitor>
  static void list(Visitor& field) {
    constexpr core::FieldOptions kShare{.minimum = 0.01, .maximum = 1};
    field("source", &T::source, "where the numbers are from");
    field("fp32", &T::fp32, "products of fp32 values, TF32 where the GPU has it, dense");
    field("fp16", &T::fp16, core::required, "products of fp16 and bf16 values, dense");
    field("fp8", &T::fp8, "products of fp8 values, dense");
    field("fp4", &T::fp4, "products of fp4 values, dense");
    field("vector", &T::vector,
          "fp32 outside the matrix units: of products whose rows are no multiple of 16 bytes");
    field("multiprocessors", &T::multiprocessors,
          core::FieldOptions{.required = true, .minimum = 1, .maximum = 1024}, "of the GPU");
    field("matrix_efficiency", &T::matrix_efficiency, kShare, "of the peak, in a loaded tile");
    field("fp8_efficiency", &T::fp8_efficiency, kShare, "the same of fp8 products");
    field("fp4_efficiency", &T::fp4_efficiency, kShare, "the same of fp4 products");
    field("tile_load", &T::tile_load, core::FieldOptions{.minimum = 0, .maximum = 10},
          "loading a 64 x 64 tile's step, over multiplying it");
    field("wave_tail", &T::wave_tail, core::FieldOptions{.minimum = 0, .maximum = 1},
          "how much of a full wave the missing part of the last one counts");
    field("tile_start", &T::tile_start, "first loads and last stores of a tile");
    field("kernel_start", &T::kernel_start, "of any kernel, on the GPU");
    field("memory_efficiency", &T::memory_efficiency, kShare, "of the bandwidth, in products");
    field("roofline_norm", &T::roofline_norm, core::FieldOptions{.minimum = 1, .maximum = 100},
          "exponent by which computing and loading add");
    field("stream_efficiency", &T::stream_efficiency, kShare,
          "of the bandwidth, in elementwise kernels");
    field("eager_efficiency", &T::eager_efficiency, kShare,
          "of the bandwidth, in elementwise kernels of an eager framework");
    field("score_efficiency", &T::score_efficiency, kShare,
          "of the bandwidth, in softmax and dropout of unfused attention");
    field("attention_efficiency", &T::attention_efficiency, kShare,
          "flash attention forward, of the fp16 peak");
    field("attention_backward_efficiency", &T::attention_backward_efficiency, kShare,
          "flash attention backward");
    field("flash2_efficiency", &T::flash2_efficiency,
          core::FieldOptions{.minimum = 0, .maximum = 1},
          "flash attention of 2023 forward, of the fp16 peak; 0: it is the best kernel");
    field("flash2_backward_efficiency", &T::flash2_backward_efficiency,
          core::FieldOptions{.minimum = 0, .maximum = 1}, "and backward");
    field("flash1_efficiency", &T::flash1_efficiency, kShare,
          "flash attention of 2022 (and Triton's) forward, of the fp16 peak");
    field("flash1_backward_efficiency", &T::flash1_backward_efficiency, kShare, "and backward");
    field("sustained_clock", &T::sustained_clock, kShare,
          "clock under the load of a step, over that of short measurements");
    field("launch", &T::launch, "host time per kernel of the model");
    field("communication_share", &T::communication_share,
          core::FieldOptions{.minimum = 0, .maximum = 1}, "of the GPU, that a collective takes");
    field("nvlink_in_step", &T::nvlink_in_step, kShare,
          "rate of a collective inside a node during a step, over alone");
    field("network_in_step", &T::network_in_step, kShare, "the same between nodes");
    field("rail_crossing", &T::rail_crossing, kShare,
          "of that, what a ring gets that leaves a node by another NIC than it enters");
    field("socket_crossing", &T::socket_crossing, kShare,
          "of that, what it gets with one member on each socket of a node");
    field("reserved", &T::reserved, "memory of contexts, libraries and communicators");
    field("host_bandwidth", &T::host_bandwidth, "to the host's memory, for offloading");
  }
};

// Instantiated once, in the source file: the templates behind a description are large.
extern template const core::StructType& core::struct_type<topology::ComputeSpec>();

}  // namespace railyard
