#pragma once

#include "collectives/nccl/timing/fit/system_map.hpp"
#include "core/config/config_path.hpp"
#include "core/config/fields.hpp"
#include "core/text_pattern.hpp"

namespace railyard {

template <>
struct core::Fields<collectives::nccl::SystemRule> {
  using T = collectives::nccl::SystemRule;
  static constexpr std::string_view name = "SystemRule",
                                    doc = "Assigns a cluster to a measured machine.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("gpu", &T::gpu,
          "regular expression for the GPU of a table; matches whole words: H100 does not match "
          "H1000");
    field("intra", &T::intra, "regular expression for the links inside a node");
    field("inter", &T::inter, "regular expression for the network between nodes");
    field("several_nodes", &T::several_nodes,
          "true: only rows with several nodes; false: only rows with one node");
    field("gpus_per_node", &T::gpus_per_node, core::FieldOptions{.minimum = 1},
          "only rows with at most this many GPUs per node");
    field("cluster", &T::cluster, "name in configs/clusters");
    field("unknown", &T::unknown,
          "reason why no shipped cluster represents the machine, in place of cluster");
  }
  static void check(const T& rule, core::Problems& problems) {
    if (rule.cluster.empty() == rule.unknown.empty())
      problems.add("cluster", "a rule has either a cluster or the reason why it is unknown");
    else if (!rule.cluster.empty())
      if (auto missing = core::missing_config(rule.cluster, "clusters"))
        problems.add("cluster", std::move(missing->message), std::move(missing->hint));
  }
};

template <>
struct core::Fields<collectives::nccl::Harness> {
  using T = collectives::nccl::Harness;
  static constexpr std::string_view name = "Harness", doc = "How a benchmark launches collectives.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("name", &T::name, core::required, "name of the benchmark");
    field("launch_mode", &T::launch_mode, core::required, "name in configs/launch_modes");
    field("software", &T::software,
          "regular expression for version, flags and environment of a table");
  }
};

template <>
struct core::Fields<collectives::nccl::ExcludedTable> {
  using T = collectives::nccl::ExcludedTable;
  static constexpr std::string_view name = "ExcludedTable",
                                    doc = "A table that is excluded from predictions.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("table", &T::table, core::required, "name of the table");
    field("reason", &T::reason, core::required, "reason for excluding the table");
  }
};

template <>
struct core::Fields<collectives::nccl::SystemMap> {
  using T = collectives::nccl::SystemMap;
  static constexpr std::string_view name = "SystemMap",
                                    doc = "Assigns clusters to measured tables.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("name", &T::name, core::required, "name of the map");
    field("source", &T::source, "source of the tables");
    field("systems", &T::systems, core::required, "rules; the first match applies");
    field("harnesses", &T::harnesses, "benchmarks; the first match applies");
    field("left_out", &T::left_out, "tables excluded from predictions");
  }
  static void check(const T& map, core::Problems& problems) {
    const auto test = [&](const std::string& pointer, const std::string& text) {
      if (std::string problem = core::TextPattern::problem(text); !problem.empty())
        problems.add(pointer, std::move(problem));
    };
    for (std::size_t i = 0; i < map.systems.size(); ++i) {
      const std::string at = "/systems/" + std::to_string(i) + '/';
      test(at + "gpu", map.systems[i].gpu);
      test(at + "intra", map.systems[i].intra);
      test(at + "inter", map.systems[i].inter);
    }
    for (std::size_t i = 0; i < map.harnesses.size(); ++i)
      test("/harnesses/" + std::to_string(i) + "/software", map.harnesses[i].software);
  }
};

// Instantiated once, in the source file: the templates behind a description are large.
extern template const core::StructType& core::struct_type<collectives::nccl::SystemRule>();
extern template const core::StructType& core::struct_type<collectives::nccl::Harness>();
extern template const core::StructType& core::struct_type<collectives::nccl::ExcludedTable>();
extern template const core::StructType& core::struct_type<collectives::nccl::SystemMap>();

}  // namespace railyard
