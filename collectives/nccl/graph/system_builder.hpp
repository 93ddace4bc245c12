#pragma once

#include <string_view>

#include "collectives/nccl/graph/system_graph.hpp"
#include "topology/node/node_spec.hpp"

namespace railyard::collectives::nccl {

/// Builds a System whose links have NCCL's order: by decreasing bandwidth; equal links in the order
/// of insertion; the uplink of the PCIe tree last.
class SystemBuilder {
 public:
  /// Returns the vertex.
  int add(VertexKind kind, int host);
  /// Connects both directions. If the links exist, increases their bandwidth.
  void connect_both(int a, int b, PathType type, float bandwidth);
  void connect(int from, int to, PathType type, float bandwidth);
  /// Sets the parent of a PCIe function on its path to the CPU.
  void set_parent(int vertex, int parent);

  [[nodiscard]] System& system() { return system_; }
  /// Moves the uplinks to the end and finds the reverse links.
  [[nodiscard]] System finish() &&;

 private:
  void move_link_up_to_the_end(int vertex);

  System system_;
  std::vector<int> parents_;
};

/// The generation of a Broadcom PCIe switch that appears as two levels in the PCIe tree: 4, 5, or 0
/// for any other device (NCCL 2.30.7, src/graph/topo.cc, getBcmGen). `level` 0 is the upper one.
[[nodiscard]] int two_level_switch_generation(const topology::PcieSpec& function, int level);

}  // namespace railyard::collectives::nccl
