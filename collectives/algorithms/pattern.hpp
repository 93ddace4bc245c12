#pragma once

#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "collectives/algorithms/pair_via.hpp"
#include "collectives/algorithms/rank_order.hpp"
#include "collectives/algorithms/ring_via.hpp"
#include "collectives/schedule/transfer.hpp"

namespace railyard::collectives {

/// One step of a ring of n ranks, given in ring order by `order`. In iteration k the rank at place
/// p sends piece (p + offset + k * shift) mod n to the rank at place p + 1 (mod n). Piece i
/// consists of `chunks` chunks, starting at chunk i * chunks; or at order[i] * chunks if pieces
/// belong to ranks (all_gather, reduce_scatter). With `ring_size` r > 0 there are n/r independent
/// rings of r consecutive places with r pieces each; the pieces of ring j start at chunk
/// j * ring_stride.
struct RingPattern {
  RankOrder order{};
  std::int64_t offset = 0;
  std::int64_t shift = -1;
  Action action = Action::reduce;
  bool pieces_are_ranks = false;
  std::uint32_t ring_size = 0;
  std::uint64_t ring_stride = 0;
  std::uint64_t chunks = 1;
  std::shared_ptr<const RingVia> via{};  ///< null: every hop uses the nearest NICs of both ends
};

/// One hop of a chain. In iteration k the rank at place `place` of `order` sends the `chunks`
/// chunks from first + k * stride to the rank at the next place (after the last place: the first).
struct HopPattern {
  RankOrder order{};
  std::shared_ptr<const RingVia> via{};
  std::uint32_t place = 0;
  Action action = Action::copy;
  std::uint64_t first = 0;
  std::uint64_t chunks = 1;
  std::int64_t stride = 1;
};

/// One edge of a tree or star. `chunk` is added to the first chunk of its pattern. A NIC of -1 is
/// the nearest one.
struct Edge {
  Participant source = kNoParticipant;
  Participant destination = kNoParticipant;
  Participant relay = kNoParticipant;
  std::int8_t source_nic = -1;
  std::int8_t destination_nic = -1;
  std::uint64_t chunk = 0;
};

/// Transfers along edges: in iteration k every edge carries the `chunks` chunks from
/// first + edge.chunk + k * stride.
struct EdgePattern {
  std::shared_ptr<const std::vector<Edge>> edges{};
  Action action = Action::copy;
  std::uint64_t first = 0;
  std::uint64_t chunks = 1;
  std::int64_t stride = 1;
};

/// An explicit list of transfers. In iteration k their first chunks are increased by k * stride.
struct ListPattern {
  std::shared_ptr<const std::vector<Transfer>> transfers{};
  std::int64_t stride = 0;
};

/// One step of recursive halving (reduce) or doubling (copy) over the 2^m ranks at the places of
/// `order`, with 2^m pieces of data. Place p exchanges with place p xor distance. In halving a rank
/// sends the pieces that its partner keeps; in doubling it sends the pieces that it has completed.
/// Far first: distance 2^(m-1) halves the full data, and place p ends with piece p. Near first:
/// distance 1 halves the full data, so that most bytes stay between near ranks, and place p ends
/// with piece bitreverse(p).
struct ExchangePattern {
  RankOrder order{};
  std::uint64_t distance = 1;
  Action action = Action::reduce;
  std::uint64_t chunks = 1;  ///< chunks per piece
  bool near_first = false;
};

/// Rounds [first_round, first_round + rounds) of an all-to-all over the n ranks of `order`, in
/// NCCL's order (NCCL 2.30). Ranks form groups of `group_size`. In round r every rank sends one
/// block to one peer. With q = r / group_size and m = r mod group_size, the peer of the rank at
/// place w of group g is place (w + m) mod group_size of group g + group_deltas[q] (cyclically). In
/// round 0 the peer is the rank itself. The block from rank s to rank d is chunk s*n+d. Transfer i
/// belongs to round first_round + i / n.
struct PairPattern {
  RankOrder order{};
  std::uint32_t group_size = 1;  ///< divides n
  std::uint64_t first_round = 1;
  std::uint64_t rounds = 1;
  std::shared_ptr<const std::vector<std::uint32_t>> group_deltas{};
  /// Null: every transfer uses the nearest NICs of both ends.
  std::shared_ptr<const PairVia> via{};
};

/// One step of PAT (NCCL's parallel aggregated trees) over n ranks with blocks of one chunk. In
/// all_gather (copy), rank p sends to rank p + distance the blocks of ranks p - 2 * distance * t (t
/// = 0, 1, ...) that it has; large distances come first. In reduce_scatter (reduce) the same edges
/// are used in reverse, small distances first.
struct PatPattern {
  std::uint32_t ranks = 0;
  std::uint32_t distance = 1;  ///< a power of two below `ranks`
  Action action = Action::copy;
};

/// One phase of the hierarchical all-to-all over `nodes` x `per_node` ranks; the rank (k, l) is at
/// place k * per_node + l. exchange_inside: (k, l) sends to (k, l') its blocks for all (k', l'),
/// for each l' on its node. exchange_rails: (k, l) sends to (k', l) all blocks of its node for that
/// rank.
struct GridPattern {
  enum class Phase : std::uint8_t { exchange_inside, exchange_rails };
  RankOrder order{};
  std::uint32_t nodes = 1;
  std::uint32_t per_node = 1;
  Phase phase = Phase::exchange_inside;
};

/// The closed set of patterns. Engines access patterns only through size() and at().
using Pattern = std::variant<RingPattern, HopPattern, EdgePattern, ListPattern, ExchangePattern,
                             PairPattern, PatPattern, GridPattern>;

/// The number of transfers of the pattern in one iteration. O(1).
[[nodiscard]] std::uint64_t size(const Pattern& pattern);
/// The i-th transfer of the pattern in iteration k. O(1).
[[nodiscard]] Transfer at(const Pattern& pattern, std::uint64_t i, std::uint64_t k);

}  // namespace railyard::collectives
