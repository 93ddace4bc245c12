#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "collectives/schedule/schedule.hpp"
#include "sim/nics_together.hpp"
#include "topology/cluster/faults.hpp"
#include "topology/routing/hop.hpp"
#include "topology/routing/router.hpp"

namespace railyard::sim {

/// Paths of transfers through a cluster. A connection keeps its path: all transfers between two
/// participants on a channel use the same one, until one of its links fails. A GPU with several
/// NICs sends and receives by all of them (NicsTogether).
class TransferRoutes {
 public:
  /// The cluster must outlive the routes.
  TransferRoutes(const topology::Cluster& cluster, topology::RoutingOptions options,
                 topology::Faults faults = {});

  /// Appends the hops of a transfer (through its relay, if any) in order, each link once. `label`
  /// distinguishes connections of the same pair. Throws InputError with both ends if there is no
  /// path.
  void append(const collectives::Schedule& schedule, const collectives::Transfer& transfer,
              std::uint32_t label, std::vector<topology::Hop>& hops);

  /// Adds faults. Connections over a failed link find another path.
  void add_faults(const topology::Faults& faults);
  /// Keeps the routers of every set of faults from now on, for forget_faults().
  void keep_routers() { keeps_ = true; }
  /// Restores the faults of the constructor. Requires stateless routes and kept routers; later
  /// calls must add the same faults in the same order.
  void forget_faults() { level_ = 0; }
  /// Whether paths are independent of earlier routes.
  [[nodiscard]] bool is_stateless() const { return routers_.front()->is_stateless(); }
  [[nodiscard]] const topology::Faults& faults() const { return router().faults(); }
  [[nodiscard]] const topology::Cluster& cluster() const { return cluster_; }
  [[nodiscard]] const topology::RoutingOptions& routing() const { return router().options(); }
  /// Whether paths are spread by destination or over all links, and not by a hash or by earlier
  /// routes. Only then can symmetric traffic load links evenly.
  [[nodiscard]] bool is_even() const;

 private:
  struct Key {
    DeviceId source, destination;
    std::uint32_t label;
    int source_nic, destination_nic;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const noexcept;
  };

  void append_connection(const topology::Connection& connection, std::vector<topology::Hop>& hops);
  void append_by_one_nic(const topology::Connection& connection, std::vector<topology::Hop>& hops);
  [[nodiscard]] topology::Router& router() const { return *routers_[level_]; }

  const topology::Cluster& cluster_;
  NicsTogether nics_;
  std::vector<std::unique_ptr<topology::Router>>
      routers_;  ///< by number of add_faults calls, if kept
  std::size_t level_ = 0;
  bool keeps_ = false;
  /// Only for routers whose paths depend on earlier routes.
  std::unordered_map<Key, std::vector<topology::Hop>, KeyHash> known_;
};

}  // namespace railyard::sim
