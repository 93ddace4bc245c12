#pragma once

#include "collectives/nccl/timing/range/prediction_ranges.hpp"
#include "core/config/fields.hpp"

namespace railyard {

template <>
struct core::Fields<collectives::nccl::MeasuredPart> {
  using T = collectives::nccl::MeasuredPart;
  static constexpr std::string_view name = "MeasuredPart",
                                    doc = "A part of a machine that was measured.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("of", &T::of, "what the tables measured");
    field("part", &T::part, core::required, "kind of the part");
    field("name", &T::name, core::required, "name of the part");
    field("family", &T::family, "parts of one family are related");
    field("tables", &T::tables, core::required, "names of the measured tables");
  }
};

template <>
struct core::Fields<collectives::nccl::RangeClass> {
  using T = collectives::nccl::RangeClass;
  static constexpr std::string_view name = "RangeClass", doc = "A class of predictions.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("of", &T::of, core::required, "what is predicted");
    field("evidence", &T::evidence, "weakest evidence of the parts; left out: any");
    field("several_nodes", &T::several_nodes,
          "true: several nodes; false: one node; left out: both");
    field("from", &T::from, "smallest size");
    field("below", &T::below, "upper limit of the size, exclusive; 0 B: none");
    field("generation", &T::generation, "GPU generation; left out: any");
    field("range_pct", &T::range_pct, core::required,
          "deviation of measured from predicted time, in per cent, that 80 % of the rows do not "
          "exceed");
    field("rows", &T::rows, "number of measured rows");
    field("sweeps", &T::sweeps, "number of sweeps that the rows belong to");
  }
};

template <>
struct core::Fields<collectives::nccl::PredictionRanges> {
  using T = collectives::nccl::PredictionRanges;
  static constexpr std::string_view name = "PredictionRanges",
                                    doc = "Deviations of measured times from predictions.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("name", &T::name, core::required, "name of the file");
    field("source", &T::source, core::required, "command that wrote the file");
    field("measured", &T::measured, core::required, "measured parts");
    field("classes", &T::classes, core::required, "classes; the first match applies");
  }
};

extern template const core::StructType& core::struct_type<collectives::nccl::MeasuredPart>();
extern template const core::StructType& core::struct_type<collectives::nccl::RangeClass>();
extern template const core::StructType& core::struct_type<collectives::nccl::PredictionRanges>();

}  // namespace railyard
