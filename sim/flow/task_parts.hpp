#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "collectives/schedule/executor.hpp"
#include "core/id.hpp"
#include "sim/flow/flow_workspace.hpp"

namespace railyard::sim {

/// Tasks that may share links, directly or through others, and the links that they may cross.
struct TaskPart {
  std::vector<std::uint32_t> tasks;  ///< in ascending order
  std::vector<LinkId> links;         ///< in ascending order
};

/// Tasks split into parts without common links.
struct TaskParts {
  std::vector<TaskPart> parts;           ///< in the order of their first tasks
  std::vector<std::uint32_t> number_of;  ///< by link: its index among the links of its part
};

/// Splits tasks into parts that cannot influence each other: the connected components of tasks and
/// the links of their paths, including the paths after each fault of the options. A part that is
/// simulated alone has the same result as beside the others, because streams affect each other only
/// through links.
///
/// Empty if there would be one part, or if a split is not possible: paths that depend on earlier
/// routes (balanced, adaptive), a timeline that samples all links at each event, connections
/// without a path, or many faults (each costs routes). Does not depend on `threads`.
[[nodiscard]] std::optional<TaskParts> independent_parts(std::span<const collectives::Task> tasks,
                                                         const FlowOptions& options,
                                                         std::size_t links,
                                                         FlowWorkspaces& workspaces, int threads);

}  // namespace railyard::sim
