#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/config/config_path.hpp"
#include "core/config/fields.hpp"
#include "placement/measured/training_map_fields.hpp"

namespace railyard::placement::serving {

/// A rule for rows whose cells match all its regular expressions, given by column.
struct ServingRule {
  TextMap when{};
  TextMap set{};         ///< cells that replace those of the row
  std::string reason{};  ///< not empty: rows that match are left out, for this reason
};

/// The configs that correspond to the names in measured serving runs
/// (configs/validation/serving.json).
struct ServingMap {
  std::string name{}, source{};
  TextMap models{};                  ///< name in configs/models by "model_path"
  TextMap clusters{};                ///< name in configs/clusters by "system"
  std::vector<ServingRule> rules{};  ///< applied in order
};

/// Reads a map from a path or a name in configs/validation. Throws InputError with every problem.
[[nodiscard]] ServingMap read_serving_map(const std::string& reference);

}  // namespace railyard::placement::serving

namespace railyard {

template <>
struct core::Fields<placement::serving::ServingRule> {
  using T = placement::serving::ServingRule;
  static constexpr std::string_view name = "ServingRule", doc = "What some of the rows mean.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("when", &T::when, core::required, "regular expressions by column; all must match");
    field("set", &T::set, "cells that replace those of the row");
    field("reason", &T::reason, "leave the rows out, for this reason");
  }
};

template <>
struct core::Fields<placement::serving::ServingMap> {
  using T = placement::serving::ServingMap;
  static constexpr std::string_view name = "ServingMap",
                                    doc =
                                        "Represents measured serving runs by models and clusters.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("name", &T::name, core::required, "its name");
    field("source", &T::source, "the runs that it is made for");
    field("models", &T::models, core::required, "name in configs/models by model_path");
    field("clusters", &T::clusters, core::required, "name in configs/clusters by system");
    field("rules", &T::rules, "applied in order");
  }
  static void check(const T& map, core::Problems& problems) {
    const auto test = [&](const char* key, const placement::TextMap& names) {
      for (const auto& [text, name] : names)
        if (auto missing = core::missing_config(name, key))
          problems.add(core::pointer_to(core::pointer_to("", key), text),
                       std::move(missing->message), std::move(missing->hint));
    };
    test("models", map.models);
    test("clusters", map.clusters);
  }
};

extern template const core::StructType& core::struct_type<placement::serving::ServingRule>();
extern template const core::StructType& core::struct_type<placement::serving::ServingMap>();

}  // namespace railyard
