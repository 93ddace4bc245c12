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

/// The nodes of rings that are simulated in place of all nodes: the ring without the middles of its
/// runs of nodes of equal form (RingNodes).
///
/// In K iterations a transfer depends on the K places before it, which lie on ceil(K / g) nodes of
/// g places. A port is affected only by what the ports next to it send. So two nodes have the same
/// times in every ring if the ceil(K / g) nodes before each of them have equal forms and so have
/// the nodes behind them, whatever follows further on (nodes with isomorphic surroundings have
/// equal states: Boldi and Vigna, "Fibrations of graphs", Discrete Mathematics 243, 2002). Data
/// flow only towards later nodes, and acknowledgements share links with data of the next node.
///
/// So of each run of equal nodes the first ceil(K / g) and the last kAfter are kept, and between
/// them 2 t nodes, where the run repeats every t nodes (RingCut::turn). The later t of them stand
/// for the nodes that are left out, the earlier t are their twins: if the end of the run had an
/// influence, the times of twins would differ.
///
/// Example: K = 46 in a ring of 128 nodes of 8 GPUs on two groups of leaves. Nodes 63 and 127 send
/// over a spine. Of each of the two runs between them 6 + 2 + 2 nodes are kept, 22 of 128 in total.
struct RingSample {
  static constexpr std::uint32_t kAfter = 2;

  std::uint32_t per_node = 1;
  std::vector<std::uint32_t> nodes{};   ///< the nodes that are simulated, in the order of the ring
  std::vector<std::uint32_t> stands{};  ///< by node of the ring: index in `nodes` of the node whose
                                        ///< times it has
  std::vector<std::pair<std::uint32_t, std::uint32_t>> twins{};  ///< indices in `nodes`
  /// By link of the cluster: a link that carries as many bytes in the sample; a none id if there is
  /// no traffic.
  std::vector<LinkId> links{};
  double hops = 1;  ///< packet-hops of the ring / packet-hops of the sample

  [[nodiscard]] std::uint32_t places() const {
    return static_cast<std::uint32_t>(nodes.size()) * per_node;
  }
  /// The place in the sample that represents a place of the ring.
  [[nodiscard]] std::uint32_t place(std::uint32_t place) const {
    return stands[place / per_node] * per_node + place % per_node;
  }
};

/// How runs of equal nodes are shortened.
struct RingCut {
  std::uint32_t per_node = 1;
  std::uint32_t reach = 1;  ///< a transfer depends on so many nodes before its own
  /// The number of nodes after which a run repeats; only multiples of it are left out. It is 2 for
  /// rings that enter even and odd nodes at different GPUs.
  std::uint32_t turn = 1;
};
/// Chooses the nodes of a sample, without links. Nothing if the sample has more than half of the
/// nodes.
[[nodiscard]] std::optional<RingSample> choose_nodes(std::span<const std::uint64_t> forms,
                                                     const RingCut& cut);
/// The ring over the nodes of a sample. Its pieces are some of the pieces of the whole ring.
[[nodiscard]] collectives::RingPattern thinned(const collectives::RingPattern& ring,
                                               const RingSample& sample);
/// Whether each node of a sample has the same form in the ring over the sample (`sampled`) as in
/// the whole ring.
[[nodiscard]] bool has_forms(std::span<const std::uint64_t> sampled,
                             std::span<const std::uint64_t> whole, const RingSample& sample);
/// Computes RingSample::links. `sampled`: the ring over the sample. Requires has_forms().
[[nodiscard]] std::vector<LinkId> links_of(const topology::Cluster& cluster, const RingNodes& whole,
                                           const RingNodes& sampled, const RingSample& sample);

}  // namespace railyard::sim::packet
