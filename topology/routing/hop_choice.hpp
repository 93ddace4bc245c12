#pragma once

#include <algorithm>
#include <cstdint>

#include "topology/routing/fabric_paths.hpp"
#include "topology/routing/flow_hash.hpp"
#include "topology/routing/link_loads.hpp"
#include "topology/routing/routing.hpp"

namespace railyard::topology {

/// Whether a policy chooses paths independently of earlier routes.
[[nodiscard]] constexpr bool is_stateless(RoutingPolicy policy) {
  return policy != RoutingPolicy::balanced && policy != RoutingPolicy::adaptive;
}

/// The place of a choice among cables: a switch, or the NIC (which port, and thus which plane).
struct ChoicePoint {
  SwitchId at;   ///< none() at the NIC
  int tier = 0;  ///< of the switch
  bool is_up = true;
  std::uint32_t salt =
      0;  ///< at a NIC: distinguishes connections and queue pairs of one pair of NICs
};

/// D-mod-k (Zahavi, "Fat-tree routing and node ordering providing contention free traffic for MPI
/// global collectives", JPDC 72(11), 2012): d is the number of the destination port, w_i the number
/// of switches above a switch of tier i, p_i the number of parallel cables to each. With q = d /
/// (w_1 .. w_{i-1}) a path climbs from tier i to switch q mod w_i by cable (q / w_i) mod p_i, and
/// descends by the mirror image of the climb from the destination's leaf. Each destination has one
/// path down, and shift permutations do not collide in a non-blocking fabric. A failure moves only
/// the paths over the failed link.
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

/// ECMP: cable floor(mix(key ^ switch seed) / 2^32) mod n. With one seed for all switches
/// (polarised) the tiers choose alike: flows that meet at a spine all climb to the same cores.
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

/// The loads of the links of a path after a further connection.
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

/// Source ports that RoutingPolicy::balanced tries for each queue pair: with 32 random paths over
/// 32 uplinks the probability that all miss a given free one is (31/32)^32 = 0.36, and that all
/// miss k free ones 0.36^k.
inline constexpr std::uint32_t kCandidatePorts = 32;

/// Balanced routing: the hashes of the source port with the least loaded path by
/// `load_of(HashChoice)`; the first of equals.
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

/// Adaptive routing: the cable that would be least loaded; equals are chosen by hash.
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
