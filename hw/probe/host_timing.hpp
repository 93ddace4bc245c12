#pragma once

#include <optional>

#include "core/units.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::hw {

/// How long collectives between threads of this process take on this host.
struct HostTiming {
  Time launch{};  ///< once a collective
  Time step{};    ///< per step, independent of its bytes
  Bandwidth
      rate{};  ///< of one rank to memory while all ranks are busy, for data outside the caches
  std::optional<Bandwidth> cached_rate{};  ///< where the last-level cache does
  /// How far the rounds of a measurement were apart, at most: the longest over the shortest, less
  /// one. Above kAgreement they did not agree in the end.
  double spread = 0;
  static constexpr double kAgreement = 0.1;
};

/// Measures it by the local executor (hw/local/local_executor.hpp): an all-reduce and an all-gather
/// by ring, which have 2(n-1) and n-1 steps, of 512 bytes a step, and all-reduces of which all
/// ranks' memory together is a quarter of `cache` (zero: not known) and four times it, give launch,
/// step and rates. Each is the median of several runs, as predictions stand beside medians. Such
/// rounds are repeated until two in a row agree within HostTiming::kAgreement, at most five; the
/// median of the rounds counts. All together takes four seconds on an idle machine, ten at most.
/// `node` is a cluster of one node with the ranks. Requires two ranks or more. Throws BackendError:
/// memory.
[[nodiscard]] HostTiming measure_host_timing(const topology::Cluster& node, Bytes cache);

}  // namespace railyard::hw
