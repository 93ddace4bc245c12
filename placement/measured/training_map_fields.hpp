#pragma once

#include <array>

#include "core/config/config_path.hpp"
#include "core/config/fields.hpp"
#include "core/text_pattern.hpp"
#include "placement/measured/training_map.hpp"

namespace railyard {

template <>
struct core::EnumNames<placement::StepUnit> {
  using U = placement::StepUnit;
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
struct core::Fields<placement::RowRule> {
  using T = placement::RowRule;
  static constexpr std::string_view name = "RowRule", doc = "Settings for some rows.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("when", &T::when, "regular expressions by column; all must match");
    field("set", &T::set, core::required, "settings by key");
  }
};

template <>
struct core::Fields<placement::ErrorTargets> {
  using T = placement::ErrorTargets;
  static constexpr std::string_view name = "ErrorTargets", doc = "Error targets.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("mean_pct", &T::mean_pct, "largest mean error, in per cent");
    field("regret_pct", &T::regret_pct, "largest mean regret, in per cent");
    field("tau", &T::tau, "smallest mean Kendall tau");
  }
};

template <>
struct core::Fields<placement::TrainingSet> {
  using T = placement::TrainingSet;
  static constexpr std::string_view name = "TrainingSet", doc = "Measured runs of one kind.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("name", &T::name, core::required, "name of the set");
    field("source", &T::source, "source of the runs, and assumptions about what it does not state");
    field("rows", &T::rows, core::required, "\"csv\", or a JSON pointer with * for every element");
    field("context", &T::context, "regular expression for the text above the rows");
    field("when", &T::when, "rows of the set: regular expressions by column; all must match");
    field("set", &T::set, "settings of all rows: model, cluster, gpus, model.*, job.*, strategy.*");
    field("columns", &T::columns, "settings from columns: column by key");
    field("values", &T::values, "by key: setting for each text of the column");
    field("rules", &T::rules, "settings for some of the rows");
    field("measured", &T::measured, core::required,
          "column of the measurement; with *, the median of several columns");
    field("unit", &T::unit, core::required, "unit of that column");
    field("memory", &T::memory,
          "column of the tensor memory of the fullest GPU, in GiB, without contexts and libraries");
    field("aim", &T::aim, "error targets");
    field("fitted", &T::fitted, "the shipped efficiencies were fitted to runs of this set");
  }
};

template <>
struct core::Fields<placement::LeftOutRows> {
  using T = placement::LeftOutRows;
  static constexpr std::string_view name = "LeftOutRows", doc = "Rows that are excluded.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("rows", &T::rows, core::required, "rows, as in a set");
    field("context", &T::context, "regular expression for the text above the rows");
    field("reason", &T::reason, core::required, "reason for excluding the rows");
  }
};

template <>
struct core::Fields<placement::TrainingMap> {
  using T = placement::TrainingMap;
  static constexpr std::string_view
      name = "TrainingMap",
      doc = "Assigns models, clusters and strategies to measured training runs.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("name", &T::name, core::required, "name of the map");
    field("source", &T::source, "source of the runs");
    field("sets", &T::sets, core::required,
          "sets of runs; a row belongs to every set that it matches");
    field("left_out", &T::left_out, "excluded rows");
  }
  static void check(const T& map, core::Problems& problems) {
    const auto test = [&](const std::string& pointer, const std::string& text) {
      if (std::string problem = core::TextPattern::problem(text); !problem.empty())
        problems.add(pointer, std::move(problem));
    };
    const auto test_all = [&](const std::string& at, const placement::TextMap& expressions) {
      for (const auto& [column, text] : expressions) test(at + "/when/" + column, text);
    };
    const auto find = [&](const std::string& at, const std::string& key, const std::string& name) {
      if (name.empty() || (key != "model" && key != "cluster")) return;
      if (auto missing = core::missing_config(name, key + 's'))
        problems.add(at, std::move(missing->message), std::move(missing->hint));
    };
    const auto find_all = [&](const std::string& at, const placement::TextMap& settings) {
      for (const auto& [key, name] : settings) find(at + "/set/" + key, key, name);
    };
    for (std::size_t i = 0; i < map.sets.size(); ++i) {
      const std::string at = "/sets/" + std::to_string(i);
      test(at + "/context", map.sets[i].context);
      test_all(at, map.sets[i].when);
      find_all(at, map.sets[i].set);
      for (const auto& [key, names] : map.sets[i].values)
        for (const auto& [text, name] : names)
          find(core::pointer_to(at + "/values/" + key, text), key, name);
      for (std::size_t k = 0; k < map.sets[i].rules.size(); ++k) {
        const std::string rule = at + "/rules/" + std::to_string(k);
        test_all(rule, map.sets[i].rules[k].when);
        find_all(rule, map.sets[i].rules[k].set);
      }
    }
    for (std::size_t i = 0; i < map.left_out.size(); ++i)
      test("/left_out/" + std::to_string(i) + "/context", map.left_out[i].context);
  }
};

// Instantiated once, in the source file: the templates behind a description are large.
extern template const core::StructType& core::struct_type<placement::RowRule>();
extern template const core::StructType& core::struct_type<placement::ErrorTargets>();
extern template const core::StructType& core::struct_type<placement::TrainingSet>();
extern template const core::StructType& core::struct_type<placement::LeftOutRows>();
extern template const core::StructType& core::struct_type<placement::TrainingMap>();

}  // namespace railyard
