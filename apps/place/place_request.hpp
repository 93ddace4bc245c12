#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/place/emit.hpp"
#include "apps/place/objective.hpp"
#include "apps/place/read_problem.hpp"
#include "placement/jobs/candidates.hpp"
#include "placement/jobs/given_strategy.hpp"
#include "placement/search/search.hpp"
#include "sim/run_watch.hpp"

namespace railyard::apps {

struct PlaceFlags;

/// What `railyard place` is asked to do, as values.
struct PlaceRequest {
  ProblemSource source{};
  std::string queue{};              ///< a file with several jobs, in place of source.job
  placement::StrategyText given{};  ///< empty: strategies are searched
  std::optional<int> max_batch{};
  placement::SearchSpace space{};  ///< gpus and top are set where it is used
  std::optional<int> top{};        ///< strategies to print; nothing: kTop
  std::optional<int> verify{};     ///< strategies to simulate; nothing: the default of the task
  std::string fidelity = "flow";
  bool mapping = false, wide = false, timeline = false, range = false;
  bool whole_step = false;  ///< run the best strategy's step as one workload
  std::string workload{};   ///< file for that workload; empty: none
  placement::ObjectiveChoice objective{};
  std::string lost{};  ///< nodes
  std::optional<int> added{};
  std::optional<Time> restart{};
  LaunchRequest launch{};
  OutputFlags output{};
  sim::Announce announce{};  ///< told of simulations that take much memory

  /// Nodes of a running job are lost or added.
  [[nodiscard]] bool is_elastic() const { return !lost.empty() || added.has_value(); }
};

/// Throws InputError for texts of flags that are no values.
[[nodiscard]] PlaceRequest place_request(const PlaceFlags& flags);

/// How the candidates for a goal are found; `given`: the only one, or that of which a part is to be
/// chosen.
[[nodiscard]] placement::CandidateRequest candidate_request(
    const PlaceRequest& request, std::optional<placement::GivenStrategy> given,
    placement::Goal goal);

}  // namespace railyard::apps
