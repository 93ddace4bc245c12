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

/// The links of a cluster for the engine, which keeps their numbers: links of nodes without
/// headers, degraded links with what is left of their bandwidth. Those of ReductionUnits follow.
[[nodiscard]] NetworkSpec network_of(const topology::Cluster& cluster,
                                     const topology::Faults& faults, Transport transport);

/// Queue pairs between two participants of a channel.
struct PairSet {
  std::uint32_t first = 0,
                count = 0;           ///< of the engine; of reads: those that messages are posted to
  std::vector<topology::Hop> route;  ///< of the first one
  std::uint32_t ports = 0;           ///< sending ports that they use
  /// ps that a message of b bytes takes where nothing else uses the links:
  /// fixed + b * per_byte / ports.
  double fixed = 0, per_byte = 0;
  Time lead;  ///< latency from memory to the NIC, before the first packet leaves
};

/// Makes queue pairs on demand: all transfers between two participants on a channel share theirs. A
/// GPU with several NICs has queue pairs on each of them (NicsTogether). Where a port fails during
/// the run and stays down, its queue pairs go on with another port of the NIC, or with that of
/// another NIC of the GPU.
class Connections {
 public:
  /// The cluster, the engine and the options must outlive it.
  Connections(const topology::Cluster& cluster, Engine& engine, const PacketOptions& options);

  /// The number of the set of a transfer. Throws InputError where there is no path, and for paths
  /// that begin or end in a switch of the fabric. `label` selects paths, `traffic_class` the queues
  /// of the ports. `is_read`: the destination reads, except inside a node.
  [[nodiscard]] std::uint32_t of(const collectives::Schedule& schedule,
                                 const collectives::Transfer& transfer, std::uint32_t label,
                                 std::uint32_t traffic_class, bool is_read = false);
  [[nodiscard]] const PairSet& operator[](std::uint32_t set) const { return sets_[set]; }
  [[nodiscard]] std::size_t size() const { return sets_.size(); }
  /// "node0/nic0 -> pod0/leaf0" by the number of the engine's link.
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
  /// Routing after failures during the run, and since when.
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
