#pragma once

#include <optional>
#include <string>
#include <vector>

#include "placement/capacity/training/training_plan_request.hpp"
#include "placement/simulate/verify_search.hpp"

namespace railyard::placement {

/// What became of one case.
struct CaseResult {
  TrainingCase asked{};
  std::optional<TrainingOption> option{};
  std::optional<Scored> weak{};  ///< with the batch in proportion to the GPUs, by formula
  std::string why_not{};         ///< why there is no option
  bool too_large = false;        ///< the model does not fit: why_not names the nearest
};

/// The numbers of a candidate's GPUs, in whole nodes: those given, else all, a half, a quarter and
/// an eighth. Throws InputError where the candidate cannot be read.
[[nodiscard]] std::vector<TrainingCase> training_cases(const std::string& candidate,
                                                       std::vector<int> gpus);

/// A job on the first GPUs of a cluster of so many nodes.
[[nodiscard]] PlaceProblem case_problem(const std::string& cluster, int nodes, const Job& job,
                                        int gpus);

/// The best strategy of a problem: the first of `verify` simulated ones, or by formula. Nothing,
/// with the reason, where none fits or divides the job.
struct BestStrategy {
  std::optional<Verified> best{};
  std::string why_not{};
  bool too_large = false;
};
[[nodiscard]] BestStrategy best_strategy(const PlaceProblem& problem, int verify,
                                         const EngineFactory& engines);

/// The option of a problem; with the simulated step where it was simulated.
[[nodiscard]] TrainingOption option_of(const TrainingPlanRequest& request,
                                       const PlaceProblem& problem, const std::string& candidate,
                                       const Verified& best);

/// Price of a GPU-hour: the given one, else those of the GPUs' configs if their currency is that of
/// the plan; over several types the mean of the GPUs that the strategy uses.
[[nodiscard]] std::optional<double> price_of_case(const TrainingPlanRequest& request,
                                                  const std::string& candidate,
                                                  const PlaceProblem& problem, const Scored& best);

/// Runs every case, on `threads` threads; results in the order of the cases. Throws InputError for
/// a candidate on which the model fits with no number of GPUs.
[[nodiscard]] std::vector<CaseResult> run_cases(const TrainingPlanRequest& request, int threads);

}  // namespace railyard::placement
