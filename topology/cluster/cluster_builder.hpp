#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "topology/cluster/cluster.hpp"

namespace railyard::topology {

/// What joins two devices of a cluster under construction: `count` parallel cables of equal kind.
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
  /// Throws InputError where the nodes of the spec do not make a cluster.
  explicit ClusterBuilder(ClusterSpec spec);

  [[nodiscard]] const FabricSpec& fabric() const { return cluster_.spec().fabric; }
  /// What has been built so far; out_links is not there yet.
  [[nodiscard]] const Cluster& cluster() const { return cluster_; }
  /// Every NIC, node by node.
  [[nodiscard]] const std::vector<DeviceId>& nics() const { return nics_; }
  /// The rate of one NIC, by its number in nics().
  [[nodiscard]] Bandwidth nic_rate(std::size_t nic) const;
  /// Its rail: NetSpec::rail, or else its number in the node.
  [[nodiscard]] int nic_rail(std::size_t nic) const;
  /// The fastest NIC of the cluster; zero where there is none.
  [[nodiscard]] Bandwidth fastest_nic() const { return fastest_nic_; }
  /// The most NICs that a node has.
  [[nodiscard]] int most_nics() const { return most_nics_; }
  /// Rails are numbered below this.
  [[nodiscard]] int rails() const { return rails_; }
  /// The most NICs that a node has on one rail.
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
