#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topology/fabric/fabric_design.hpp"

namespace railyard::placement {

/// The machine room of a cluster, to estimate lengths of cables. Racks fill a square; the switches
/// that a group of racks shares are in its centre.
struct RoomLayout {
  int nodes_per_rack = 4;               ///< DGX H100 SuperPOD reference architecture (RA-11333)
  double square_metres_per_rack = 2.5;  ///< 0.6 m wide, 1.2 m deep, and half of the aisles
  double vertical_metres = 5;           ///< up to the tray and down again at both ends, with slack
  double in_rack_metres = 2;            ///< between a node and a switch in its rack
  double copper_reach = 3;  ///< passive copper at 100 Gb/s per lane (IEEE 802.3ck: 2 m; HDR: 3 m)
  double multimode_reach = 50;  ///< NVIDIA transceiver manual: SR4 and SR8
};

/// Medium of a cable.
enum class CableMedium { copper, multimode, single_mode };

/// The equal cables of one tier.
struct CableRun {
  std::string tier{};  ///< "NIC to leaf", "leaf to spine", "spine to core"
  std::int64_t count = 0;
  Bandwidth speed{};
  double mean_metres = 0, longest_metres = 0;
  CableMedium medium = CableMedium::copper;
};

/// The cables of a fabric, by tier; tiers without cables are omitted. In a group of racks with side
/// s metres, cables run s / 2 on average and at most s along the rows (mean and largest Manhattan
/// distance from the centre of a square), plus vertical_metres. `nodes`: nodes of the cluster;
/// `port`: rate of a port.
[[nodiscard]] std::vector<CableRun> cable_runs(const topology::FabricDesign& design, int nodes,
                                               Bandwidth port, const RoomLayout& room);

}  // namespace railyard::placement
