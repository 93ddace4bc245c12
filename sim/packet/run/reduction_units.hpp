#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/packet/engine/engine.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::sim::packet {

/// The units in fabric switches that reduce data. As in SHARP (Graham et al., "Scalable
/// Hierarchical Aggregation Protocol", COM-HPC 2016, section III), each switch has an aggregation
/// node, an endpoint with reliable connections to the NICs and to other aggregation nodes of a
/// tree. For each port of the switch the unit has two links (one in each direction) of the port's
/// rate and without latency, so that only the ports limit messages. The numbers of its devices and
/// links follow those of the cluster.
///
/// Without NICs that support it ("in_network_reduction") a cluster has no units.
class ReductionUnits {
 public:
  explicit ReductionUnits(const topology::Cluster& cluster);

  void add_to(NetworkSpec& network) const;
  [[nodiscard]] std::size_t link_count() const { return 2 * ports_.size(); }
  /// The link to the unit, for packets that enter a fabric switch over a link of the cluster; kNone
  /// if the cluster has no units.
  [[nodiscard]] std::uint32_t behind(LinkId in) const;
  /// The link from the unit, for packets that leave a fabric switch over a link of the cluster;
  /// kNone if the cluster has no units.
  [[nodiscard]] std::uint32_t before(LinkId out) const;
  /// Whether a link of the engine belongs to a unit and not to the cluster.
  [[nodiscard]] bool has(std::uint32_t link) const { return link >= cluster_.links().size(); }
  /// "reduction unit of pod0/leaf3". Requires has(link).
  [[nodiscard]] std::string name(std::uint32_t link) const;

 private:
  const topology::Cluster& cluster_;
  std::vector<LinkId> ports_{};         ///< links that leave fabric switches
  std::vector<std::uint32_t> links_{};  ///< by link of the cluster that leaves a fabric switch: the
                                        ///< unit's link for it
};

}  // namespace railyard::sim::packet
