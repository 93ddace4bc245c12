#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/validate/measured.hpp"
#include "core/units.hpp"

namespace railyard::apps {

/// A rule of which cluster stands for a measured machine. Texts are regular expressions without
/// regard to case; "" holds for anything.
struct SystemRule {
  std::string gpu{}, intra{}, inter{};  ///< lines of the table's hardware
  std::optional<bool> several_nodes{};  ///< of its rows
  std::string cluster{};                ///< name in configs/clusters
};

/// How a benchmark launches collectives, and the time that this adds to each.
struct Harness {
  std::string name{};
  std::string launch_mode{};  ///< name in configs/launch_modes
  std::string software{};     ///< regular expression over the table's software lines
  Time overhead{};            ///< of the launch mode; read_system_map sets it
};

/// A table that is not to be judged by.
struct LeftOut {
  std::string table{};  ///< its name
  std::string reason{};
};

/// Which cluster and which benchmark stand for a table (configs/validation/*.json): the first rule
/// that holds, the first harness that holds.
struct SystemMap {
  std::string name{}, source{};
  std::vector<SystemRule> systems{};
  std::vector<Harness> harnesses{};
  std::vector<LeftOut> left_out{};
};

/// Reads a map: a path, or a name in configs/validation. Throws InputError with every problem.
[[nodiscard]] SystemMap read_system_map(const std::string& reference);

/// The cluster for rows of a table on one or several nodes; "" where no rule holds.
[[nodiscard]] std::string cluster_for(const SystemMap& map, const MeasuredTable& table,
                                      bool several_nodes);
/// The benchmark that took a table; nullptr where no rule holds.
[[nodiscard]] const Harness* harness_for(const SystemMap& map, const MeasuredTable& table);
/// Why a table is not to be used; "" where it is.
[[nodiscard]] std::string reason_to_leave_out(const SystemMap& map, const MeasuredTable& table);

}  // namespace railyard::apps
