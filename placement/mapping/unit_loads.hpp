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

/// Loads of the uplinks (trunks of the leaf and pod tiers) by phase, for units on nodes of their
/// kind. They are updated when units move. The load below the leaves (NVLink, ports) is the same on
/// all nodes of a kind and enters as a floor per phase.
class UnitLoads {
 public:
  /// A unit and its new node.
  struct Move {
    std::uint32_t unit = 0, node = 0;
  };
  /// Smaller is better; members are compared in order.
  struct Cost {
    double seconds = 0;         ///< sum over phases of count x busiest trunk
    double uplink_seconds = 0;  ///< sum over phases of count x (busiest leaf + busiest pod trunk)
    double squares = 0;  ///< sum of squared uplink times: decreases as load spreads or disappears
  };
  [[nodiscard]] static bool is_better(const Cost& a, const Cost& b);

  /// All arguments must outlive it. `floors` are those of the composition of `traffic`.
  UnitLoads(const Tiers& tiers, std::span<const TrafficPhase> phases,
            const EvaluateOptions& options, const UnitTraffic& traffic,
            std::span<const PhaseFloor> floors);

  /// Places every unit on a node, independent of its previous node. The score is that of
  /// Evaluator::score, but infinite if seconds exceed `limit`; then units must be placed again
  /// before any other call.
  MappingScore place(std::span<const std::uint32_t> nodes,
                     double limit = std::numeric_limits<double>::infinity());
  [[nodiscard]] const Cost& cost() const { return cost_; }
  [[nodiscard]] MappingScore score() const;
  /// Seconds of the busiest uplink in one run of a phase; 0 if no traffic goes above a leaf.
  [[nodiscard]] double busiest_uplink(std::size_t phase) const { return phases_[phase].busiest; }
  [[nodiscard]] std::size_t phase_count() const { return phases_.size(); }
  [[nodiscard]] std::uint32_t node(std::uint32_t unit) const { return node_[unit]; }
  [[nodiscard]] std::span<const std::uint32_t> nodes() const { return node_; }
  /// Moves units (all together, so nodes may be exchanged) and updates the cost. The reverse move
  /// restores it.
  void apply(std::span<const Move> moves);
  /// One of the busiest uplinks of a phase, as a trunk number; trunk_count() if all are idle.
  /// `draw` chooses among equals.
  [[nodiscard]] std::size_t busiest(std::size_t phase, std::size_t draw) const;
  /// Number of edges and group members that apply has visited.
  [[nodiscard]] std::size_t work() const { return work_; }

 private:
  struct PhaseState {
    double floor = 0;            ///< seconds below the leaves
    double hop_bytes_below = 0;  ///< hop-bytes below the leaves
    double count = 1;
    double seconds = 0, uplink_seconds = 0, squares = 0;
    double busiest = 0;  ///< seconds of the busiest uplink
    /// Edges and exchanges of the phase, as indices into the traffic.
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
  std::vector<double> time_;  ///< by phase and uplink
  std::vector<std::uint32_t>
      touched_;  ///< uplinks whose time must be computed again, by phase and uplink
  std::vector<bool> is_touched_;
  std::vector<Tiers::Nic> homes_;  ///< is_flat: the leaf and pod of each node
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
