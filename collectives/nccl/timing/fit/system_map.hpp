#pragma once

#include <optional>
#include <string>
#include <vector>

#include "collectives/formats/measured_table.hpp"
#include "topology/cluster/launch_cost.hpp"

namespace railyard::collectives::nccl {

/// A rule that assigns a cluster to a measured machine. Texts are regular expressions, not case
/// sensitive; "" matches anything.
struct SystemRule {
  std::string gpu{}, intra{}, inter{};  ///< matched against lines of the table's hardware
  /// true: rows with several nodes; false: rows with one node
  std::optional<bool> several_nodes{};
  std::optional<int> gpus_per_node{};  ///< rows with at most this many GPUs per node
  std::string cluster{};               ///< name in configs/clusters; "": no shipped cluster fits
  std::string unknown{};               ///< reason, if `cluster` is empty
};

/// The launch mode of a benchmark and its cost.
struct Harness {
  std::string name{};
  std::string launch_mode{};      ///< name in configs/launch_modes
  std::string software{};         ///< regular expression, matched against the table's software
  topology::LaunchCost launch{};  ///< of the launch mode; read_system_map sets it
};

/// A table that is not compared with predictions.
struct ExcludedTable {
  std::string table{};  ///< its name
  std::string reason{};
};

/// Assigns a cluster and a harness to a measured table (configs/validation/public.json): the first
/// rule and the first harness that match.
struct SystemMap {
  std::string name{}, source{};
  std::vector<SystemRule> systems{};
  std::vector<Harness> harnesses{};
  std::vector<ExcludedTable> left_out{};
};

/// The cluster for a row of a table; "" if no rule matches, or the first match has no cluster.
[[nodiscard]] std::string cluster_for(const SystemMap& map, const MeasuredTable& table,
                                      const MeasuredRow& row);
/// The reason why cluster_for() is "".
[[nodiscard]] std::string why_unknown(const SystemMap& map, const MeasuredTable& table,
                                      const MeasuredRow& row);
/// The harness of a table; nullptr if none matches.
[[nodiscard]] const Harness* harness_for(const SystemMap& map, const MeasuredTable& table);
/// The reason why a table is excluded; "" if it is not.
[[nodiscard]] std::string reason_to_leave_out(const SystemMap& map, const MeasuredTable& table);

}  // namespace railyard::collectives::nccl
