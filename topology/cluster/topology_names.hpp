#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "core/config/enum_names.hpp"
#include "topology/cluster/cluster_spec.hpp"
#include "topology/routing/routing.hpp"

namespace railyard {

template <>
struct core::EnumNames<topology::FabricKind> {
  using Kind = topology::FabricKind;
  static constexpr std::array<std::pair<Kind, std::string_view>, 8> table{
      {{Kind::single_switch, "single_switch"},
       {Kind::leaf_spine, "leaf_spine"},
       {Kind::clos3, "clos3"},
       {Kind::fat_tree, "fat_tree"},
       {Kind::rail_clos, "rail_clos"},
       {Kind::rail_only, "rail_only"},
       {Kind::dual_plane, "dual_plane"},
       {Kind::explicit_list, "explicit"}}};
};

template <>
struct core::EnumNames<topology::Transport> {
  static constexpr std::array<std::pair<topology::Transport, std::string_view>, 3> table{
      {{topology::Transport::infiniband, "infiniband"},
       {topology::Transport::roce, "roce"},
       {topology::Transport::tcp, "tcp"}}};
};

template <>
struct core::EnumNames<topology::RoutingPolicy> {
  using Policy = topology::RoutingPolicy;
  static constexpr std::array<std::pair<Policy, std::string_view>, 5> table{
      {{Policy::rail, "rail"},
       {Policy::ecmp, "ecmp"},
       {Policy::balanced, "balanced"},
       {Policy::adaptive, "adaptive"},
       {Policy::spray, "spray"}}};
};

template <>
struct core::EnumNames<topology::PcieKind> {
  static constexpr std::array<std::pair<topology::PcieKind, std::string_view>, 3> table{
      {{topology::PcieKind::pcie_switch, "switch"},
       {topology::PcieKind::gpu, "gpu"},
       {topology::PcieKind::nic, "nic"}}};
};

}  // namespace railyard
