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

/// Which launch files to write, and what they need to know.
struct LaunchRequest {
  std::vector<std::string> targets{};  ///< folders, or formats that go to standard output
  std::string hosts{};                 ///< file with the names of the nodes; empty: node0, ...
  std::optional<int> cores{};          ///< of a host
  std::string command{};               ///< to start
  std::string job{};                   ///< its name or file
};

/// A strategy on its GPUs.
struct Launch {
  const LaunchRequest& request;
  const placement::PlaceProblem& problem;
  const placement::Strategy& strategy;
  const placement::Mapping& mapping;
};

/// Whether a target is a format on standard output.
[[nodiscard]] bool prints_launch_file(const LaunchRequest& request);

/// Writes each target. A format that cannot express the strategy or the mapping is an InputError
/// where it is a target itself, and a note where the target is a folder.
void emit(const Launch& launch, Context& context);

/// write_result(), without a table where a launch file goes to standard output.
void write_beside_launch(const ResultDocument& document, const OutputFlags& output,
                         const LaunchRequest& launch, Context& context);

}  // namespace railyard::apps
