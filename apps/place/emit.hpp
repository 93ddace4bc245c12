#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/cli/context.hpp"
#include "apps/cli/flag_groups.hpp"
#include "apps/output/rows.hpp"
#include "placement/jobs/place_problem.hpp"
#include "placement/mapping/mapping.hpp"

namespace railyard::apps {

/// The launch files to write, and the inputs that they require.
struct LaunchRequest {
  std::vector<std::string> targets{};  ///< folders, or formats to write to standard output
  std::string hosts{};                 ///< file with the node names; empty: node0, node1, ...
  std::optional<int> cores{};          ///< cores per host
  std::string command{};               ///< command to start
  std::string job{};                   ///< name or file of the job
};

/// A strategy with its GPUs, to launch.
struct Launch {
  const LaunchRequest& request;
  const placement::PlaceProblem& problem;
  const placement::Strategy& strategy;
  const placement::Mapping& mapping;
};

/// True if a target is a format on standard output.
[[nodiscard]] bool prints_launch_file(const LaunchRequest& request);

/// Writes each target. A format that cannot express the strategy or the mapping causes an
/// InputError if it is a target itself, and a note if the target is a folder.
void emit(const Launch& launch, Context& context);

/// write_result(), without a table if a launch file is written to standard output.
void write_beside_launch(const ResultDocument& document, const OutputFlags& output,
                         const LaunchRequest& launch, Context& context);

}  // namespace railyard::apps
