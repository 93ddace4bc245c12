#pragma once

#include "core/config/fields.hpp"
#include "placement/jobs/occupancy.hpp"

namespace railyard {

template <>
struct core::EnumNames<placement::TenantPattern> {
  using P = placement::TenantPattern;
  static constexpr std::array<std::pair<P, std::string_view>, 4> table{
      {{P::ring, "ring"}, {P::rails, "rails"}, {P::chain, "chain"}, {P::all_to_all, "all_to_all"}}};
};

template <>
struct core::Fields<placement::RunningJob> {
  using T = placement::RunningJob;
  static constexpr std::string_view name = "RunningJob", doc = "A running job.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("name", &T::name, core::required, "name of the job");
    field("nodes", &T::nodes, "nodes of the job: '0-7,12'");
    field("gpus", &T::gpus, "GPUs of the job, by rank: '0-3,8-11'");
    field("rate", &T::rate, "mean send rate per GPU: '5 GB/s'");
    field("pattern", &T::pattern,
          "communication between the GPUs: ring (one ring over all GPUs; a node sends the rate "
          "over all its NICs together), rails (one ring per GPU of a node; each NIC sends the "
          "rate), chain or all_to_all");
    field("left", &T::left, "remaining run time: '3 h'");
    field("state", &T::state, "bytes to copy if the job moves to other nodes: '2.8 TB'");
  }
};

template <>
struct core::Fields<placement::Occupancy> {
  using T = placement::Occupancy;
  static constexpr std::string_view name = "Occupancy",
                                    doc = "The part of a cluster that is in use.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("source", &T::source, "source of the data");
    field("nodes", &T::nodes, "nodes in use: '0-7,12'");
    field("gpus", &T::gpus, "GPUs in use, by rank: '0-3,8-11'");
    field("jobs", &T::jobs, "running jobs with their nodes");
  }
};

// Instantiated once, in the source file: the templates behind a description are large.
extern template const core::StructType& core::struct_type<placement::RunningJob>();
extern template const core::StructType& core::struct_type<placement::Occupancy>();

}  // namespace railyard
