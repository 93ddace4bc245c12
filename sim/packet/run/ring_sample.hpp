#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "collectives/algorithms/pattern.hpp"
#include "collectives/schedule/schedule.hpp"
#include "sim/packet/packet_options.hpp"
#include "sim/packet/run/ring_nodes.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::sim::packet {

/// Nodes of rings that are simulated for all: the ring without the middles of its runs of nodes of
/// equal form.
///
/// After K iterations a transfer has depended on the K places before it, which are on ceil(K / g)
/// nodes of g places. Each port of a network whose parts follow the same rules sees what the ports
/// next to it send, so a node that has equal forms on those nodes before it, and on the nodes after
/// it, has the same times in every ring, whatever follows further on (equal states along the fibres
/// of a map of networks: Boldi and Vigna, "Fibrations of graphs", Discrete Mathematics 243, 2002).
/// Data flows towards later nodes only, and acknowledgements meet that of the next node. So the
/// first ceil(K / g) nodes of a run are kept, kAfter at its end, and between them twice the nodes
/// of which the others are copies. The two are twins: where the end of the run mattered, their
/// times would differ.
///
/// Example: K = 46 in a ring of 128 nodes of 8 GPUs on two groups of leaves. Nodes 63 and 127 send
/// over a spine; of each of the runs between them 6 + 2 + 2 nodes are kept, 22 of 128 in all.
struct RingSample {
  static constexpr std::uint32_t kAfter = 2;

  std::uint32_t per_node = 1;
  std::vector<std::uint32_t> nodes{};   ///< that are simulated, in the order of the ring
  std::vector<std::uint32_t> stands{};  ///< by node of the ring: the index in `nodes` of its twin
  std::vector<std::pair<std::uint32_t, std::uint32_t>> twins{};  ///< indices in `nodes`
  /// By link of the cluster: one that carries as much in the sample; none where there is no
  /// traffic.
  std::vector<LinkId> links{};
  double hops = 1;  ///< packet-hops of the ring over those of the sample

  [[nodiscard]] std::uint32_t places() const {
    return static_cast<std::uint32_t>(nodes.size()) * per_node;
  }
  /// The place in the sample whose times a place of the ring has.
  [[nodiscard]] std::uint32_t place(std::uint32_t place) const {
    return stands[place / per_node] * per_node + place % per_node;
  }
};

/// How runs are cut.
struct RingCut {
  std::uint32_t per_node = 1;
  std::uint32_t reach = 1;  ///< nodes before it that a transfer depends on
  /// Nodes after which a run repeats: only multiples of it are left out. Nodes of equal form may
  /// need 2, as rings that enter even and odd nodes by different GPUs do.
  std::uint32_t turn = 1;
};
/// The nodes of a sample, without links. Nothing where it would have more than half of the nodes.
[[nodiscard]] std::optional<RingSample> choose_nodes(std::span<const std::uint64_t> forms,
                                                     const RingCut& cut);
/// A ring over the nodes of a sample. Its pieces are some of those of the whole ring.
[[nodiscard]] collectives::RingPattern thinned(const collectives::RingPattern& ring,
                                               const RingSample& sample);
/// Whether the nodes of a sample have the forms of those of the ring that they are.
[[nodiscard]] bool has_forms(std::span<const std::uint64_t> sampled,
                             std::span<const std::uint64_t> whole, const RingSample& sample);
/// The links of a sample. `sampled`: of the schedule over its nodes, which have equal forms.
[[nodiscard]] std::vector<LinkId> links_of(const topology::Cluster& cluster, const RingNodes& whole,
                                           const RingNodes& sampled, const RingSample& sample);

}  // namespace railyard::sim::packet
