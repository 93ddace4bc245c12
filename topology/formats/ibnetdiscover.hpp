#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topology/cluster/cluster_spec.hpp"

namespace railyard::topology {

/// A port of a host channel adapter and the switch to which it is cabled.
struct IbAdapterPort {
  std::string adapter;  ///< "mlx5_0", "HCA-1"; "" if the description contains only the host
  std::string guid;     ///< GUID of the adapter, 16 hexadecimal digits
  int port = 1;
  std::string leaf;  ///< name of the switch
  Bandwidth bandwidth;
};

/// A host and its cabled ports, ordered by adapter name (mlx5_2 before mlx5_10) and port.
struct IbHost {
  std::string name;
  std::vector<IbAdapterPort> ports;
};

/// An InfiniBand fabric, derived from the output of ibnetdiscover.
struct IbFabric {
  std::vector<SwitchSpec> switches;  ///< tier by distance from the hosts
  std::vector<CableSpec> cables;     ///< between switches
  std::vector<IbHost> hosts;         ///< ordered by name; numbers in names compare as numbers
  std::vector<std::string> notes;    ///< what was left out or assumed, one sentence each
};

/// Reads the output of ibnetdiscover. Throws InputError with every problem and its line.
[[nodiscard]] IbFabric read_ibnetdiscover(std::string_view text, const std::string& file);

/// The cluster of all hosts that have as many cabled ports as `node` has NICs. Host i becomes node
/// i. Its ports are assigned to the NICs of the node by name, or in order if the names differ.
/// Appends the names of these hosts to `hosts`, and a note about the other hosts to `notes`. Throws
/// InputError if no host has this number of ports.
[[nodiscard]] ClusterSpec cluster_of_ib_fabric(const IbFabric& fabric, const NodeSpec& node,
                                               const std::string& file,
                                               std::vector<std::string>& hosts,
                                               std::vector<std::string>& notes);

}  // namespace railyard::topology
