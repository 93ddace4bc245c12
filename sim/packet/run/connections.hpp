#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "collectives/schedule/schedule.hpp"
#include "sim/packet/engine/engine.hpp"
#include "sim/packet/packet_options.hpp"
#include "sim/packet/run/pair_paths.hpp"
#include "sim/packet/run/reduction_units.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/cluster/faults.hpp"
#include "topology/routing/hop.hpp"
#include "topology/routing/router.hpp"

namespace railyard::sim::packet {

/// The network of a cluster for an engine. Links keep the numbers of the cluster; the links of
/// ReductionUnits follow. Degraded links have a part of their bandwidth.
[[nodiscard]] NetworkSpec network_of(const topology::Cluster& cluster,
                                     const topology::Faults& faults, Transport transport);

/// The queue pairs between two participants of a channel.
struct PairSet {
  std::uint32_t first = 0,
                count = 0;           ///< numbers in the engine; of reads: the pairs to which
                                     ///< requests are posted
  std::vector<topology::Hop> route;  ///< route of the first queue pair
  std::uint32_t ports = 0;           ///< number of sending ports that they use
  /// The time in ps of a message of b bytes if nothing else uses the links is fixed + b * per_byte
  /// / ports.
  double fixed = 0, per_byte = 0;
  Time lead;  ///< latency from memory to the NIC, before the first packet leaves
};

/// Creates queue pairs when they are first needed. All transfers between two participants on a
/// channel share them. A GPU with several NICs has queue pairs on each NIC (NicsTogether). If a
/// port fails during the run and stays down, its queue pairs move to another port of the NIC or of
/// another NIC of the GPU.
class Connections {
 public:
  /// The cluster, the engine and the options must outlive it.
  Connections(const topology::Cluster& cluster, Engine& engine, const PacketOptions& options);

  /// The index of the PairSet of a transfer. Throws InputError if there is no path, or if the path
  /// needs in-network reduction that the cluster does not have. `label` is an input of the hash
  /// that selects paths; `traffic_class` selects the queues of the ports. `is_read`: the
  /// destination reads (RDMA read), except inside a node, where data are always written.
  [[nodiscard]] std::uint32_t of(const collectives::Schedule& schedule,
                                 const collectives::Transfer& transfer, std::uint32_t label,
                                 std::uint32_t traffic_class, bool is_read = false);
  [[nodiscard]] const PairSet& operator[](std::uint32_t set) const { return sets_[set]; }
  [[nodiscard]] std::size_t size() const { return sets_.size(); }
  /// Name of a link of the engine, for example "node0/nic0 -> pod0/leaf0".
  [[nodiscard]] std::string link_name(std::uint32_t link) const {
    return units_.has(link) ? units_.name(link) : cluster_.name(LinkId(link));
  }

 private:
  struct Key {
    PathEnds ends;
    std::uint32_t traffic_class;
    bool is_read;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const noexcept;
  };

  [[nodiscard]] std::size_t paths_of_pair() const { return paths_.per_pair(router_); }
  void add_set(const Key& key);
  void add_detours(const Key& key, const std::vector<std::vector<LinkId>>& paths,
                   const PairSet& set, std::uint32_t data);
  [[nodiscard]] RouteSpec route_of(const std::vector<LinkId>& path) const;
  [[nodiscard]] RouteSpec reverse_of(const RouteSpec& route) const;
  void time_alone(const RouteSpec& route, PairSet& set) const;
  void add_readers(const std::vector<std::vector<LinkId>>& paths, PairSet& set);

  const topology::Cluster& cluster_;
  ReductionUnits units_;
  PairPaths paths_;
  Engine& engine_;
  topology::Router router_;
  /// A router for the time from a failure (or its end) on.
  struct Epoch {
    Time from;
    topology::Router router;
  };
  std::vector<Epoch> epochs_;
  const Parameters& parameters_;
  double payload_share_;
  std::unordered_map<Key, std::uint32_t, KeyHash> known_;
  std::vector<PairSet> sets_;
};

}  // namespace railyard::sim::packet
