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

/// Ways of transfers through a cluster. A connection keeps its way: all transfers between two
/// participants on a channel take the same one, until a link of it fails. A GPU with several NICs
/// sends and receives by all of them (NicsTogether).
class TransferRoutes {
 public:
  /// The cluster must outlive the routes.
  TransferRoutes(const topology::Cluster& cluster, topology::RoutingOptions options,
                 topology::Faults faults = {});

  /// Appends the hops of a transfer (through its relay, if any) in order, each link once. `label`
  /// tells connections of the same pair apart. Throws InputError naming both ends when there is no
  /// way.
  void append(const collectives::Schedule& schedule, const collectives::Transfer& transfer,
              std::uint32_t label, std::vector<topology::Hop>& hops);

  /// From now on these faults hold too; connections that cross a failed link will find another way.
  void add_faults(const topology::Faults& faults);
  /// From now on the routers of every set of faults are kept, for forget_faults().
  void keep_routers() { keeps_ = true; }
  /// Back to the faults of the constructor. Stateless routes with kept routers only; the faults
  /// that are added next must be those that were added before, in that order.
  void forget_faults() { level_ = 0; }
  /// Whether ways do not depend on what was asked before.
  [[nodiscard]] bool is_stateless() const { return routers_.front()->is_stateless(); }
  [[nodiscard]] const topology::Faults& faults() const { return router().faults(); }
  [[nodiscard]] const topology::Cluster& cluster() const { return cluster_; }
  [[nodiscard]] const topology::RoutingOptions& routing() const { return router().options(); }
  /// Whether ways are spread by destination or over all links, neither by a hash nor by what was
  /// routed before: only then may symmetric traffic load links evenly.
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
      routers_;  ///< after so many calls of add_faults, if kept
  std::size_t level_ = 0;
  bool keeps_ = false;
  /// Only for routers whose answers depend on what they were asked before.
  std::unordered_map<Key, std::vector<topology::Hop>, KeyHash> known_;
};

}  // namespace railyard::sim
