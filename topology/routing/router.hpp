#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/id.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/cluster/faults.hpp"
#include "topology/routing/hop.hpp"
#include "topology/routing/routing.hpp"

namespace railyard::topology {

/// What is to be routed: from one GPU to another (or to or from a switch that reduces).
struct Connection {
  DeviceId source;
  DeviceId destination;
  std::uint32_t label = 0;   ///< tells connections of one pair apart (channel); part of the hash
  int source_nic = -1;       ///< NIC of the source's node to leave by; -1: the nearest
  int destination_nic = -1;  ///< NIC of the destination's node to arrive at; -1: the nearest
};

/// Routes connections over a cluster. Paths inside a node come from NodeShape; generated fabrics
/// are routed from their structure, explicit ones by shortest-path next hops.
/// `balanced` and `adaptive` depend on what was routed before by the same Router (in call order).
class Router {
 public:
  /// The cluster must outlive the router.
  Router(const Cluster& cluster, RoutingOptions options, Faults faults = {});
  ~Router();
  Router(Router&&) noexcept;

  /// Appends the hops of a connection in path order (for several paths: path after path, links
  /// merged). Source == destination appends nothing. Throws InputError naming both ends when there
  /// is no way (rail-only fabric across rails, failed links) with what to do about it.
  void route(const Connection& connection, std::vector<Hop>& hops);

  /// The path of each of the connection's queue pairs by itself, links in order, one after the
  /// other in `paths` (the first `count` queue pairs; spray: as many paths by hash). Throws as
  /// route().
  void paths(const Connection& connection, int count, std::vector<std::vector<LinkId>>& paths);

  /// As if nothing had been routed: what balanced and adaptive routing choose by is gone. Cheaper
  /// than another router.
  void forget();

  /// Whether routes do not depend on what was routed before.
  [[nodiscard]] bool is_stateless() const;
  [[nodiscard]] const RoutingOptions& options() const;
  [[nodiscard]] const Faults& faults() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace railyard::topology
