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

/// A connection to route, from one GPU to another GPU. Either end can be a switch that reduces
/// data.
struct Connection {
  DeviceId source;
  DeviceId destination;
  std::uint32_t label = 0;   ///< distinguishes connections of the same pair (NCCL channels); input
                             ///< of the ECMP hash
  int source_nic = -1;       ///< NIC of the source's node; -1: the GPU's nearest NIC
  int destination_nic = -1;  ///< NIC of the destination's node; -1: the GPU's nearest NIC
};

/// Routes connections over a cluster. Inside a node a path follows NodeShape. Through a generated
/// fabric it follows from the structure of the fabric (FabricPaths); through an explicit fabric it
/// is a shortest path. With `balanced` and `adaptive` a route depends on the earlier routes of the
/// same Router, in the order of calls.
class Router {
 public:
  /// The cluster must outlive the router.
  Router(const Cluster& cluster, RoutingOptions options, Faults faults = {});
  ~Router();
  Router(Router&&) noexcept;

  /// Appends the hops of a connection in path order. If it has several paths, they follow one
  /// another, and a link that several paths use appears once. Appends nothing if source and
  /// destination are equal. Throws InputError if there is no path (failed links, or different rails
  /// of a rail-only fabric). The error names both ends and suggests a change.
  void route(const Connection& connection, std::vector<Hop>& hops);

  /// Appends to `paths` the path of each of the first `count` queue pairs, with its links in order.
  /// With spray, these are `count` paths chosen by hash. Throws like route().
  void paths(const Connection& connection, int count, std::vector<std::vector<LinkId>>& paths);

  /// Forgets the loads of all earlier routes, on which balanced and adaptive routing depend.
  /// Cheaper than to construct a new router.
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
