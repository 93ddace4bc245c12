#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "collectives/rank_order.hpp"
#include "collectives/transfer.hpp"

namespace railyard::collectives {

/// A turn of a ring over `order`: in iteration k, place p sends piece
/// (p + offset + k * shift) mod n to place p + 1. The chunks of that piece are
/// `chunks` from piece * chunks, or from order[piece] * chunks where pieces belong to ranks
/// (all_gather, reduce_scatter).
struct RingPattern {
  RankOrder order;
  std::int64_t offset = 0;
  std::int64_t shift = -1;
  Action action = Action::reduce;
  bool pieces_are_ranks = false;
  std::uint64_t chunks = 1;
  /// Whether the last member of a node hands over through the NIC-side member (PXN), by place in
  /// the order; empty: nobody does.
  std::shared_ptr<const std::vector<Participant>> relays;
};

/// One edge of a tree or star.
struct Edge {
  Participant source = kNoParticipant;
  Participant destination = kNoParticipant;
  Participant relay = kNoParticipant;
  std::int8_t source_nic = -1;
  std::int8_t destination_nic = -1;
};

/// Every edge carries chunks [first + k * stride, + chunks) in iteration k.
struct EdgePattern {
  std::shared_ptr<const std::vector<Edge>> edges;
  Action action = Action::copy;
  std::uint64_t first = 0;
  std::uint64_t chunks = 1;
  std::int64_t stride = 1;
};

/// Transfers written out one by one; in iteration k chunks are shifted by k * stride.
struct ListPattern {
  std::shared_ptr<const std::vector<Transfer>> transfers;
  std::int64_t stride = 0;
};

/// A step of recursive halving (reduce) or doubling (copy) over 2^m places: place p exchanges with
/// p xor distance the piece range that the partner (halving) or itself (doubling) is responsible for.
struct ExchangePattern {
  RankOrder order;          ///< the 2^m places that take part
  std::uint64_t distance = 1;
  Action action = Action::reduce;
  std::uint64_t chunks = 1;  ///< chunks per piece; there are 2^m pieces
};

/// Rounds of an all-to-all over n ranks in NCCL's order (facts/NCCL.md 4.1): in round r every rank
/// sends its block to one peer. Rounds [first_round, first_round + rounds) are one step.
struct PairPattern {
  std::uint32_t ranks = 0;
  std::uint32_t group_size = 1;     ///< NCCL_P2P_SCHEDULE_GROUP_SIZE reduced; divides ranks
  std::uint64_t first_round = 0;
  std::uint64_t rounds = 1;
  std::shared_ptr<const std::vector<std::uint32_t>> group_deltas;  ///< NCCL's visiting order
  /// How bytes cross between nodes; null: from nearest NIC to nearest NIC.
  std::shared_ptr<const class PairVia> via;
};

/// A closed set: engines see only size() and at().
using Pattern = std::variant<RingPattern, EdgePattern, ListPattern, ExchangePattern, PairPattern>;

[[nodiscard]] std::uint64_t size(const Pattern& pattern);
/// The i-th transfer of the pattern in iteration k. O(1).
[[nodiscard]] Transfer at(const Pattern& pattern, std::uint64_t i, std::uint64_t k);

}  // namespace railyard::collectives
