#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/units.hpp"
#include "placement/mapping/mapping.hpp"
#include "placement/mapping/tiers.hpp"
#include "placement/mapping/traffic.hpp"
#include "placement/mapping/traffic_walk.hpp"
#include "placement/mapping/trunk_loads.hpp"
#include "placement/mapping/uplink_times.hpp"

namespace railyard::placement {

/// How good a mapping is; smaller is better. Compares `seconds`, then `uplink_seconds`, then
/// `hop_bytes`. Values within 1e-9 count as equal.
struct MappingScore {
  double seconds = 0;         ///< sum over phases of count x time of the busiest trunk
  double uplink_seconds = 0;  ///< the same over trunks of the leaf and pod tiers, summed
  double hop_bytes = 0;       ///< bytes times links on the tree, over all phases
};
/// Whether `a` is smaller than `b` in this order.
[[nodiscard]] bool is_better(const MappingScore& a, const MappingScore& b);

/// Throws InputError if the ranks use several nodes and one of their GPUs has no NIC.
void require_nics(const Mapping& mapping, const Tiers& tiers);

/// The busiest trunk of a tier in a phase.
struct TierLoad {
  TrunkId trunk;     ///< none() if the tier carries nothing
  double bytes = 0;  ///< in one run of the phase
  Time time{};       ///< bytes over bandwidth
};

/// One run of a phase: busiest trunk per tier, by TrunkTier.
struct PhaseLoad {
  std::string name;
  int count = 1;
  std::array<TierLoad, kTrunkTiers> tiers{};
  TrunkTier bound_by = TrunkTier::node;  ///< tier of the busiest trunk overall
  Time time{};
  double hop_bytes = 0;
};

/// How a mapping is scored.
struct EvaluateOptions {
  bool pxn = true;  ///< chains and all-to-alls use the rail of their destination
  /// Uplinks are chosen by a hash (ECMP), so some carry more than their share (UplinkTimes).
  bool hashed = false;
  int flows_per_pair = 1;  ///< queue pairs of a connection, each with a hash of its own
  /// Bandwidth that other jobs leave free, by trunk, in bytes/s; empty: all of it.
  std::span<const double> available{};
  /// The same for routed flows: the free share, by link (left_of_links).
  std::span<const double> left_of_links{};
};

/// One run of a phase below the leaves. It does not change when nodes of one kind are exchanged.
struct PhaseFloor {
  double node = 0,
         port = 0;  ///< seconds of the busiest link inside a node, and of the busiest port of a NIC
  double hop_bytes = 0;  ///< bytes times links, up to the leaves
  [[nodiscard]] double seconds() const { return std::max(node, port); }
};

/// Scores mappings of one job on one cluster. It reuses its buffers between calls.
class Evaluator {
 public:
  /// Tiers, phases and options.available must outlive it.
  Evaluator(const Tiers& tiers, std::span<const TrafficPhase> phases,
            const EvaluateOptions& options);

  /// Time O(ranks x phases + trunks). Infinite if ranks that communicate have no path to each
  /// other. A mapping whose `seconds` exceed `limit` may be reported as infinite.
  [[nodiscard]] MappingScore score(const Mapping& mapping,
                                   double limit = std::numeric_limits<double>::infinity());
  /// `seconds`: count x time of the busiest trunk, by phase. `inside`: the phase uses no links
  /// outside of nodes, so this time holds for every routing.
  struct PhaseSeconds {
    double seconds = 0;
    bool inside = false;
  };
  [[nodiscard]] std::vector<PhaseSeconds> phase_seconds(const Mapping& mapping);
  /// The same in detail. Throws InputError with the trunk if there is no path.
  [[nodiscard]] std::vector<PhaseLoad> phases(const Mapping& mapping);
  /// The load below the leaves, by phase. Empty if count x seconds of the phases exceed `limit`.
  [[nodiscard]] std::vector<PhaseFloor> floors(
      const Mapping& mapping, double limit = std::numeric_limits<double>::infinity());
  [[nodiscard]] std::span<const double> seconds_per_byte() const { return cost_; }

 private:
  void load(const TrafficPhase& phase, const Mapping& mapping);
  /// Seconds of the busiest trunk of a tier, and its number.
  struct Busiest {
    double seconds = 0;
    std::size_t trunk = 0;
  };
  [[nodiscard]] Busiest busiest(TrunkTier tier) const;

  const Tiers* tiers_;
  std::span<const TrafficPhase> phases_;
  std::vector<double> cost_;
  UplinkTimes uplink_times_;
  TrafficWalk walk_;
  TrunkLoads loads_;
  std::vector<std::size_t> floor_order_;  ///< order in which floors() visits the phases
};

/// PXN as NCCL uses it, and hashed uplinks if the fabric of the cluster routes by ECMP.
[[nodiscard]] EvaluateOptions evaluate_options(const topology::Cluster& cluster);

/// Evaluator::phases for one mapping.
[[nodiscard]] std::vector<PhaseLoad> evaluate(const Mapping& mapping,
                                              std::span<const TrafficPhase> phases,
                                              const Tiers& tiers,
                                              const EvaluateOptions& options = {});

}  // namespace railyard::placement
