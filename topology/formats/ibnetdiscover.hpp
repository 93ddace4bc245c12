#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topology/cluster/cluster_spec.hpp"

namespace railyard::topology {

/// A port of a host channel adapter and the switch port at the other end of its
/// cable.
struct IbAdapterPort {
  std::string adapter;  ///< "mlx5_0", "HCA-1"; "" where the description has the
                        ///< host alone
  std::string guid;     ///< of the node, 16 hexadecimal digits
  int port = 1;
  std::string leaf;  ///< name of the switch
  Bandwidth bandwidth;
};

/// A host and its cabled ports, in the order of adapter names (mlx5_2 before
/// mlx5_10) and ports.
struct IbHost {
  std::string name;
  std::vector<IbAdapterPort> ports;
};

/// An InfiniBand fabric as ibnetdiscover prints it.
struct IbFabric {
  std::vector<SwitchSpec> switches;  ///< tier by distance from the hosts
  std::vector<CableSpec> cables;     ///< between switches
  std::vector<IbHost> hosts;         ///< by name, numbers in their order
  std::vector<std::string> notes;    ///< what was left out or assumed
};

/// Reads ibnetdiscover's text. Throws InputError with every problem and its
/// line.
[[nodiscard]] IbFabric read_ibnetdiscover(std::string_view text, const std::string& file);

/// The cluster of the hosts that have as many cabled ports as `node` has NICs;
/// host i is node i, and its ports are the node's NICs by name, or in order
/// where the names differ. Hosts with other ports are named in `notes`. Throws
/// InputError where no host fits.
[[nodiscard]] ClusterSpec cluster_of_ib_fabric(const IbFabric& fabric, const NodeSpec& node,
                                               const std::string& file,
                                               std::vector<std::string>& hosts,
                                               std::vector<std::string>& notes);

}  // namespace railyard::topology
