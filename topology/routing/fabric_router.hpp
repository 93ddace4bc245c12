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

/// One end of a path through the fabric: a NIC, which the path enters or leaves by one of its
/// ports, or a switch.
struct FabricEnd {
  DeviceId device;
  std::span<const NicPort> ports;  ///< ports of a NIC
  SwitchId fabric_switch;          ///< the switch; none() for a NIC
};

/// Routes connections between NICs (or fabric switches) under a routing policy.
class FabricRouter {
 public:
  FabricRouter(const Cluster& cluster, const RoutingOptions& options, const Faults& faults);

  [[nodiscard]] const FabricPaths& fabric_paths() const { return fabric_paths_; }
  /// Appends the links from one end to the other with their shares of the bytes. A link that
  /// several queue pairs use appears once, with the sum of their shares. The shares of all links
  /// between two tiers sum to 1. Returns false, and appends nothing, if there is no path.
  [[nodiscard]] bool route(const FabricEnd& from, const FabricEnd& to, std::uint32_t label,
                           std::vector<Hop>& hops);
  /// Appends the path of each of the first `count` queue pairs. With spray, these are `count` paths
  /// chosen by hash. Returns false, and appends nothing, if there is no path.
  [[nodiscard]] bool paths(const FabricEnd& from, const FabricEnd& to, std::uint32_t label,
                           int count, std::vector<std::vector<LinkId>>& paths);
  /// Forgets the loads of all earlier routes.
  void forget() { loads_.clear(); }

 private:
  /// A pair of ports, one at each end, between which a path is possible.
  struct Leg {
    LinkId first, last;  ///< NIC to switch and switch to NIC; none() if the end is a switch
    SwitchId from, to;
    std::uint32_t ordinal = 0;  ///< the destination's port number d in D-mod-k routing
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
  FabricPaths fabric_paths_;
  LinkLoads loads_;
  std::vector<Leg> legs_;
  std::vector<FabricCable> first_cables_;  ///< the first link of each leg
  std::vector<LinkId> path_, trial_;
  std::optional<EvenSpread> spread_;  ///< spray
  /// Position of a link in the list of hops; only valid if `round` equals round_, the number of the
  /// current route.
  struct Mark {
    std::uint32_t round = 0;
    std::uint32_t hop = 0;
  };
  std::vector<Mark> marks_;
  std::uint32_t round_ = 0;
};

}  // namespace railyard::topology
