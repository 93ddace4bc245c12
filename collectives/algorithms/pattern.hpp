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

/// A turn of a ring over `order`: in iteration k, place p sends piece
/// (p + offset + k * shift) mod n to place p + 1 (mod n). The chunks of that piece are
/// `chunks` from piece * chunks, or from order[piece] * chunks where pieces belong to ranks
/// (all_gather, reduce_scatter).
/// With `ring_size` r > 0 the places are n/r rings of r consecutive places side by side, each with
/// r pieces; the pieces of ring j begin at chunk j * ring_stride.
struct RingPattern {
  RankOrder order{};
  std::int64_t offset = 0;
  std::int64_t shift = -1;
  Action action = Action::reduce;
  bool pieces_are_ranks = false;
  std::uint32_t ring_size = 0;
  std::uint64_t ring_stride = 0;
  std::uint64_t chunks = 1;
  std::shared_ptr<const RingVia> via{};  ///< null: every hop from nearest to nearest NIC
};

/// One hop of a chain: place `place` of `order` sends chunks [first + k * stride, + chunks) to the
/// place after it (the last to the first) in iteration k.
struct HopPattern {
  RankOrder order{};
  std::shared_ptr<const RingVia> via{};
  std::uint32_t place = 0;
  Action action = Action::copy;
  std::uint64_t first = 0;
  std::uint64_t chunks = 1;
  std::int64_t stride = 1;
};

/// One edge of a tree or star. Its chunks begin `chunk` later than its pattern says.
struct Edge {
  Participant source = kNoParticipant;
  Participant destination = kNoParticipant;
  Participant relay = kNoParticipant;
  std::int8_t source_nic = -1;
  std::int8_t destination_nic = -1;
  std::uint64_t chunk = 0;
};

/// Every edge carries chunks [first + edge.chunk + k * stride, + chunks) in iteration k.
struct EdgePattern {
  std::shared_ptr<const std::vector<Edge>> edges{};
  Action action = Action::copy;
  std::uint64_t first = 0;
  std::uint64_t chunks = 1;
  std::int64_t stride = 1;
};

/// Transfers written out one by one; in iteration k chunks are shifted by k * stride.
struct ListPattern {
  std::shared_ptr<const std::vector<Transfer>> transfers{};
  std::int64_t stride = 0;
};

/// A step of recursive halving (reduce) or doubling (copy) over the 2^m places of `order`: place p
/// exchanges with p xor distance the pieces that the partner (halving) or itself (doubling) answers
/// for; there are 2^m pieces. Far first (distance 2^(m-1) halves the most): place p ends with piece
/// p. Near first (distance 1 halves the most, so that most bytes stay near): with piece
/// bitreverse(p).
struct ExchangePattern {
  RankOrder order{};
  std::uint64_t distance = 1;
  Action action = Action::reduce;
  std::uint64_t chunks = 1;  ///< chunks per piece
  bool near_first = false;
};

/// Rounds [first_round, first_round + rounds) of an all-to-all over the n ranks of `order` in
/// NCCL's order (NCCL 2.30: groups of `group_size` ranks visited by `group_deltas`, inside a group
/// delta 0..group_size-1): in round r every rank sends its block to one peer; round 0 is the rank
/// itself. Block s*n+d is one chunk. Transfer i belongs to round first_round + i / n.
struct PairPattern {
  RankOrder order{};
  std::uint32_t group_size = 1;  ///< divides n
  std::uint64_t first_round = 1;
  std::uint64_t rounds = 1;
  std::shared_ptr<const std::vector<std::uint32_t>> group_deltas{};
  std::shared_ptr<const PairVia> via{};  ///< null: from nearest to nearest NIC
};

/// A step of PAT over n ranks (blocks of one chunk). all_gather (copy): rank p sends to p +
/// distance every block that it holds from ranks p - 2 * distance * t; the far distances come
/// first. reduce_scatter (reduce): the same edges backwards, near distances first.
struct PatPattern {
  std::uint32_t ranks = 0;
  std::uint32_t distance = 1;  ///< a power of two below `ranks`
  Action action = Action::copy;
};

/// A phase of the two-phase all-to-all over `nodes` x `per_node` ranks (place = node * per_node +
/// local). Phase exchange_inside: (k, l) hands to (k, l') its blocks for (k', l'), every k'.
/// Phase exchange_rails: (k, l) sends to (k', l) the blocks of its whole node for it.
struct GridPattern {
  enum class Phase : std::uint8_t { exchange_inside, exchange_rails };
  RankOrder order{};
  std::uint32_t nodes = 1;
  std::uint32_t per_node = 1;
  Phase phase = Phase::exchange_inside;
};

/// A closed set: engines see only size() and at().
using Pattern = std::variant<RingPattern, HopPattern, EdgePattern, ListPattern, ExchangePattern,
                             PairPattern, PatPattern, GridPattern>;

[[nodiscard]] std::uint64_t size(const Pattern& pattern);
/// The i-th transfer of the pattern in iteration k. O(1).
[[nodiscard]] Transfer at(const Pattern& pattern, std::uint64_t i, std::uint64_t k);

}  // namespace railyard::collectives
