#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "collectives/schedule/group.hpp"
#include "hw/live_cluster.hpp"
#include "hw/live_measure.hpp"

namespace railyard::hw {

/// The bandwidth from one rank to another.
struct PairRow {
  std::uint32_t source = 0, destination = 0;
  std::string source_host, destination_host;
  int rail = -1;  ///< rank's number on both hosts, if it is equal and the hosts differ; else -1
  Bytes bytes;
  Time time;  ///< median over iterations
  double bandwidth_GBps = 0;
  double relative = 0;  ///< relative to the median of such pairs (on one host, or between hosts)
};

struct PairOptions {
  Bytes bytes;
  Repetition repetition{};
  std::uint64_t seed = 1;
  bool alone = false;  ///< one pair after another; false: disjoint pairs together (tournament())
};

/// Measures every ordered pair; rows by source and destination. The time of a pair is that of its
/// slower rank. `on_round`, if set, is called before each round with the number of rounds. Complete
/// at process 0.
[[nodiscard]] std::vector<PairRow> measure_pairs(
    LiveBackend& backend, const LiveHosts& hosts,
    const std::shared_ptr<const collectives::Group>& group, const PairOptions& options,
    const std::function<void(std::size_t)>& on_round = {});

/// Pairs below this fraction of the median are slow. slow_pairs() lists them as "rank 2 (h1) to
/// rank 5 (h3): 1.2 GB/s, 0.31 of the median", then ranks whose pairs are all slow as "rank 2 (h1):
/// all its 14 pairs".
inline constexpr double kSlowPair = 0.75;
[[nodiscard]] std::vector<std::string> slow_pairs(const std::vector<PairRow>& rows);

/// The pairs between hosts on one rail.
struct RailBandwidth {
  int rail = 0;
  std::size_t pairs = 0;
  double least_GBps = 0, median_GBps = 0;
};
[[nodiscard]] std::vector<RailBandwidth> rail_bandwidths(const std::vector<PairRow>& rows);

}  // namespace railyard::hw
