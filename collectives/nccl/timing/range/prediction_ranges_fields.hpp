#pragma once

#include "collectives/nccl/timing/range/prediction_ranges.hpp"
#include "core/config/fields.hpp"

namespace railyard {

template <>
struct core::Fields<collectives::nccl::MeasuredPart> {
  using T = collectives::nccl::MeasuredPart;
  static constexpr std::string_view name = "MeasuredPart",
                                    doc = "A part of a machine that measured tables ran on.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("of", &T::of, "what the tables measured");
    field("part", &T::part, core::required, "kind of the part");
    field("name", &T::name, core::required, "its name");
    field("family", &T::family, "parts of one family are relatives");
    field("tables", &T::tables, core::required, "names of the tables");
  }
};

template <>
struct core::Fields<collectives::nccl::RangeClass> {
  using T = collectives::nccl::RangeClass;
  static constexpr std::string_view name = "RangeClass", doc = "A class of predictions.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("of", &T::of, core::required, "what is predicted");
    field("evidence", &T::evidence, "worst evidence of the parts; omitted: any");
    field("several_nodes", &T::several_nodes, "on several nodes or on one; omitted: both");
    field("from", &T::from, "smallest size");
    field("below", &T::below, "sizes below this; 0: all");
    field("generation", &T::generation, "GPU generation; omitted: all");
    field("range_pct", &T::range_pct, core::required,
          "deviation of measured from predicted time in per cent that 80 % of the rows do not "
          "exceed");
    field("rows", &T::rows, "measured rows");
    field("sweeps", &T::sweeps, "sweeps that they are of");
  }
};

template <>
struct core::Fields<collectives::nccl::PredictionRanges> {
  using T = collectives::nccl::PredictionRanges;
  static constexpr std::string_view name = "PredictionRanges",
                                    doc = "How far from predictions measured times lie.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("name", &T::name, core::required, "its name");
    field("source", &T::source, core::required, "the command that wrote it");
    field("measured", &T::measured, core::required, "parts that tables ran on");
    field("classes", &T::classes, core::required, "classes; the first that covers a row counts");
  }
};

extern template const core::StructType& core::struct_type<collectives::nccl::MeasuredPart>();
extern template const core::StructType& core::struct_type<collectives::nccl::RangeClass>();
extern template const core::StructType& core::struct_type<collectives::nccl::PredictionRanges>();

}  // namespace railyard
