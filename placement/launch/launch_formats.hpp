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

/// A strategy on its GPUs, and what the launcher files of a job depend on beside it.
struct LaunchSource {
  const topology::Cluster& cluster;
  const Job& job;
  const Strategy& strategy;
  const Mapping& mapping;
  std::span<const GpuType> types;       ///< of the cluster's GPUs
  std::span<const std::string> nodes;   ///< host name of each node of the cluster
  std::string name = "job";             ///< of the job
  std::string command{};                ///< to start; empty: Megatron-LM's training script
  std::optional<int> cores_per_host{};  ///< for rankfiles
};

/// A kind of file that launchers or frameworks read.
struct LaunchFormat {
  std::string_view name;
  std::string_view file;  ///< its name in a folder
  std::string_view description;
  /// The file for a strategy. Throws InputError, at the flag of `railyard place`, if the format
  /// cannot express the strategy or the mapping.
  std::string (*write)(const LaunchSource&);
  /// Where the file deviates from the strategy, one line each; null: nowhere.
  std::vector<std::string> (*notes)(const LaunchSource&) = nullptr;
  bool optional = false;  ///< a folder without it is complete
};

/// All formats, in the order in which help lists them.
[[nodiscard]] std::span<const LaunchFormat> launch_formats();

/// The format of that name, or nullptr.
[[nodiscard]] const LaunchFormat* find_launch_format(std::string_view name);

/// Host names of a text: one per node, between blanks or line ends. `file` is for the messages.
/// Throws InputError with the line of each bad name, or if there are not `nodes` names.
[[nodiscard]] std::vector<std::string> read_host_names(const std::string& text, std::size_t nodes,
                                                       const std::string& file);

}  // namespace railyard::placement
