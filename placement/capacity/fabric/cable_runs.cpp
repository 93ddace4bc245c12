#include "placement/capacity/fabric/cable_runs.hpp"

#include <algorithm>
#include <cmath>

namespace railyard::placement {
namespace {

CableMedium medium_for(double metres, const RoomLayout& room) {
  if (metres <= room.copper_reach) return CableMedium::copper;
  return metres <= room.multimode_reach ? CableMedium::multimode : CableMedium::single_mode;
}

/// Cables between the nodes of a group of racks and the switches that the group shares.
CableRun run_in_group(int nodes, const RoomLayout& room) {
  CableRun run;
  if (nodes <= room.nodes_per_rack) {
    run.mean_metres = run.longest_metres = room.in_rack_metres;
  } else {
    const int racks = (nodes + room.nodes_per_rack - 1) / room.nodes_per_rack;
    const double side = std::sqrt(racks * room.square_metres_per_rack);
    run.mean_metres = room.vertical_metres + side / 2;
    run.longest_metres = room.vertical_metres + side;
  }
  run.medium = medium_for(run.longest_metres, room);
  return run;
}

}  // namespace

std::vector<CableRun> cable_runs(const topology::FabricDesign& design, int nodes, Bandwidth port,
                                 const RoomLayout& room) {
  const topology::FabricSpec& fabric = design.fabric;
  const bool has_cores = design.tiers[2].switches > 0;
  const int unit = std::min(nodes, fabric.nodes_per_unit.value_or(nodes));
  const int pod =
      has_cores && fabric.units_per_pod ? std::min(nodes, unit * *fabric.units_per_pod) : nodes;
  std::vector<CableRun> runs;
  const auto add = [&](const char* tier, std::int64_t count, int group) {
    if (count == 0) return;
    CableRun run = run_in_group(group, room);
    run.tier = tier;
    run.count = count;
    run.speed = port;
    runs.push_back(std::move(run));
  };
  add("NIC to leaf", design.nic_links, unit);
  add("leaf to spine", design.leaf_links, pod);
  add("spine to core", design.spine_links, nodes);
  return runs;
}

}  // namespace railyard::placement
