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

/// A connection to route: from one GPU to another (or to or from a switch that reduces).
struct Connection {
  DeviceId source;
  DeviceId destination;
  std::uint32_t label = 0;   ///< distinguishes connections of one pair (channel); part of the hash
  int source_nic = -1;       ///< NIC of the source's node; -1: the nearest
  int destination_nic = -1;  ///< NIC of the destination's node; -1: the nearest
};

/// Routes connections over a cluster. Paths inside a node come from NodeShape; generated fabrics
/// are routed from their structure, explicit ones by shortest-path next hops. `balanced` and
/// `adaptive` depend on the earlier routes of the same Router (in call order).
class Router {
 public:
  /// The cluster must outlive the router.
  Router(const Cluster& cluster, RoutingOptions options, Faults faults = {});
  ~Router();
  Router(Router&&) noexcept;

  /// Appends the hops of a connection in path order (for several paths: path after path, links
  /// merged). Source == destination appends nothing. Throws InputError with both ends, and with
  /// what would help, if there is no path (rail-only fabric across rails, failed links).
  void route(const Connection& connection, std::vector<Hop>& hops);

  /// The separate paths of the connection's queue pairs, links in order, one after the other in
  /// `paths` (the first `count` queue pairs; with spray that many paths by hash). Throws as
  /// route().
  void paths(const Connection& connection, int count, std::vector<std::vector<LinkId>>& paths);

  /// Forgets all earlier routes, on which balanced and adaptive routing depend. Cheaper than a new
  /// router.
  void forget();

  /// Whether routes are independent of earlier routes.
  [[nodiscard]] bool is_stateless() const;
  [[nodiscard]] const RoutingOptions& options() const;
  [[nodiscard]] const Faults& faults() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace railyard::topology
