#pragma once

#include <string>

#include "core/config/fields.hpp"
#include "topology/cluster/launch_cost.hpp"

namespace railyard::topology {

/// The contents of configs/launch_modes/*.json. The times are those of LaunchCost.
struct LaunchMode {
  std::string name{}, source{};
  Time overhead{}, host_per_gpu{}, host_per_send{};

  [[nodiscard]] LaunchCost cost() const { return {overhead, host_per_gpu, host_per_send}; }
};

}  // namespace railyard::topology

namespace railyard {

template <>
struct core::Fields<topology::LaunchMode> {
  using T = topology::LaunchMode;
  static constexpr std::string_view name = "LaunchMode",
                                    doc = "How a program launches collectives.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("name", &T::name, core::required, "name of the launch mode");
    field("source", &T::source, "source of the values: document, page or measurement");
    field("overhead", &T::overhead, core::required, "time added to each collective");
    field("host_per_gpu", &T::host_per_gpu,
          "host time per GPU, if one thread drives all GPUs of a node. A call takes at least the "
          "sum of the host times");
    field("host_per_send", &T::host_per_send,
          "host time of that thread per send or receive of each GPU");
  }
};

// Instantiated once, in the source file: the templates behind a description are large.
extern template const core::StructType& core::struct_type<topology::LaunchMode>();

}  // namespace railyard
