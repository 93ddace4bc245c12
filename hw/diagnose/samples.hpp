#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/units.hpp"
#include "hw/diagnose/hypothesis.hpp"
#include "hw/diagnose/pair_run.hpp"

namespace railyard::hw {

/// A size of comparable runs.
struct SizeBaseline {
  Bytes bytes{};
  double log_time = 0;       ///< log of the healthy time in seconds
  double spread = 0;         ///< standard deviation of log time between healthy runs
  double repeat_spread = 0;  ///< standard deviation between two measurements of a run; 0: unknown
  double log_in_place = 0;   ///< median of log (time in place / time out of place)
  double bus_GB = 0;         ///< bus bandwidth times time, equal in all runs; 0: not stated
};

/// Comparable runs: one collective, one number of GPUs, and either the sizes whose time depends
/// little on size (latency) or the larger ones (bandwidth).
struct Stratum {
  std::string collective{};
  int gpus_per_node = 0;
  bool is_latency = false;
  std::vector<SizeBaseline> sizes{};
  double spread = 0;  ///< standard deviation of Sample::slowdown between healthy runs
};

/// A run in a stratum.
struct Sample {
  std::uint32_t run = 0, stratum = 0;
  std::vector<double> log_times{};  ///< by size of the stratum; NaN: not measured
  std::vector<double> in_place{};   ///< log (time in place / time out of place); NaN: not measured
  /// log (time / healthy time), the mean over sizes weighted by 1 / spread^2.
  double slowdown = 0;
};

/// Runs, ready for comparison.
struct Samples {
  std::vector<std::string> nodes{};   ///< by name
  std::vector<std::string> places{};  ///< places of GPUs in a node, by name
  std::vector<RunPorts> ports{};      ///< by run
  std::vector<RunStatus> status{};    ///< by run
  std::vector<int> gpus{};            ///< per node, by run
  std::vector<Stratum> strata{};
  std::vector<Sample> samples{};
  std::vector<std::vector<std::uint32_t>> of_run{};   ///< samples by run
  std::vector<std::vector<std::uint32_t>> of_node{};  ///< runs by node
};

/// Compares runs with each other. The healthy time of a size is the fast mode of its runs. Throws
/// InputError for more than 64 places of GPUs.
[[nodiscard]] Samples sample_runs(std::span<const PairRun> runs);

/// Takes healthy times and spreads from the samples that are not slow (by sample).
void recentre(Samples& samples, const std::vector<bool>& is_slow);

}  // namespace railyard::hw
