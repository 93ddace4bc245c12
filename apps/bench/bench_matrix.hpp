#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "apps/bench/live_cluster.hpp"
#include "apps/output/rows.hpp"
#include "collectives/schedule/group.hpp"
#include "hw/live_measure.hpp"

namespace railyard::apps {

/// What one rank sends to another.
struct PairRow {
  std::uint32_t source = 0, destination = 0;
  std::string source_host, destination_host;
  int rail = -1;  ///< of both, where their number on their host is the same and the hosts differ
  Bytes bytes;
  Time time;  ///< median over iterations
  double bandwidth_GBps = 0;
  double relative = 0;  ///< to the median of all pairs alike (on one host, or across)
};

struct MatrixOptions {
  Bytes bytes;
  hw::Repetition repetition{};
  std::uint64_t seed = 1;
  bool alone = false;  ///< one pair after the other, else disjoint ones at once (tournament())
};

/// Measures every ordered pair; rows by source and destination. A pair's time is that of the slower
/// of its two ranks. `on_round`, where set, is called before each round with their number. Complete
/// at process 0.
[[nodiscard]] std::vector<PairRow> measure_pairs(
    hw::LiveBackend& backend, const LiveHosts& hosts,
    const std::shared_ptr<const collectives::Group>& group, const MatrixOptions& options,
    const std::function<void(std::size_t)>& on_round = {});

/// Pairs at less than this part of the median are slow: "rank 2 (h1) to rank 5 (h3): 1.2 GB/s, 0.31
/// of the median". Then ranks of which every pair is slow: "rank 2 (h1): all 14 pairs that it is
/// in".
inline constexpr double kSlowPair = 0.75;
[[nodiscard]] std::vector<std::string> slow_pairs(const std::vector<PairRow>& rows);

/// source, destination, source_host, destination_host, rail, bytes, time_us, bandwidth_GBps,
/// relative.
[[nodiscard]] RowTable tabulate_pairs(const std::vector<PairRow>& rows);
/// rail, pairs, least_GBps, median_GBps: of pairs across hosts on one rail.
[[nodiscard]] RowTable tabulate_rails(const std::vector<PairRow>& rows);

}  // namespace railyard::apps
