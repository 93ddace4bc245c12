#pragma once

#include <algorithm>
#include <cstdint>

#include "topology/routing/fabric_paths.hpp"
#include "topology/routing/flow_hash.hpp"
#include "topology/routing/link_loads.hpp"
#include "topology/routing/routing.hpp"

namespace railyard::topology {

/// Whether paths under a policy are independent of earlier routes.
[[nodiscard]] constexpr bool is_stateless(RoutingPolicy policy) {
  return policy != RoutingPolicy::balanced && policy != RoutingPolicy::adaptive;
}

/// Where a cable is chosen: at a switch, or at a NIC (which of its ports, and thus which plane).
struct ChoicePoint {
  SwitchId at;   ///< none() at a NIC
  int tier = 0;  ///< tier of the switch
  bool is_up = true;
  /// At a NIC: distinguishes connections and queue pairs of one pair of NICs.
  std::uint32_t salt = 0;
};

/// D-mod-k (Zahavi, "Fat-tree routing and node ordering providing contention free traffic for MPI
/// global collectives", JPDC 72(11), 2012): d is the number of the destination port, w_i the number
/// of switches above a switch of tier i, p_i the number of parallel cables to each. With
/// q = d / (w_1 .. w_{i-1}) a path climbs from tier i to switch q mod w_i by cable (q / w_i) mod
/// p_i, and descends by the mirror image of the climb from the destination's leaf. Each destination
/// has one path down, and shift permutations do not collide in a non-blocking fabric. A failure
/// moves only the paths over the failed link.
class RailChoice {
 public:
  explicit RailChoice(std::uint32_t destination)
      : destination_(destination), left_(destination), above_leaf_(destination) {}
  [[nodiscard]] std::size_t operator()(const ChoicePoint& point, const NextHops& hops);

 private:
  std::uint32_t destination_;
  std::uint32_t left_;        ///< d / (w_1 .. w_i) after the last climb
  std::uint32_t above_leaf_;  ///< d / w_1
};

/// ECMP: chooses cable floor(mix(key ^ switch seed) / 2^32) mod n. If all switches have the same
/// seed (polarised), a flow gets the same hash at every tier: all flows that meet at a spine then
/// climb to the same few cores.
class HashChoice {
 public:
  HashChoice(std::uint64_t key, const RoutingOptions& options)
      : key_(key), seed_(mix(options.seed)), polarised_(options.polarised) {}
  [[nodiscard]] std::size_t operator()(const ChoicePoint& point, const NextHops& hops) const;

 private:
  std::uint64_t key_;
  std::uint64_t seed_;
  bool polarised_;
};

/// The load of a path: the largest load of its links, and the sum over its links.
struct PathLoad {
  double worst = 0, sum = 0;
  void add(double load) {
    worst = std::max(worst, load);
    sum += load;
  }
  /// Compares the highest load, then the sum.
  friend bool operator<(const PathLoad& a, const PathLoad& b) {
    return a.worst < b.worst || (a.worst == b.worst && a.sum < b.sum);
  }
};

/// The number of source ports that RoutingPolicy::balanced tries for each queue pair. Suppose 32
/// random paths over 32 uplinks: the probability that none of them uses one given free uplink is
/// (31/32)^32 = 0.36, and that none uses any of k free uplinks about 0.36^k.
inline constexpr std::uint32_t kCandidatePorts = 32;

/// Balanced routing: tries kCandidatePorts source ports and returns the hashes of the port whose
/// path has the least load, `load_of(HashChoice)`. Of equal loads the first port is kept.
template <class LoadOf>
[[nodiscard]] HashChoice best_source_port(const QueuePair& pair, const RoutingOptions& options,
                                          LoadOf&& load_of) {
  const auto hashes = [&](std::uint32_t candidate) {
    return HashChoice(flow_key(pair, candidate_source_port(pair, candidate, options.seed)),
                      options);
  };
  HashChoice best = hashes(0);
  PathLoad least = load_of(best);
  for (std::uint32_t k = 1; k < kCandidatePorts; ++k) {
    const HashChoice choice = hashes(k);
    const PathLoad load = load_of(choice);
    if (!(load < least)) continue;
    least = load;
    best = choice;
  }
  return best;
}

/// Adaptive routing: chooses the cable with the smallest load. Equal loads are decided by hash.
class LeastLoaded {
 public:
  LeastLoaded(const LinkLoads& loads, double share, HashChoice ties)
      : loads_(&loads), share_(share), ties_(ties) {}
  [[nodiscard]] std::size_t operator()(const ChoicePoint& point, const NextHops& hops) const;

 private:
  const LinkLoads* loads_;
  double share_;
  HashChoice ties_;
};

}  // namespace railyard::topology
