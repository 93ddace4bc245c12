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
  std::optional<bool> several_nodes{};  ///< only for rows of several nodes, or only of one
  std::optional<int> gpus_per_node{};   ///< only for rows of at most so many GPUs on a node
  std::string cluster{};                ///< name in configs/clusters; "": no shipped one is alike
  std::string unknown{};                ///< without a cluster: why
};

/// How a benchmark launches collectives, and what this costs.
struct Harness {
  std::string name{};
  std::string launch_mode{};      ///< name in configs/launch_modes
  std::string software{};         ///< regular expression, matched against the table's software
  topology::LaunchCost launch{};  ///< of the launch mode; read_system_map sets it
};

/// A table that is not compared with predictions.
struct LeftOut {
  std::string table{};  ///< its name
  std::string reason{};
};

/// Assigns a cluster and a harness to a measured table (configs/validation/public.json): the first
/// rule and the first harness that match.
struct SystemMap {
  std::string name{}, source{};
  std::vector<SystemRule> systems{};
  std::vector<Harness> harnesses{};
  std::vector<LeftOut> left_out{};
};

/// The cluster for a row of a table; "" where no rule matches, or the first that does has none.
[[nodiscard]] std::string cluster_for(const SystemMap& map, const MeasuredTable& table,
                                      const MeasuredRow& row);
/// Why cluster_for() is "".
[[nodiscard]] std::string why_unknown(const SystemMap& map, const MeasuredTable& table,
                                      const MeasuredRow& row);
/// The harness of a table; nullptr where none matches.
[[nodiscard]] const Harness* harness_for(const SystemMap& map, const MeasuredTable& table);
/// Why a table is left out; "" where it is not.
[[nodiscard]] std::string reason_to_leave_out(const SystemMap& map, const MeasuredTable& table);

}  // namespace railyard::collectives::nccl
