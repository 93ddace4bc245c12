#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "placement/mapping/exchange.hpp"
#include "placement/mapping/unit_traffic.hpp"
#include "placement/mapping/uplink_times.hpp"

namespace railyard::placement {

/// Loads of the uplinks (trunks of the leaf and pod tiers) by phase, found for units on nodes of
/// their kind and kept up to date while they move. What lies below (NVLink, ports) does not change
/// with nodes of a kind; it enters as a floor per phase.
class UnitLoads {
 public:
  /// A unit and the node that it goes to.
  struct Move {
    std::uint32_t unit = 0, node = 0;
  };
  /// Smaller is better, member by member.
  struct Cost {
    double seconds = 0;         ///< sum over phases of count x busiest trunk
    double uplink_seconds = 0;  ///< sum over phases of count x (busiest leaf + busiest pod trunk)
    double squares = 0;         ///< sum of squared uplink times: falls as load spreads or vanishes
  };
  [[nodiscard]] static bool is_better(const Cost& a, const Cost& b);

  /// Everything must outlive it. `floors` of the composition that the traffic is of.
  UnitLoads(const Tiers& tiers, std::span<const TrafficPhase> phases,
            const EvaluateOptions& options, const UnitTraffic& traffic,
            std::span<const PhaseFloor> floors);

  /// Puts every unit on a node (where they are now is forgotten); the score is that of
  /// Evaluator::score, but infinite where seconds are above `limit`: then nothing else may be asked
  /// until units are placed again.
  MappingScore place(std::span<const std::uint32_t> nodes,
                     double limit = std::numeric_limits<double>::infinity());
  [[nodiscard]] const Cost& cost() const { return cost_; }
  [[nodiscard]] MappingScore score() const;
  /// Seconds of the busiest uplink in one run of a phase; 0 where nothing climbs above a leaf.
  [[nodiscard]] double busiest_uplink(std::size_t phase) const { return phases_[phase].busiest; }
  [[nodiscard]] std::size_t phase_count() const { return phases_.size(); }
  [[nodiscard]] std::uint32_t node(std::uint32_t unit) const { return node_[unit]; }
  [[nodiscard]] std::span<const std::uint32_t> nodes() const { return node_; }
  /// Moves units (all at once: nodes may be exchanged) and updates the cost. Undone by the reverse.
  void apply(std::span<const Move> moves);
  /// A busiest uplink of a phase, as a trunk number, or trunk_count() where all are idle; `draw`
  /// chooses among equals.
  [[nodiscard]] std::size_t busiest(std::size_t phase, std::size_t draw) const;
  /// Edges and group members that were visited by apply: what has been spent.
  [[nodiscard]] std::size_t work() const { return work_; }

 private:
  struct PhaseState {
    double floor = 0;            ///< seconds below the leaves
    double hop_bytes_below = 0;  ///< the same of hop-bytes
    double count = 1;
    double seconds = 0, uplink_seconds = 0, squares = 0;
    double busiest = 0;  ///< seconds of the busiest uplink
    /// Edges and exchanges of the phase, as numbers of the traffic.
    std::size_t first_edge = 0, last_edge = 0, first_exchange = 0, last_exchange = 0;
  };
  [[nodiscard]] Tiers::Nic nic(std::uint32_t unit, std::uint32_t local) const {
    const std::uint32_t node = node_[unit];
    return is_flat_ ? homes_[node] : tiers_->nic(tiers_->first_nic(node) + local);
  }
  void split_by_phase();
  void touch(std::size_t phase, std::size_t uplink, double bytes, double squares);
  void add_edge(const UnitTraffic::Edge& edge, double sign);
  void add_exchange(const UnitTraffic::Exchange& exchange, double sign);
  void add_flat_exchange(const UnitTraffic::Exchange& exchange, double sign);
  void add_touched(double sign);
  void collect(std::span<const Move> moves);
  void find_times(std::size_t phase);
  void measure(std::size_t phase);
  void total();

  const Tiers* tiers_;
  const UnitTraffic* traffic_;
  bool pxn_, is_flat_;
  Exchange exchange_;
  std::size_t base_, width_, leaves_;
  std::vector<UplinkLoads> loads_;  ///< by phase
  UplinkTimes times_;
  std::vector<double> time_;            ///< by phase and uplink
  std::vector<std::uint32_t> touched_;  ///< uplinks whose time is to be found, by phase and uplink
  std::vector<bool> is_touched_;
  std::vector<Tiers::Nic> homes_;  ///< flat: the leaf and pod of a node
  std::vector<std::uint32_t> node_;
  std::vector<PhaseState> phases_;
  Cost cost_;
  std::vector<std::uint32_t> edge_round_, exchange_round_;
  std::vector<std::uint32_t> edges_, exchanges_;
  std::vector<bool> phase_touched_, all_touched_;
  std::vector<Rank> gpus_;
  std::vector<std::uint32_t> at_leaf_, at_pod_, leaf_list_,
      pod_list_;  ///< counts: zero between calls
  std::uint32_t round_ = 0;
  std::size_t work_ = 0;
};

}  // namespace railyard::placement
