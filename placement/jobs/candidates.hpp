#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "placement/jobs/mapper.hpp"
#include "placement/jobs/node_choice.hpp"
#include "placement/search/goal.hpp"
#include "placement/search/search.hpp"
#include "placement/simulate/verify_search.hpp"

namespace railyard::placement {

/// Callbacks of a long search; each may be empty.
struct SearchWatch {
  std::function<void(std::string text)> note{};    ///< receives notes that are part of the result
  std::function<void(std::string text)> remark{};  ///< receives notes that are not
  /// Called with the current part of the work and its progress (0 to 1); returning false stops it.
  std::function<bool(std::string_view what, double done)> keep_going{};
  std::function<void()> finished{};  ///< called when a part of the work ends

  void report(std::string text) const {
    if (note) note(std::move(text));
  }
};

/// How the strategies of a problem are found.
struct CandidateRequest {
  std::optional<GivenStrategy> given{};  ///< nothing: strategies are searched
  SearchSpace space{};                   ///< gpus and top are ignored
  Goal goal{};     ///< orders the strategies if there are several types; one type: the time does
  int top = 5;     ///< how many to return
  int verify = 0;  ///< how many of the fastest to simulate
  EngineFactory engines{};
  std::vector<int> runs{};     ///< simulated steps to keep (VerifyRequest::runs)
  bool keeps_fastest = false;  ///< VerifyRequest::keeps_fastest
  bool only_fastest = false;   ///< VerifyRequest::only_fastest, if the time orders them
  /// VerifyRequest::operations_in_full.
  std::uint64_t operations_in_full = kOperationsInFull;
  /// The best strategy of a search that the user stopped earlier. It is used without a new search.
  const Scored* so_far = nullptr;
  SearchWatch watch{};
};

/// The strategies of a problem, best first. All are ordered by formula; the first `verify` of them
/// are then simulated and ordered by simulated time. Stopping ends search and simulation early.
/// Throws InputError if no strategy divides the job, and with several types if none finishes within
/// the goal's days.
[[nodiscard]] std::vector<Verified> find_candidates(const CandidateRequest& request,
                                                    const PlaceProblem& problem,
                                                    const Mapper& mapper);

/// Whether strategies are ordered by the value of the goal: only with several types and an
/// objective other than time.
[[nodiscard]] bool orders_by_value(const Goal& goal, const PlaceProblem& problem);

/// The strategy with its simulated step, if it was simulated.
[[nodiscard]] Scored as_simulated(const Verified& one);

/// Whether links are slower than the formulas assume, because of faults or traffic of other jobs.
[[nodiscard]] bool has_slower_links(const PlaceProblem& problem);

}  // namespace railyard::placement
