#pragma once

#include <optional>
#include <span>
#include <vector>

#include "topology/routing/even_spread.hpp"
#include "topology/routing/fabric_paths.hpp"
#include "topology/routing/hop.hpp"
#include "topology/routing/hop_choice.hpp"
#include "topology/routing/link_loads.hpp"
#include "topology/routing/routing.hpp"

namespace railyard::topology {

/// One end of a path through the fabric: a NIC (by one of its ports) or a switch.
struct FabricEnd {
  DeviceId device;
  std::span<const NicPort> ports;  ///< ports of a NIC
  SwitchId fabric_switch;          ///< the switch; none() for a NIC
};

/// Routes from NIC to NIC (or to and from a fabric switch) under a policy.
class FabricRouter {
 public:
  FabricRouter(const Cluster& cluster, const RoutingOptions& options, const Faults& faults);

  [[nodiscard]] const FabricPaths& ways() const { return ways_; }
  /// Appends the hops from one end to the other, with links merged and shares that sum to 1 on
  /// every cut. Returns false, and appends nothing, if there is no path.
  [[nodiscard]] bool route(const FabricEnd& from, const FabricEnd& to, std::uint32_t label,
                           std::vector<Hop>& hops);
  /// The separate paths of the first `count` queue pairs; with spray: of that many paths by hash.
  /// Returns false, and appends nothing, if there is no path.
  [[nodiscard]] bool paths(const FabricEnd& from, const FabricEnd& to, std::uint32_t label,
                           int count, std::vector<std::vector<LinkId>>& paths);
  /// Forgets all earlier routes.
  void forget() { loads_.clear(); }

 private:
  /// A port at each end.
  struct Leg {
    LinkId first, last;  ///< NIC to switch and switch to NIC; none() if the end is a switch
    SwitchId from, to;
    std::uint32_t ordinal = 0;  ///< destination index of D-mod-k
  };

  void find_legs(const FabricEnd& from, const FabricEnd& to);
  void add_legs(const NicPort& from, const FabricEnd& to, int& shortest);
  void consider(const Leg& leg, int& shortest);
  template <class Choose>
  void walk(std::uint32_t salt, Choose&& choose, std::vector<LinkId>& path);
  void choose_path(const QueuePair& pair, std::vector<LinkId>& path);
  void balance(const QueuePair& pair, std::vector<LinkId>& path);
  void spray(const Leg& leg, double share, std::vector<Hop>& hops);
  void merge(LinkId link, double share, std::vector<Hop>& hops);

  RoutingOptions options_;
  FabricPaths ways_;
  LinkLoads loads_;
  std::vector<Leg> legs_;
  std::vector<FabricCable> first_cables_;  ///< the first link of each leg
  std::vector<LinkId> path_, trial_;
  std::optional<EvenSpread> spread_;  ///< spray
  /// Position of a link in the route being merged; valid if its round is the current one.
  struct Mark {
    std::uint32_t round = 0;
    std::uint32_t hop = 0;
  };
  std::vector<Mark> marks_;
  std::uint32_t round_ = 0;
};

}  // namespace railyard::topology
