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

/// The request of `railyard place`, as values.
struct PlaceRequest {
  ProblemSource source{};
  std::string queue{};              ///< a file with several jobs; replaces source.job
  placement::StrategyText given{};  ///< empty: strategies are searched
  std::optional<int> max_batch{};
  placement::SearchSpace space{};  ///< without gpus and top, which are set by its users
  std::optional<int> top{};        ///< strategies to print; empty: kTop
  std::optional<int> verify{};     ///< strategies to simulate; empty: the default of the task
  std::string fidelity = "flow";
  bool mapping = false, wide = false, timeline = false, range = false;
  bool whole_step = false;  ///< run the best strategy's step as one workload
  std::string workload{};   ///< file for that workload; empty: none
  placement::ObjectiveChoice objective{};
  std::string lost{};  ///< lost nodes
  std::optional<int> added{};
  std::optional<Time> restart{};
  LaunchRequest launch{};
  OutputFlags output{};
  sim::Announce announce{};  ///< called before simulations that need much memory

  /// True if nodes of a running job are lost or added.
  [[nodiscard]] bool is_elastic() const { return !lost.empty() || added.has_value(); }
};

/// Converts the flags. Throws InputError for invalid values.
[[nodiscard]] PlaceRequest place_request(const PlaceFlags& flags);

/// The request to find candidates for a goal. `given`: a strategy of which some sizes may be
/// missing, or nothing for a full search.
[[nodiscard]] placement::CandidateRequest candidate_request(
    const PlaceRequest& request, std::optional<placement::GivenStrategy> given,
    placement::Goal goal);

}  // namespace railyard::apps
