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

/// The network protocol of the fabric. InfiniBand: credit-based flow control, adaptive routing
/// possible. RoCE: Ethernet headers, ECMP by UDP source port. TCP: sockets over Ethernet.
enum class Transport { infiniband, roce, tcp };

/// A switch of an explicit fabric.
struct SwitchSpec {
  std::string name{};
  int tier = 1;  ///< 1 leaf, 2 spine, 3 core
};

/// `count` equal parallel cables of an explicit fabric. `a` and `b` are names of switches; one of
/// them may be a NIC ("node0/nic3"). `bandwidth` is that of one cable per direction.
struct CableSpec {
  std::string a{}, b{};
  Bandwidth bandwidth{};
  Time latency{};
  int count = 1;
};

/// Parameters of a fabric generator. docs/models/fabrics.md lists the parameters of each kind. A
/// unit is the set of nodes that share leaf switches; a pod is the set of units that share spine
/// switches.
struct FabricSpec {
  FabricKind kind = FabricKind::single_switch;
  Transport transport = Transport::infiniband;
  std::optional<Bandwidth> port_bandwidth{};  ///< NIC-to-leaf port; not set: the NIC's own rate
  /// One link between switches; not set: the port bandwidth.
  std::optional<Bandwidth> fabric_bandwidth{};
  Time port_latency{};    ///< NIC and its cable, one way
  Time switch_latency{};  ///< of each switch on the path
  int mtu = 4096;         ///< payload bytes of a full packet
  /// Header and gap bytes per packet on the wire; not set: by transport.
  std::optional<Bytes> packet_overhead{};
  std::optional<int> nodes_per_unit{};
  std::optional<int> units_per_pod{};
  std::optional<int> spines_per_pod{};  ///< not set: computed from leaf_oversubscription
  std::optional<int> cores{};           ///< not set: computed from spine_oversubscription
  double leaf_oversubscription = 1.0;   ///< downlink capacity of a leaf / its uplink capacity
  double spine_oversubscription = 1.0;
  std::optional<int> k{};              ///< fat_tree: ports per switch
  int tiers = 3;                       ///< rail_clos and dual_plane: 2 or 3
  RoutingOptions routing{};            ///< default policy; the command line can override it
  std::string switch_model{};          ///< of the leaves: name in configs/switches; "": unknown
  std::string spine_switch_model{};    ///< "": the same as the leaves
  std::string core_switch_model{};     ///< "": the same as the spines
  std::vector<SwitchSpec> switches{};  ///< explicit_list
  std::vector<CableSpec> cables{};     ///< explicit_list

  /// The switch models of leaves, spines and cores, read from the names above by read_cluster().
  std::array<std::optional<SwitchModel>, 3> models{};
};

/// Software overheads of a collective: `launch` once per collective, the others added to each step
/// by the kind of link that the step uses.
struct StepOverheads {
  Time launch{};  ///< once per collective
  Time nvlink{}, pcie{}, network{};
};

/// Step overheads per NCCL protocol. The defaults are the ring latencies of NCCL 2.30.7, baseLat
/// and hwLat in src/graph/tuning.cc; see docs/models/latency.md.
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

/// Consecutive equal nodes. A heterogeneous cluster has several groups.
struct NodeGroup {
  std::string
      node{};  ///< name in configs/nodes, or a path to JSON or NCCL XML beside the cluster file
  int count = 1;
};

/// A cluster: its nodes and the fabric between them, as written in a cluster file.
struct ClusterSpec {
  std::string name{};
  std::string source{};
  std::string file{};  ///< file that was read, for error messages; "" if none
  std::string node{};  ///< the only kind of node; exclusive with `groups`
  int nodes = 1;
  std::vector<NodeGroup> groups{};  ///< several kinds of nodes, in rank order
  FabricSpec fabric{};
  ProtocolOverheads overheads{};

  /// The node specs, one per group, and the number of nodes of each. Filled by read_cluster() and
  /// by importers.
  std::vector<NodeSpec> node_specs{};
  std::vector<int> node_counts{};
};

/// Reads a cluster file (a path, or a name in configs/clusters) with its nodes, GPUs and switch
/// models. `nodes` overrides the number of nodes; groups then keep their proportions. Throws
/// InputError with all problems found.
[[nodiscard]] ClusterSpec read_cluster(const std::string& reference, std::optional<int> nodes = {});
/// Reads a node: a name in configs/nodes, or a path to a JSON file or an NCCL topology XML file.
/// A relative path is searched in the folder of `referring_file`, then in the working directory,
/// then in the folders of configs. Throws InputError.
[[nodiscard]] NodeSpec read_node(const std::string& reference,
                                 const std::string& referring_file = {});
/// Reads a GPU: a name in configs/gpus, or a path. If the file has no nvlink_bandwidth, NCCL's
/// value for the compute capability is used. Throws InputError.
[[nodiscard]] GpuSpec read_gpu(const std::string& reference,
                               const std::string& referring_file = {});

}  // namespace railyard::topology
