#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "collectives/schedule/schedule.hpp"
#include "core/id.hpp"
#include "core/units.hpp"
#include "sim/flow/transfer_routes.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/cluster/faults.hpp"
#include "topology/routing/hop.hpp"
#include "topology/routing/leaf_router.hpp"
#include "topology/routing/routing.hpp"

namespace railyard::sim {

/// The transfers of a step of an all-to-all by rounds, in each of which every rank sends once.
struct Rounds {
  const collectives::Step* step = nullptr;
  std::uint64_t ranks = 0, count = 0;
  /// Transfers in a row that go over the same connection; all but the first are like it.
  std::uint64_t alike = 1;
  bool by_rank = false;  ///< the step lists rank by rank instead of round by round
  [[nodiscard]] collectives::Transfer at(std::uint64_t round, std::uint64_t rank) const {
    return step->at((by_rank ? rank * count + round : round * ranks + rank) * alike, 0);
  }
  /// Calls take(transfer) for those of the rounds `numbers`, in the order of the step, and
  /// before(share of them that is done) now and then.
  template <class Before, class Take>
  void visit(std::span<const std::uint64_t> numbers, Before&& before, Take&& take) const {
    const std::uint64_t outer = by_rank ? ranks : numbers.size();
    const std::uint64_t inner = by_rank ? numbers.size() : ranks;
    for (std::uint64_t i = 0; i < outer; ++i) {
      before(static_cast<double>(i) / static_cast<double>(outer));
      for (std::uint64_t k = 0; k < inner; ++k)
        take(by_rank ? at(numbers[k], i) : at(numbers[i], k));
    }
  }
};
/// Nothing for a step of another pattern.
[[nodiscard]] std::optional<Rounds> rounds_of(const collectives::Step& step);
/// Numbers of rounds that hold about `most` transfers to different peers, evenly spaced; all rounds
/// where these hold no more.
[[nodiscard]] std::vector<std::uint64_t> sampled_rounds(const Rounds& rounds, std::uint64_t most);

/// What the transfers of a step of an all-to-all put on links, counted instead of stored one by
/// one: all carry the same bytes, so a link needs one number.
struct TransferLoads {
  Bytes bytes;                  ///< of each transfer
  std::uint64_t transfers = 0;  ///< of the step
  std::uint64_t counted = 0;    ///< fewer where they were sampled
  /// By link: transfers that cross it, each counted with its share.
  std::vector<double> crossings;

  /// Transfers over the same hops inside a node and to or from its leaf: one of them, and how many.
  struct Leg {
    collectives::Transfer transfer;
    std::vector<topology::Hop> hops;
    double count = 0;
  };
  std::vector<Leg> legs;  ///< none where each transfer was routed (routed_loads)
};

struct LoadSetting {
  const topology::Cluster& cluster;
  topology::RoutingOptions routing = {};
  topology::Faults faults = {};
  int threads = 1;  ///< the result is the same for any number
  /// Of more transfers some rounds are counted and scaled up.
  std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  /// Told the share of the transfers that is counted; false ends the count with Stopped.
  std::function<bool(double share)> watch = {};
  /// Balanced and adaptive: the router whose earlier choices count; none: nothing was routed yet.
  topology::LeafRouter* router = nullptr;
};

/// Counts the transfers of a step. On fabrics that topology::LeafRouter knows, a transfer costs a
/// few counters and its hashes, or none where all is sprayed: then transfers are counted by pairs
/// of leaves. Balanced and adaptive paths are chosen in the order of the step. Hops inside nodes
/// are found once per GPU and NIC. Nothing where that is not possible: no pairwise all-to-all,
/// several ports a NIC or NICs a GPU, faults, a relay that sends by another NIC than its nearest.
///
/// A sample takes whole rounds: in each, every rank sends and receives once, so that nodes and
/// ports are loaded as by all. Links between switches are scaled up as SpreadSample says.
[[nodiscard]] std::optional<TransferLoads> transfer_loads(const LoadSetting& setting,
                                                          const collectives::Schedule& schedule,
                                                          std::size_t channel,
                                                          const collectives::Step& step,
                                                          std::uint32_t label);

/// What is told of a transfer that was routed: its hops, and how many transfers it stands for.
using VisitRouted = std::function<void(const collectives::Transfer& transfer,
                                       std::span<const topology::Hop> hops, double count)>;

/// The same on any fabric, with any ports, NICs, faults and relays: every transfer is routed by
/// `routes`, about a microsecond each (balanced: 20), and nothing is kept of it but the
/// path of each connection of balanced and adaptive routing. Nothing for no pairwise all-to-all. Of
/// the setting, `most` and `watch` count.
[[nodiscard]] std::optional<TransferLoads> routed_loads(
    const LoadSetting& setting, TransferRoutes& routes, const collectives::Schedule& schedule,
    std::size_t channel, const collectives::Step& step, std::uint32_t label,
    const VisitRouted& visit = {});

}  // namespace railyard::sim
