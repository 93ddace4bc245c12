#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace railyard::topology {

/// The relation of two devices in `nvidia-smi topo -m`, nearest first. With `nvlink` the matrix
/// does not show their PCIe relation.
enum class SmiRelation { self, nvlink, pix, pxb, phb, node, sys };

/// A device of the matrix.
struct SmiDevice {
  std::string name;   ///< "GPU0", "NIC3", or "mlx5_0" in older versions
  std::string title;  ///< device name of a NIC in the legend ("mlx5_3"); otherwise the name
  bool is_gpu = false;
  int number = 0;                      ///< GPUs: 0 for GPU0
  std::optional<int> numa;             ///< NUMA affinity, if it is a single number
  std::vector<SmiRelation> relations;  ///< to each device, in order
  std::vector<int> nvlinks;            ///< number of NVLinks (# of NV#) to each device
};

/// Reads the matrix: header, one row per device, legend of NICs. Throws InputError with the line if
/// the text has another form, a row is too short, an entry is unknown or the matrix is not
/// symmetric.
[[nodiscard]] std::vector<SmiDevice> read_smi_matrix(std::string_view text,
                                                     const std::string& file);

}  // namespace railyard::topology
