#pragma once

#include <optional>

#include "core/units.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::hw {

/// Time parameters of collectives between threads of this process on this host.
struct HostTiming {
  Time launch{};  ///< once per collective
  Time step{};    ///< per step, independent of its bytes
  Bandwidth
      rate{};  ///< rate of one rank to memory with all ranks busy, for data outside the caches
  std::optional<Bandwidth> cached_rate{};  ///< for data in the last-level cache
  /// Largest relative difference between rounds of a measurement: longest / shortest - 1. Above
  /// kAgreement the rounds did not agree.
  double spread = 0;
  static constexpr double kAgreement = 0.1;
};

/// Measures these parameters with the local executor (hw/local/local_executor.hpp). Ring all-reduce
/// and all-gather, with 2(n-1) and n-1 steps of 512 bytes, give launch and step. All-reduces in
/// which all ranks' memory together is 1/4 of `cache` (zero: unknown) and 4 times `cache` give the
/// rates. Each value is the median of several runs, because predictions are compared with medians.
/// Rounds are repeated until two in a row agree within HostTiming::kAgreement, at most five times;
/// the result is the median of the rounds. Takes about four seconds on an idle machine, at most
/// ten. `node`: a cluster of one node with the ranks; at least two. Throws BackendError if memory
/// is insufficient.
[[nodiscard]] HostTiming measure_host_timing(const topology::Cluster& node, Bytes cache);

}  // namespace railyard::hw
