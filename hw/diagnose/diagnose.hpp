#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/units.hpp"
#include "hw/diagnose/cluster_view.hpp"
#include "hw/diagnose/diagnosis.hpp"
#include "hw/diagnose/pair_run.hpp"

namespace railyard::hw {

/// A healthy test as the caller's model predicts it.
struct ExpectedTest {
  std::string collective{};
  int gpus_per_node = 0;
  Bytes bytes{};
};

struct DiagnoseOptions {
  double least_slowdown = 0.05;  ///< smaller slowdowns (time / healthy time - 1) are not reported
  /// Makes a view of the cluster for nodes and places; empty: assumed_groups().
  std::function<ClusterView(const std::vector<std::string>& nodes,
                            const std::vector<std::string>& places)>
      view{};
  /// Predicts the times of healthy tests; nothing for those that it cannot. Empty: no predictions.
  std::function<std::vector<std::optional<Time>>(std::span<const ExpectedTest> tests)> expected{};
};

/// Finds sick components from pairwise tests. Hypotheses (candidates.hpp) are accepted one after
/// the other while the best makes the tests at least 20 times more likely, prior included
/// (explanation.hpp); then each is compared with its alternatives, the others held. Healthy times
/// are taken from what is not slow, and the search is repeated.
[[nodiscard]] Diagnosis diagnose(std::span<const PairRun> runs, const DiagnoseOptions& options);

}  // namespace railyard::hw
