#pragma once

#include <memory>

#include "sim/packet/packet_records.hpp"
#include "sim/packet/parameters.hpp"
#include "topology/cluster/faults.hpp"
#include "topology/routing/routing.hpp"

namespace railyard::sim::packet {

/// How PacketNetwork simulates.
struct PacketOptions {
  topology::RoutingOptions routing = {};
  topology::Faults faults = {};  ///< from the start
  Parameters parameters = {};
  /// Extrapolate steady states of long rings (FastForward).
  bool fast_forward = true;
  bool timeline = false;                     ///< fill Run::timeline
  std::shared_ptr<PacketRecords> records{};  ///< where set: filled by a run
  PacketWatch watch{};
};

}  // namespace railyard::sim::packet
