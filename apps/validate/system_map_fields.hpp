#pragma once

#include <regex>

#include "apps/validate/system_map.hpp"
#include "core/config/fields.hpp"

namespace railyard {

template <>
struct core::Fields<apps::SystemRule> {
  using T = apps::SystemRule;
  static constexpr std::string_view name = "SystemRule",
                                    doc = "Which cluster stands for a measured machine.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("gpu", &T::gpu, "regular expression over the GPU of a table");
    field("intra", &T::intra, "over what joins its GPUs inside a node");
    field("inter", &T::inter, "over what joins its nodes");
    field("several_nodes", &T::several_nodes, "whether it is for rows of more than one node");
    field("cluster", &T::cluster, core::required, "name in configs/clusters");
  }
};

template <>
struct core::Fields<apps::Harness> {
  using T = apps::Harness;
  static constexpr std::string_view name = "Harness", doc = "How a benchmark is driven.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("name", &T::name, core::required, "what it is called");
    field("launch_mode", &T::launch_mode, core::required, "name in configs/launch_modes");
    field("software", &T::software, "regular expression over version, flags and environment");
  }
};

template <>
struct core::Fields<apps::LeftOut> {
  using T = apps::LeftOut;
  static constexpr std::string_view name = "LeftOut", doc = "A table that is not to be judged by.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("table", &T::table, core::required, "its name");
    field("reason", &T::reason, core::required, "why");
  }
};

template <>
struct core::Fields<apps::SystemMap> {
  using T = apps::SystemMap;
  static constexpr std::string_view name = "SystemMap",
                                    doc = "Which clusters stand for measured machines.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("name", &T::name, core::required, "what it is called");
    field("source", &T::source, "whose tables it is for");
    field("systems", &T::systems, core::required, "rules; the first that holds counts");
    field("harnesses", &T::harnesses, "the first that holds counts");
    field("left_out", &T::left_out, "tables that are not to be judged by");
  }
  static void check(const T& map, core::Problems& problems) {
    const auto test = [&](const std::string& pointer, const std::string& text) {
      try {
        const std::regex expression(text, std::regex::icase);
      } catch (const std::regex_error& error) {
        problems.add(pointer, "'" + text + "' is not a regular expression");
      }
    };
    for (std::size_t i = 0; i < map.systems.size(); ++i) {
      const std::string at = "systems/" + std::to_string(i) + '/';
      test(at + "gpu", map.systems[i].gpu);
      test(at + "intra", map.systems[i].intra);
      test(at + "inter", map.systems[i].inter);
    }
    for (std::size_t i = 0; i < map.harnesses.size(); ++i)
      test("harnesses/" + std::to_string(i) + "/software", map.harnesses[i].software);
  }
};

}  // namespace railyard
