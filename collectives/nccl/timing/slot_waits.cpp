#include "collectives/nccl/timing/slot_waits.hpp"

#include <algorithm>
#include <cmath>

#include "collectives/nccl/timing/chunks.hpp"

namespace railyard::collectives::nccl {
namespace {

/// NCCL_P2P_SCHEDULE_GROUP_SIZE (NCCL 2.30 src/enqueue.cc): number of concurrent peers of a
/// channel.
constexpr int kGroup = 8;

/// The use of slots by the busiest connection between nodes.
struct Traffic {
  double slots = 0;        ///< number of slots used, including partly filled ones
  double per_message = 1;  ///< number of slots that are sent and freed together
  bool in_turn = false;    ///< a block must have gone around the ring before the next one starts
};

double pieces(double bytes, double chunk) { return std::max(1.0, std::ceil(bytes / chunk)); }

/// Slots of a ring. With Simple a block has 4 slots, which are sent in pairs; otherwise it has 1
/// slot (NCCL 2.30 src/include/collectives.h, ALLREDUCE_CHUNKSTEPS, ALLREDUCE_SLICESTEPS and
/// similar). Every step uses whole blocks, even if it has less data.
Traffic ring(const Machine& machine, const TimeQuery& query, double channels) {
  const auto bytes = static_cast<double>(query.bytes);
  const auto slot = static_cast<double>(slot_payload(machine.buffers, query.protocol));
  if (query.kind == Kind::broadcast || query.kind == Kind::reduce)
    return {.slots = pieces(bytes / channels, slot)};
  const bool simple = query.protocol == Protocol::simple;
  const double block = simple ? 4 : 1;
  const double steps = (query.kind == Kind::all_reduce ? 2.0 : 1.0) * (machine.ranks - 1);
  const double loops = pieces(bytes / machine.ranks / channels, block * slot);
  return {.slots = loops * steps * block, .per_message = simple ? 2.0 : 1.0, .in_turn = true};
}

Traffic traffic(const Machine& machine, const TimeQuery& query) {
  const double channels = query.channels > 0 ? query.channels : machine.channels;
  const double share = static_cast<double>(query.bytes) / channels;
  switch (query.algorithm) {
    case TuningAlgorithm::ring: return ring(machine, query, channels);
    case TuningAlgorithm::tree: return {.slots = pieces(share, tree_chunk(machine, query))};
    case TuningAlgorithm::nvls_tree: {
      const double heads = static_cast<double>(machine.nvls_channels) * machine.nvls_heads;
      return {.slots =
                  pieces(static_cast<double>(query.bytes) / heads, nvls_chunk(machine, query))};
    }
    case TuningAlgorithm::pat: {
      // The message over the largest distance contains half of the data.
      const auto slot = static_cast<double>(slot_payload(machine.buffers, Protocol::simple));
      return {.slots = pieces(share / 2, slot)};
    }
    case TuningAlgorithm::nvls:
    case TuningAlgorithm::collnet_direct:
    case TuningAlgorithm::collnet_chain: break;
  }
  return {};
}

/// How NCCL's sends to other nodes share channels.
struct Sends {
  P2pPlan plan;
  int channels = 1;   ///< that carry concurrent sends
  int at_once = 1;    ///< concurrent sends of one channel
  double rounds = 1;  ///< successive sends of one channel
  double bytes = 0;   ///< of one send on one of its channels
};

Sends sends_of(const Machine& machine, const TimeQuery& query) {
  const bool to_all = query.kind == Kind::all_to_all;
  const std::int64_t message = to_all ? query.bytes / std::max(machine.ranks, 1) : query.bytes;
  Sends sends{.plan = plan_p2p(machine.sends, message, true)};
  if (query.channels > 0) sends.plan.channels = std::min(sends.plan.channels, query.channels);
  sends.bytes = static_cast<double>(message) / sends.plan.channels;
  sends.channels = sends.plan.channels;
  if (!to_all) return sends;
  // Each group of peers of a node uses other channels, as long as there are enough channels.
  const int peers = machine.ranks_per_node();
  const int groups = (machine.nodes - 1) * ((peers + kGroup - 1) / kGroup);
  const int wanted = groups * sends.plan.channels;
  sends.channels = std::clamp(wanted, 1, std::max(machine.sends.channels, 1));
  sends.at_once = std::min(peers, kGroup);
  sends.rounds = std::ceil(static_cast<double>(wanted) / sends.channels);
  return sends;
}

/// Increases the bytes term so that steps, fill and bytes together take at least `waiting` us.
void lengthen(TimeTerms& terms, double waiting) {
  const double bytes = waiting - terms.steps - terms.fill;
  if (bytes <= terms.bytes) return;
  terms.bytes = bytes;
  terms.bound = Bound::round_trips;
}

}  // namespace

void wait_for_slots(const Machine& machine, const TimeQuery& query, TimeTerms& terms) {
  const double round_trip = machine.round_trips.longest;
  if (machine.nodes == 1 || round_trip <= 0) return;
  const Traffic over = traffic(machine, query);
  if (over.slots <= kSlots) return;
  // The first kSlots slots are free. Each further kSlots slots take one round trip plus one
  // message.
  const double turns = std::ceil(over.slots / kSlots) - 1;
  const double message = terms.bytes * over.per_message / over.slots;
  const double lead = over.in_turn ? round_trip / 2 : terms.steps;
  lengthen(terms, lead + turns * (round_trip + message));
}

void wait_for_shared_slots(const Machine& machine, const TimeQuery& query, TimeTerms& terms) {
  const double round_trip = machine.round_trips.longest;
  if (machine.nodes == 1 || round_trip <= 0 || machine.sends.channels == 0) return;
  const Sends sends = sends_of(machine, query);
  const double slots = pieces(sends.bytes, static_cast<double>(sends.plan.chunk));
  const double depth = std::min(kSlots, kSharedSlots / sends.at_once);
  const double turns = std::ceil(slots / depth);
  const double message = terms.bytes / (sends.rounds * slots);
  lengthen(terms, sends.rounds * turns * (round_trip + message));
}

int sending_channels(const Machine& machine, const TimeQuery& query) {
  return sends_of(machine, query).channels;
}

}  // namespace railyard::collectives::nccl
