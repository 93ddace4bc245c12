#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "topology/cluster/cluster.hpp"

namespace railyard::topology {

/// `count` equal parallel cables between two devices of a cluster under construction. `a_to_b` and
/// `b_to_a` are the latencies of the two directions, `bandwidth` is that of one cable in each.
struct Cable {
  DeviceId a{}, b{};
  LinkKind kind = LinkKind::fabric;
  Bandwidth bandwidth{};
  Time a_to_b{}, b_to_a{};
  int count = 1;
};

/// Collects the devices and links of a cluster, then freezes them. The constructor adds the nodes.
class ClusterBuilder {
 public:
  /// Throws InputError if the nodes of the spec are missing or invalid, if their devices or links
  /// exceed the 32-bit numbering, or if the graph would not fit in the available memory.
  explicit ClusterBuilder(ClusterSpec spec);

  [[nodiscard]] const FabricSpec& fabric() const { return cluster_.spec().fabric; }
  /// The devices and links added so far. Cluster::out_links is not available before freeze().
  [[nodiscard]] const Cluster& cluster() const { return cluster_; }
  /// Every NIC, node by node.
  [[nodiscard]] const std::vector<DeviceId>& nics() const { return nics_; }
  /// The rate of a NIC, by its index in nics().
  [[nodiscard]] Bandwidth nic_rate(std::size_t nic) const;
  /// The rail of a NIC, by its index in nics(): NetSpec::rail, or else its number in the node.
  [[nodiscard]] int nic_rail(std::size_t nic) const;
  /// The rate of the fastest NIC in the cluster; zero if there is no NIC.
  [[nodiscard]] Bandwidth fastest_nic() const { return fastest_nic_; }
  /// The largest number of NICs in a node.
  [[nodiscard]] int most_nics() const { return most_nics_; }
  /// The number of rails: every rail number is below it.
  [[nodiscard]] int rails() const { return rails_; }
  /// The largest number of NICs that a node has on one rail.
  [[nodiscard]] int most_nics_of_rail() const { return most_nics_of_rail_; }

  DeviceId add_switch(const Device& device);
  void connect(const Cable& cable);
  [[nodiscard]] Cluster freeze() &&;

 private:
  void add_nodes();
  void add_node(std::uint32_t shape);

  Cluster cluster_;
  std::vector<DeviceId> nics_;
  void note_nics(const NodeShape& shape);
  Bandwidth fastest_nic_;
  int most_nics_ = 0;
  int rails_ = 0;
  int most_nics_of_rail_ = 0;
};

}  // namespace railyard::topology
