#pragma once

#include <string_view>

#include "collectives/nccl/graph/system_graph.hpp"
#include "topology/node/node_spec.hpp"

namespace railyard::collectives::nccl {

/// Puts a System together in NCCL's order: links leave a vertex by falling bandwidth, equal ones in
/// the order in which they were added; the link up the PCIe tree is moved to the end by `finish`.
class SystemBuilder {
 public:
  /// Returns the vertex.
  int add(VertexKind kind, int host);
  /// Links to both ends; adds to the bandwidth of links that are there already.
  void connect_both(int a, int b, PathType type, float bandwidth);
  void connect(int from, int to, PathType type, float bandwidth);
  /// The way from a PCIe function up to its CPU goes through `parent`.
  void set_parent(int vertex, int parent);

  [[nodiscard]] System& system() { return system_; }
  /// Orders the links up and finds the reverse links.
  [[nodiscard]] System finish() &&;

 private:
  void move_link_up_to_the_end(int vertex);

  System system_;
  std::vector<int> parents_;
};

/// Generation of a Broadcom PCIe switch that shows itself as two levels although it is one: 4, 5,
/// or 0 for any other device (NCCL 2.30.7, src/graph/topo.cc, getBcmGen). `level` 0 is the upper
/// one.
[[nodiscard]] int two_level_switch_generation(const topology::PcieSpec& function, int level);

}  // namespace railyard::collectives::nccl
