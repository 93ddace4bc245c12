#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/packet/engine/engine.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::sim::packet {

/// The units that reduce in switches of the fabric. As in SHARP (Graham et al., "Scalable
/// Hierarchical Aggregation Protocol", COM-HPC 2016, section III), each switch has an aggregation
/// node, an endpoint of its own with reliable connections to the NICs and the other aggregation
/// nodes of a tree. Per port of the switch it has a pair of links of the port's rate and without
/// latency, so that a message is slowed by the ports alone. Devices and links are numbered behind
/// those of the cluster.
///
/// Only where a node has NICs that take part ("in_network_reduction"); without them there are none.
class ReductionUnits {
 public:
  explicit ReductionUnits(const topology::Cluster& cluster);

  void add_to(NetworkSpec& network) const;
  [[nodiscard]] std::size_t link_count() const { return 2 * ports_.size(); }
  /// The link to the unit for packets that come by a link of the cluster into a fabric switch;
  /// kNone where the cluster has no units.
  [[nodiscard]] std::uint32_t behind(LinkId in) const;
  /// The link from the unit for packets that leave a fabric switch by a link of the cluster.
  [[nodiscard]] std::uint32_t before(LinkId out) const;
  /// Whether a link of the engine is one of a unit, which the cluster does not have.
  [[nodiscard]] bool has(std::uint32_t link) const { return link >= cluster_.links().size(); }
  /// "reduction unit of pod0/leaf3"; of a link that has() knows.
  [[nodiscard]] std::string name(std::uint32_t link) const;

 private:
  const topology::Cluster& cluster_;
  std::vector<LinkId> ports_{};         ///< links that leave fabric switches
  std::vector<std::uint32_t> links_{};  ///< by such a link of the cluster: that of the unit
};

}  // namespace railyard::sim::packet
