#pragma once

#include <optional>
#include <string>
#include <vector>

#include "placement/capacity/training/training_plan_request.hpp"
#include "placement/simulate/verify_search.hpp"

namespace railyard::placement {

/// Result of one case.
struct CaseResult {
  TrainingCase asked{};
  std::optional<TrainingOption> option{};
  std::optional<Scored> weak{};  ///< best strategy with the batch in proportion to the GPUs, by
                                 ///< formula
  std::string why_not{};         ///< why there is no option
  bool too_large = false;        ///< the model does not fit; why_not describes the nearest
                                 ///< strategy
};

/// The numbers of a candidate's GPUs to plan with, in whole nodes: the given ones, or else all,
/// 1/2, 1/4 and 1/8. Throws InputError if the candidate cannot be read.
[[nodiscard]] std::vector<TrainingCase> training_cases(const std::string& candidate,
                                                       std::vector<int> gpus);

/// A job on the first GPUs of a cluster with `nodes` nodes.
[[nodiscard]] PlaceProblem case_problem(const std::string& cluster, int nodes, const Job& job,
                                        int gpus);

/// The best strategy of a problem: the first of `verify` simulated ones, or by formula. Without one
/// the reason: none fits, or none divides the job.
struct BestStrategy {
  std::optional<Verified> best{};
  std::string why_not{};
  bool too_large = false;
};
[[nodiscard]] BestStrategy best_strategy(const PlaceProblem& problem, int verify,
                                         const EngineFactory& engines);

/// The option of a problem, with the simulated step if `best` was simulated.
[[nodiscard]] TrainingOption option_of(const TrainingPlanRequest& request,
                                       const PlaceProblem& problem, const std::string& candidate,
                                       const Verified& best);

/// Price of a GPU-hour: the given one, or else that of the GPU's config if its currency is the
/// plan's. With several types the mean over the GPUs that the strategy uses.
[[nodiscard]] std::optional<double> price_of_case(const TrainingPlanRequest& request,
                                                  const std::string& candidate,
                                                  const PlaceProblem& problem, const Scored& best);

/// Runs every case on `threads` threads; results have the order of the cases. Throws InputError for
/// a candidate on which the model fits with none of its numbers of GPUs.
[[nodiscard]] std::vector<CaseResult> run_cases(const TrainingPlanRequest& request, int threads);

}  // namespace railyard::placement
