#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topology/cluster/cluster_spec.hpp"
#include "topology/formats/nic_filter.hpp"

namespace railyard::topology {

/// Formats of other tools' files that can be imported. The first two describe a node, the others
/// the fabric between hosts.
enum class ImportFormat { nccl_xml, nvidia_smi, ibnetdiscover, slurm_conf, slurm_yaml };

/// "NCCL topology XML", "nvidia-smi topo -m", ...
[[nodiscard]] std::string_view to_text(ImportFormat format);

/// Recognises the format from the content; nothing if it is unknown.
[[nodiscard]] std::optional<ImportFormat> recognise_format(std::string_view text);

/// Options of an import. Comments name the kind of file to which a field applies.
struct ImportRequest {
  std::optional<ImportFormat> format{};  ///< not set: recognised from the content
  std::string gpu{};    ///< node files: GPU type (configs/gpus); required by nvidia-smi
  int nodes = 1;        ///< node files: number of nodes
  FabricSpec fabric{};  ///< node files: the fabric; fabric files: transport, latencies and routing
  std::string node{};   ///< fabric files: type of each host (configs/nodes, or a path); required
  std::optional<NicFilter> nics{};  ///< node files: value of NCCL_IB_HCA
};

/// A cluster derived from an imported file, ready for build_cluster().
struct ImportedTopology {
  ImportFormat format{};
  ClusterSpec cluster;
  std::vector<std::string> hosts;  ///< fabric files: names of node 0, node 1, ... in the file
  std::vector<std::string> notes;  ///< what was assumed or left out, one sentence each
};

/// Reads a file in any of the formats. Throws InputError with every problem.
[[nodiscard]] ImportedTopology import_topology(std::string_view text, const std::string& file,
                                               const ImportRequest& request = {});

/// The texts of the files that describe an imported cluster.
struct ImportedFiles {
  std::string cluster;    ///< text of the cluster file
  std::string node_name;  ///< name of the node file, to which `cluster` refers; "" if none is
                          ///< needed
  std::string node;       ///< text of the node file: NCCL topology XML
};

/// `cluster_file` is the path to which the cluster text will be written. The node file is placed
/// next to it: "out/mine.json" refers to "mine.node.xml".
[[nodiscard]] ImportedFiles write_imported(const ImportedTopology& imported,
                                           const std::string& cluster_file);

}  // namespace railyard::topology
