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

/// One end of a way through the fabric: a NIC (by one of its ports) or a switch itself.
struct FabricEnd {
  DeviceId device;
  std::span<const NicPort> ports;  ///< of a NIC
  SwitchId fabric_switch;          ///< of a switch; else none()
};

/// Routes from NIC to NIC (or to and from a fabric switch) under a policy.
class FabricRouter {
 public:
  FabricRouter(const Cluster& cluster, const RoutingOptions& options, const Faults& faults);

  [[nodiscard]] const FabricPaths& ways() const { return ways_; }
  /// Appends the hops from one end to the other, links merged, shares summing to 1 on every cut.
  /// False (and nothing appended) if there is no way.
  [[nodiscard]] bool route(const FabricEnd& from, const FabricEnd& to, std::uint32_t label,
                           std::vector<Hop>& hops);
  /// The path of each of the first `count` queue pairs by itself; spray: of as many by hash. False
  /// (and nothing appended) if there is no way.
  [[nodiscard]] bool paths(const FabricEnd& from, const FabricEnd& to, std::uint32_t label,
                           int count, std::vector<std::vector<LinkId>>& paths);
  /// As if nothing had been routed.
  void forget() { loads_.clear(); }

 private:
  /// A pair of plugs to go between.
  struct Leg {
    LinkId first, last;  ///< NIC to switch and switch to NIC; none() where the end is a switch
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
  std::vector<FabricCable> plugs_;  ///< the first link of each leg
  std::vector<LinkId> path_, trial_;
  std::optional<EvenSpread> spread_;  ///< spray
  /// Place of a link in the route being merged, valid where its round is the current one.
  struct Mark {
    std::uint32_t round = 0;
    std::uint32_t hop = 0;
  };
  std::vector<Mark> marks_;
  std::uint32_t round_ = 0;
};

}  // namespace railyard::topology
