#pragma once

#include <string>

#include "core/config/fields.hpp"
#include "core/units.hpp"

namespace railyard::topology {

/// configs/launch_modes/*.json.
struct LaunchMode {
  std::string name{}, source{};
  Time overhead{};
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
    field("name", &T::name, core::required, "what launches a collective");
    field("source", &T::source, "where the number is from");
    field("overhead", &T::overhead, core::required, "time that this adds to each collective");
  }
};

// Instantiated once, in the source file: the templates behind a description are large.
extern template const core::StructType& core::struct_type<topology::LaunchMode>();

}  // namespace railyard
