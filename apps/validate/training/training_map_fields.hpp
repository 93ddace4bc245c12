#pragma once

#include <array>

#include "apps/validate/training/training_map.hpp"
#include "core/config/fields.hpp"

namespace railyard {

template <>
struct core::EnumNames<apps::StepUnit> {
  using U = apps::StepUnit;
  static constexpr std::array<std::pair<U, std::string_view>, 7> table{
      {{U::s, "s"},
       {U::ms, "ms"},
       {U::samples_per_s, "samples_per_s"},
       {U::tokens_per_s, "tokens_per_s"},
       {U::tokens_per_s_gpu, "tokens_per_s_gpu"},
       {U::tflops_recomputed, "tflops_recomputed"},
       {U::tflops_model, "tflops_model"}}};
};

template <>
struct core::Fields<apps::RowRule> {
  using T = apps::RowRule;
  static constexpr std::string_view name = "RowRule", doc = "Settings of some of the rows.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("when", &T::when, "regular expressions by column; all must hold");
    field("set", &T::set, core::required, "values by key");
  }
};

template <>
struct core::Fields<apps::SetAim> {
  using T = apps::SetAim;
  static constexpr std::string_view name = "SetAim", doc = "What errors are aimed at.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("mean_pct", &T::mean_pct, "mean error at most");
    field("regret_pct", &T::regret_pct, "mean regret at most");
    field("tau", &T::tau, "mean Kendall tau at least");
  }
};

template <>
struct core::Fields<apps::TrainingSet> {
  using T = apps::TrainingSet;
  static constexpr std::string_view name = "TrainingSet", doc = "Measured runs of one kind.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("name", &T::name, core::required, "what it is called");
    field("source", &T::source, "what the source leaves open, and what is taken for it");
    field("rows", &T::rows, core::required, "\"csv\", or a JSON pointer with * for every element");
    field("context", &T::context, "regular expression over the texts above the rows");
    field("when", &T::when, "rows of the set: regular expressions by column");
    field("set", &T::set, "what all rows have: model, cluster, gpus, model.*, job.*, strategy.*");
    field("columns", &T::columns, "such keys by the column that says them");
    field("values", &T::values, "by key: what a column's text means");
    field("rules", &T::rules, "settings of some of the rows");
    field("measured", &T::measured, core::required, "column; with * the median of several");
    field("unit", &T::unit, core::required, "of that column");
    field("aim", &T::aim, "what errors are aimed at");
    field("fitted", &T::fitted, "the shipped efficiencies were fitted to runs of this set");
  }
};

template <>
struct core::Fields<apps::LeftOutRows> {
  using T = apps::LeftOutRows;
  static constexpr std::string_view name = "LeftOutRows", doc = "Rows not to be judged by.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("rows", &T::rows, core::required, "as in a set");
    field("context", &T::context, "regular expression over the texts above the rows");
    field("reason", &T::reason, core::required, "why");
  }
};

template <>
struct core::Fields<apps::TrainingMap> {
  using T = apps::TrainingMap;
  static constexpr std::string_view name = "TrainingMap",
                                    doc = "What stands for measured training runs.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("name", &T::name, core::required, "what it is called");
    field("source", &T::source, "whose runs it is for");
    field("sets", &T::sets, core::required, "a row is of every set that it fits");
    field("left_out", &T::left_out, "rows that are not to be judged by");
  }
};

}  // namespace railyard
