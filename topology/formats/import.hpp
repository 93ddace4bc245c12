#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topology/cluster/cluster_spec.hpp"
#include "topology/formats/nic_filter.hpp"

namespace railyard::topology {

/// Files of other programs that say something of a cluster. The first two describe a node, the
/// others the fabric between hosts.
enum class ImportFormat { nccl_xml, nvidia_smi, ibnetdiscover, slurm_conf, slurm_yaml };

/// "NCCL topology XML", "nvidia-smi topo -m", ...
[[nodiscard]] std::string_view to_text(ImportFormat format);

/// Tells the format by its content, or nothing.
[[nodiscard]] std::optional<ImportFormat> recognise_format(std::string_view text);

/// What an imported file leaves open.
struct ImportRequest {
  std::optional<ImportFormat> format{};  ///< not set: by content
  std::string gpu{};    ///< nodes: type of the GPUs (configs/gpus); nvidia-smi needs it
  int nodes = 1;        ///< nodes: how many of them
  FabricSpec fabric{};  ///< nodes: what joins them; fabrics: transport, latencies and routing
  std::string node{};   ///< fabrics: what each host is (configs/nodes, or a path); needed
  std::optional<NicFilter> nics{};  ///< nodes: the NICs that NCCL is told to use
};

/// A cluster made of an imported file; build_cluster takes it as it is.
struct ImportedTopology {
  ImportFormat format{};
  ClusterSpec cluster;
  std::vector<std::string> hosts;  ///< fabrics: what the file calls node 0, node 1, ...
  std::vector<std::string> notes;  ///< what was assumed or left out, a sentence each
};

/// Reads a file of any of the formats. Throws InputError with every problem.
[[nodiscard]] ImportedTopology import_topology(std::string_view text, const std::string& file,
                                               const ImportRequest& request = {});

/// The files that hold an imported cluster.
struct ImportedFiles {
  std::string cluster;    ///< text of the cluster file
  std::string node_name;  ///< file beside it that `cluster` names, or "" where it needs none
  std::string node;       ///< its text: NCCL topology XML
};

/// `cluster_file` is where the cluster's text will lie: "out/mine.json" names its node
/// mine.node.xml.
[[nodiscard]] ImportedFiles write_imported(const ImportedTopology& imported,
                                           const std::string& cluster_file);

}  // namespace railyard::topology
