#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/cli/flag_groups.hpp"
#include "apps/output/rows.hpp"
#include "placement/capacity/fabric/fabric_plan.hpp"

namespace railyard::apps {

/// Flags of `railyard plan fabric`.
struct FabricPlanFlags {
  int gpus = 0;
  std::string node;
  std::string compare = "leaf_spine,clos3,rail_clos,rail_only,dual_plane";
  std::optional<int> radix;
  std::string switch_model;
  std::vector<std::string> oversubscriptions{"1"};
  std::string transport, routing;
  std::uint64_t seed = 1;
  std::string job = "llama3_405b";
  std::optional<int> batch;
  std::string fix;
  std::string fidelity = "flow";
  std::string all_reduce = "1G";
  std::vector<std::string> price_lists, prices;
  int nodes_per_rack = placement::RoomLayout{}.nodes_per_rack;
  double rack_area = placement::RoomLayout{}.square_metres_per_rack;
  OutputFlags output;
};

/// Converts the flags. Adds the files that it reads to `provenance`. Throws InputError with all
/// problems and their flags.
[[nodiscard]] placement::FabricPlanRequest fabric_plan_request(const FabricPlanFlags& flags,
                                                               Provenance& provenance);

}  // namespace railyard::apps
