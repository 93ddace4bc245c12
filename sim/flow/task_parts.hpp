#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "collectives/schedule/executor.hpp"
#include "core/id.hpp"
#include "sim/flow/flow_workspace.hpp"

namespace railyard::sim {

/// Tasks that may share links, directly or by way of others, and the links that they may cross.
struct TaskPart {
  std::vector<std::uint32_t> tasks;  ///< in rising order
  std::vector<LinkId> links;         ///< in rising order
};

/// Tasks cut into parts that have no link in common.
struct TaskParts {
  std::vector<TaskPart> parts;           ///< in the order of their first tasks
  std::vector<std::uint32_t> number_of;  ///< by link: its place among the links of its part
};

/// Cuts tasks into parts that cannot influence each other: the connected components of tasks and
/// the links of their ways, those after each fault of the options included. A part that is
/// simulated alone comes out exactly as it would beside the others, as nothing but links ties
/// streams to each other.
///
/// Nothing where that would leave one part, or where the question makes no sense: ways that depend
/// on what was routed before (balanced, adaptive), a timeline that samples all links at each event,
/// connections without a way, or many faults (each costs routes). Does not depend on `threads`.
[[nodiscard]] std::optional<TaskParts> independent_parts(std::span<const collectives::Task> tasks,
                                                         const FlowOptions& options,
                                                         std::size_t links,
                                                         FlowWorkspaces& workspaces, int threads);

}  // namespace railyard::sim
