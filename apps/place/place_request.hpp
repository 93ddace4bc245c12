#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/place/candidates.hpp"
#include "apps/place/emit.hpp"
#include "apps/place/fixed_strategy.hpp"
#include "apps/place/objective.hpp"
#include "apps/place/read_problem.hpp"
#include "placement/search/search.hpp"

namespace railyard::apps {

struct PlaceFlags;

/// What `railyard place` is asked to do, as values.
struct PlaceRequest {
  ProblemSource source{};
  std::string queue{};    ///< a file with several jobs, in place of source.job
  GivenStrategy given{};  ///< empty: strategies are searched
  std::optional<int> max_batch{};
  placement::SearchSpace space{};  ///< gpus and top are set where it is used
  int top = 5;                     ///< strategies to print
  std::optional<int> verify{};     ///< strategies to simulate; nothing: the default of the task
  std::string fidelity = "flow";
  bool mapping = false, wide = false, timeline = false;
  ObjectiveFlags objective{};
  std::string lost{};  ///< nodes
  std::optional<int> added{};
  std::optional<Time> restart{};
  LaunchRequest launch{};
  OutputFlags output{};

  /// Nodes of a running job are lost or added.
  [[nodiscard]] bool is_elastic() const { return !lost.empty() || added.has_value(); }
};

/// Throws InputError for texts of flags that are no values.
[[nodiscard]] PlaceRequest place_request(const PlaceFlags& flags);

/// How candidates are found; `fixed` is the only one where it is set.
[[nodiscard]] CandidateRequest candidate_request(
    const PlaceRequest& request, const std::optional<placement::Strategy>& fixed = {});

}  // namespace railyard::apps
