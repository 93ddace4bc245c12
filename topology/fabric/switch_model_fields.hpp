#pragma once

#include <array>
#include <utility>

#include "core/config/fields.hpp"
#include "topology/fabric/switch_model.hpp"

namespace railyard {

template <>
struct core::EnumNames<topology::SwitchProtocol> {
  using E = topology::SwitchProtocol;
  static constexpr std::array<std::pair<E, std::string_view>, 2> table{
      {{E::ethernet, "ethernet"}, {E::infiniband, "infiniband"}}};
};

template <>
struct core::Fields<topology::PortMode> {
  using T = topology::PortMode;
  static constexpr std::string_view name = "PortMode",
                                    doc = "Number of ports of a switch if all run at one speed.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("speed", &T::speed, core::required, "speed of a port, per direction");
    field("count", &T::count,
          core::FieldOptions{.required = true, .minimum = 1, .maximum = 100'000},
          "number of ports at this speed");
  }
};

template <>
struct core::Fields<topology::SwitchModel> {
  using T = topology::SwitchModel;
  static constexpr std::string_view name = "SwitchModel", doc = "A switch product.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("name", &T::name, core::required, "product and chip");
    field("source", &T::source, core::required,
          "source of the values: document, page or measurement");
    field("protocol", &T::protocol, core::required, "link layer; RoCE and TCP use ethernet");
    field("ports", &T::ports, core::required,
          "number of ports by speed, fastest first; slower speeds by breakout");
    field("modular", &T::modular, "chassis with line cards");
  }
  static void check(const T& model, core::Problems& problems) {
    if (model.ports.empty()) problems.add("ports", "a switch needs at least one speed");
    for (std::size_t i = 1; i < model.ports.size(); ++i) {
      if (model.ports[i].speed >= model.ports[i - 1].speed)
        problems.add("ports", "speeds must fall", "write the fastest first");
      if (model.ports[i].count % model.ports[0].count != 0)
        problems.add("ports", "a cage breaks out into a whole number of ports",
                     "write a multiple of the ports at the fastest speed");
    }
  }
};

// Instantiated once, in the source file: the templates behind a description are large.
extern template const core::StructType& core::struct_type<topology::PortMode>();
extern template const core::StructType& core::struct_type<topology::SwitchModel>();

}  // namespace railyard
