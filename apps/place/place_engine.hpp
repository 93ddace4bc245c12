#pragma once

#include <set>
#include <span>
#include <string>

#include "apps/cli/context.hpp"
#include "apps/output/rows.hpp"
#include "placement/jobs/node_choice.hpp"
#include "placement/simulate/verify_search.hpp"

namespace railyard::apps {

/// Engines of a fidelity, with schedules as NCCL would choose them, the problem's faults and the
/// bandwidth that other jobs leave. A call throws InputError for an unknown fidelity.
[[nodiscard]] placement::EngineFactory engines_of(std::string fidelity);

/// Engines that time collectives alone, as `railyard sim --fidelity analytic` does without launch
/// overhead: by the model fitted for `cluster`, a name in configs/clusters or a path.
[[nodiscard]] placement::EngineFactory engines_of_collectives_alone(std::string cluster);

/// How the simulation of several strategies went.
struct RunsSummary {
  std::set<std::string> refused{};  ///< why strategies were not simulated
  std::size_t ran = 0;
  std::span<const placement::Slowdown> slowdowns{};  ///< of the first
};
/// Of what verify_search returned, which must live as long.
[[nodiscard]] RunsSummary summary_of(std::span<const placement::Verified> found);

/// A note on standard error that the result keeps too.
void note(Provenance& provenance, Context& context, std::string text);
/// Notes on how many strategies were simulated and by which engine, why others were not, and the
/// contention in the first.
void note_runs(const RunsSummary& summary, const placement::Engine& engine,
               const placement::PlaceProblem& problem, Provenance& provenance, Context& context);

/// How many of a search's best are simulated by default.
inline constexpr int kVerified = 20;
/// How many strategies a search keeps for each that is simulated, to find different splits among
/// them.
inline constexpr int kKeptPerRun = 10;

}  // namespace railyard::apps
