#pragma once

#include "core/units.hpp"
#include "topology/cluster/cluster_spec.hpp"

namespace railyard::sim::testing {

/// A fabric with RoCE: the packet headers of its transport, and 1 us of latency per port.
inline topology::FabricSpec roce(topology::FabricSpec spec) {
  spec.transport = topology::Transport::roce;
  spec.packet_overhead = {};
  spec.port_latency = Time::microseconds(1);
  return spec;
}

}  // namespace railyard::sim::testing
