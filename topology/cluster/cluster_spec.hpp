#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/units.hpp"
#include "topology/fabric/switch_model.hpp"
#include "topology/node/node_spec.hpp"
#include "topology/routing/routing.hpp"

namespace railyard::topology {

enum class FabricKind {
  single_switch,
  leaf_spine,
  clos3,
  fat_tree,
  rail_clos,
  rail_only,
  dual_plane,
  explicit_list
};

/// What the fabric speaks. InfiniBand: credits, adaptive routing possible. RoCE: Ethernet headers,
/// ECMP on UDP source ports. TCP: sockets over Ethernet.
enum class Transport { infiniband, roce, tcp };

/// A switch of an explicit fabric.
struct SwitchSpec {
  std::string name{};
  int tier = 1;  ///< 1 leaf, 2 spine, 3 core
};

/// `count` parallel cables of an explicit fabric between two switches, or a switch and
/// "node0/nic3".
struct CableSpec {
  std::string a{}, b{};
  Bandwidth bandwidth{};
  Time latency{};
  int count = 1;
};

/// Parameters of a fabric generator; which ones a kind takes is in docs/models/fabrics.md.
/// A unit is the set of nodes that share leaf switches; a pod the units that share spine switches.
struct FabricSpec {
  FabricKind kind = FabricKind::single_switch;
  Transport transport = Transport::infiniband;
  std::optional<Bandwidth> port_bandwidth{};    ///< NIC to leaf; not set: the NIC's own rate
  std::optional<Bandwidth> fabric_bandwidth{};  ///< one switch-to-switch link; not set: as the port
  Time port_latency{};                          ///< NIC and cable, one way
  Time switch_latency{};                        ///< each switch that is crossed
  int mtu = 4096;                               ///< payload bytes of a packet
  std::optional<Bytes> packet_overhead{};  ///< wire bytes beside the payload; not set: by transport
  std::optional<int> nodes_per_unit{};
  std::optional<int> units_per_pod{};
  std::optional<int> spines_per_pod{};  ///< not set: from leaf_oversubscription
  std::optional<int> cores{};           ///< not set: from spine_oversubscription
  double leaf_oversubscription = 1.0;   ///< capacity down over capacity up of a leaf
  double spine_oversubscription = 1.0;
  std::optional<int> k{};              ///< fat_tree: ports of a switch
  int tiers = 3;                       ///< rail_clos, dual_plane: 2 or 3
  RoutingOptions routing{};            ///< the default; the command line overrides it
  std::string switch_model{};          ///< name in configs/switches; "": not known
  std::string spine_switch_model{};    ///< "": as the leaves
  std::string core_switch_model{};     ///< "": as the spines
  std::vector<SwitchSpec> switches{};  ///< explicit_list
  std::vector<CableSpec> cables{};     ///< explicit_list

  /// The switches of leaves, spines and cores as read (filled by read_cluster).
  std::array<std::optional<SwitchModel>, 3> models{};
};

/// What software adds to each step of a collective, by the kind of path that it takes.
struct StepOverheads {
  Time launch{};  ///< once a collective
  Time nvlink{}, pcie{}, network{};
};

/// Overheads per NCCL protocol. The defaults are NCCL's ring latencies: baseLat and hwLat of
/// src/graph/tuning.cc (2.30.7), in docs/models/latency.md.
struct ProtocolOverheads {
  StepOverheads ll{.launch = Time::nanoseconds(6600),
                   .nvlink = Time::nanoseconds(600),
                   .pcie = Time::nanoseconds(1000),
                   .network = Time::nanoseconds(2700)};
  StepOverheads ll128{.launch = Time::nanoseconds(14000),
                      .nvlink = Time::nanoseconds(1900),
                      .pcie = Time::nanoseconds(2500),
                      .network = Time::nanoseconds(4000)};
  StepOverheads simple{.launch = Time::nanoseconds(8400),
                       .nvlink = Time::nanoseconds(3400),
                       .pcie = Time::nanoseconds(5700),
                       .network = Time::nanoseconds(14000)};
};

/// A run of equal nodes; a cluster may have several (heterogeneous clusters).
struct NodeGroup {
  std::string
      node{};  ///< name in configs/nodes, or a path to JSON or NCCL XML beside the cluster file
  int count = 1;
};

/// A cluster file: nodes and the fabric between them.
struct ClusterSpec {
  std::string name{};
  std::string source{};
  std::string file{};  ///< where it was read from, for errors; "" where it was not
  std::string node{};  ///< one kind of node; or
  int nodes = 1;
  std::vector<NodeGroup> groups{};  ///< several kinds, in rank order
  FabricSpec fabric{};
  ProtocolOverheads overheads{};

  /// The nodes as read, one per group (filled by read_cluster and by importers).
  std::vector<NodeSpec> node_specs{};
  std::vector<int> node_counts{};
};

/// Reads a cluster file (path, or name in configs/clusters) and its nodes and GPUs.
/// `nodes` overrides the count; groups keep their shares of it. Throws InputError with every
/// problem.
[[nodiscard]] ClusterSpec read_cluster(const std::string& reference, std::optional<int> nodes = {});
/// Reads a node: name in configs/nodes, a path to JSON, or to NCCL topology XML.
[[nodiscard]] NodeSpec read_node(const std::string& reference,
                                 const std::string& referring_file = {});
/// Reads a GPU: name in configs/gpus, or a path. A file without nvlink_bandwidth gets NCCL's.
[[nodiscard]] GpuSpec read_gpu(const std::string& reference,
                               const std::string& referring_file = {});

}  // namespace railyard::topology
