#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace railyard::topology {

/// How `nvidia-smi topo -m` says two devices are joined, nearest first.
/// `nvlink` hides the PCIe way.
enum class SmiRelation { self, nvlink, pix, pxb, phb, node, sys };

/// A device of the matrix.
struct SmiDevice {
  std::string name;   ///< "GPU0", "NIC3", or in older prints "mlx5_0"
  std::string title;  ///< what the legend calls a NIC: "mlx5_3"; else the name
  bool is_gpu = false;
  int number = 0;                      ///< of GPUs: 0 of GPU0
  std::optional<int> numa;             ///< NUMA affinity, where it is one number
  std::vector<SmiRelation> relations;  ///< to each device, in order
  std::vector<int> nvlinks;            ///< to each device: # of NV#
};

/// Reads the matrix: header, a row per device, NIC legend. Throws InputError
/// with the line where it is not such a text, a row is short, an entry unknown,
/// or the matrix not symmetric.
[[nodiscard]] std::vector<SmiDevice> read_smi_matrix(std::string_view text,
                                                     const std::string& file);

}  // namespace railyard::topology
