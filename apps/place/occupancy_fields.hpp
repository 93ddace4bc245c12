#pragma once

#include "apps/place/occupancy.hpp"
#include "core/config/fields.hpp"

namespace railyard {

template <>
struct core::EnumNames<apps::TenantPattern> {
  using P = apps::TenantPattern;
  static constexpr std::array<std::pair<P, std::string_view>, 4> table{
      {{P::ring, "ring"}, {P::rails, "rails"}, {P::chain, "chain"}, {P::all_to_all, "all_to_all"}}};
};

template <>
struct core::Fields<apps::Tenant> {
  using T = apps::Tenant;
  static constexpr std::string_view name = "Tenant", doc = "Another job on the cluster.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("name", &T::name, core::required, "what it is called");
    field("nodes", &T::nodes, "its nodes: '0-7,12'");
    field("gpus", &T::gpus, "its GPUs, by rank: '0-3,8-11'");
    field("rate", &T::rate, "what each of its GPUs sends on average: '5 GB/s'");
    field("pattern", &T::pattern,
          "between whom: ring (one over all GPUs, so that a node sends the rate over all its NICs "
          "together), rails (a ring for each GPU of a node, so that each NIC sends it), chain or "
          "all_to_all");
    field("left", &T::left, "until it ends: '3 h'");
    field("state", &T::state, "what has to be copied where it moves: '2.8 TB'");
  }
};

template <>
struct core::Fields<apps::Occupancy> {
  using T = apps::Occupancy;
  static constexpr std::string_view name = "Occupancy", doc = "What of a cluster is taken.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("source", &T::source, "where this comes from");
    field("nodes", &T::nodes, "taken nodes: '0-7,12'");
    field("gpus", &T::gpus, "taken GPUs, by rank: '0-3,8-11'");
    field("jobs", &T::jobs, "jobs that run, with their nodes");
  }
};

}  // namespace railyard
