#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "placement/cost/gpu_type.hpp"
#include "placement/launch/launch_plan.hpp"
#include "placement/model/job.hpp"
#include "placement/strategy/strategy.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::placement {

/// Inputs of the launcher files of a job: a strategy on its GPUs, and the settings that files
/// depend on.
struct LaunchSource {
  const topology::Cluster& cluster;
  const Job& job;
  const Strategy& strategy;
  const Mapping& mapping;
  std::span<const GpuType> types;       ///< types of the cluster's GPUs
  std::span<const std::string> nodes;   ///< host name of each node of the cluster
  std::string name = "job";             ///< name of the job
  std::string command{};                ///< command to start; empty: Megatron-LM's training script
  std::optional<int> cores_per_host{};  ///< for rankfiles
};

/// A kind of file that launchers or frameworks read.
struct LaunchFormat {
  std::string_view name;
  std::string_view file;  ///< file name
  std::string_view description;
  /// The file for a strategy. Throws InputError, at the flag of `railyard place`, if the format
  /// cannot express the strategy or the mapping.
  std::string (*write)(const LaunchSource&);
  /// The deviations of the file from the strategy, one line each; null: none.
  std::vector<std::string> (*notes)(const LaunchSource&) = nullptr;
  bool optional = false;  ///< a folder of files is complete without it
};

/// All formats, in the order in which help lists them.
[[nodiscard]] std::span<const LaunchFormat> launch_formats();

/// The format of that name, or nullptr.
[[nodiscard]] const LaunchFormat* find_launch_format(std::string_view name);

/// Reads host names separated by blanks or line ends, one per node. `file`: name for error
/// messages. Throws InputError that lists the line of each invalid name, or if there are not
/// `nodes` names.
[[nodiscard]] std::vector<std::string> read_host_names(const std::string& text, std::size_t nodes,
                                                       const std::string& file);

}  // namespace railyard::placement
