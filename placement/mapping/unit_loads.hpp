#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "placement/mapping/exchange.hpp"
#include "placement/mapping/unit_traffic.hpp"
#include "placement/mapping/uplink_times.hpp"

namespace railyard::placement {

/// Loads of the uplinks (trunks of the leaf and pod tiers) by phase, kept up to date while units
/// move from node to node. What lies below (NVLink, ports) does not change with equal nodes; it
/// enters as a floor per phase.
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

  /// Everything must outlive it. `mapping` is the one that the traffic was found for.
  UnitLoads(const Tiers& tiers, std::span<const TrafficPhase> phases,
            const EvaluateOptions& options, const UnitTraffic& traffic, const Mapping& mapping);

  [[nodiscard]] const Cost& cost() const { return cost_; }
  [[nodiscard]] std::uint32_t node(std::uint32_t unit) const { return node_[unit]; }
  /// Moves units (all at once: nodes may be exchanged) and updates the cost. Undone by the reverse.
  void apply(std::span<const Move> moves);
  /// A busiest uplink of a phase, as a trunk number, or trunk_count() where all are idle; `draw`
  /// chooses among equals.
  [[nodiscard]] std::size_t busiest(std::size_t phase, std::size_t draw) const;
  /// Edges and group members that were visited: what has been spent.
  [[nodiscard]] std::size_t work() const { return work_; }
  [[nodiscard]] Mapping mapping() const;

 private:
  struct PhaseState {
    double floor = 0;  ///< seconds below the leaves
    double count = 1;
    double seconds = 0, uplink_seconds = 0, squares = 0;
    double busiest = 0;  ///< seconds of the busiest uplink
  };
  [[nodiscard]] Rank gpu(std::uint32_t rank) const;
  void add_edge(const UnitTraffic::Edge& edge, double sign);
  void add_exchange(const UnitTraffic::Exchange& exchange, double sign);
  void add_touched(double sign);
  void climb(std::uint32_t phase, std::uint32_t from_nic, std::uint32_t to_nic, double bytes,
             double sign);
  void measure(std::size_t phase);
  void total();

  const Tiers* tiers_;
  const UnitTraffic* traffic_;
  bool pxn_;
  Exchange exchange_;
  std::size_t base_, width_;
  std::vector<UplinkLoads> loads_;  ///< by phase
  UplinkTimes times_;
  std::vector<std::uint32_t> node_;
  std::vector<PhaseState> phases_;
  Cost cost_;
  std::vector<std::uint32_t> edge_round_, exchange_round_;
  std::vector<std::uint32_t> edges_, exchanges_;
  std::vector<bool> phase_touched_;
  std::vector<Rank> gpus_;
  std::uint32_t round_ = 0;
  std::size_t work_ = 0;
};

}  // namespace railyard::placement
