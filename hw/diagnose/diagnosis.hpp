#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/units.hpp"

namespace railyard::hw {

/// Slowdown of a component at one size.
struct SizeEffect {
  std::string collective{};
  int gpus_per_node = 0;
  Bytes bytes{};
  std::size_t runs = 0, slow = 0;  ///< exposed runs, and those counted as slow
  double ratio = 0;                ///< time / healthy time: the median of the slow runs
  double low = 0, high = 0;        ///< their tenth and ninetieth percentile
};

/// A component that is sick, or tests that need a look.
struct Finding {
  /// A name of ComponentKind; or "fluctuation", "slow_run", "failed_runs", "missing_runs",
  /// "cluster".
  std::string kind{};
  std::string component{};  ///< "GPU 1b of n3"
  /// Whether it counts for the exit code: a component or a failure, not a single slow run.
  bool is_sick = false;
  std::vector<std::string> nodes{}, gpus{};
  std::optional<double> ratio{}, low{}, high{};  ///< of the stratum with the largest median
  std::size_t runs = 0, slow = 0, failed = 0;
  std::optional<double> probability{};      ///< among the hypotheses of docs/models/diagnose.md
  std::optional<double> log10_evidence{};   ///< likelihood ratio to the same tests without it
  std::vector<std::string> alternatives{};  ///< as likely up to a factor of 20
  std::string evidence{}, next_test{};
  std::vector<SizeEffect> sizes{};
};

/// Healthy time of a size.
struct Baseline {
  std::string collective{};
  int gpus_per_node = 0;
  Bytes bytes{};
  std::size_t runs = 0;
  Time time{};
  double busbw_GBps = 0;           ///< 0: not stated
  double spread_pct = 0;           ///< between runs
  double repeat_pct = 0;           ///< between the two measurements of a run; 0: unknown
  std::optional<Time> expected{};  ///< as the caller predicts it
};

struct Diagnosis {
  std::size_t nodes = 0, pairs = 0, runs = 0;
  std::vector<Finding> findings{};  ///< sick ones first
  std::vector<Baseline> baselines{};
  /// The slowdown of all runs of a node (time / healthy time - 1) that would have been found in any
  /// node; nothing where no slowdown would.
  std::optional<double> visible_slowdown{};
};

/// Whether a finding counts for the exit code.
[[nodiscard]] bool has_sick(const Diagnosis& diagnosis);

}  // namespace railyard::hw
