#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/cli/context.hpp"
#include "apps/output/strategy_rows.hpp"
#include "apps/plan/train/train_request.hpp"
#include "placement/simulate/verify_search.hpp"

namespace railyard::apps {

/// What became of one case.
struct TrainResult {
  TrainCase asked{};
  std::optional<placement::TrainingOption> option{};
  std::optional<placement::Scored>
      weak{};              ///< with the batch in proportion to the GPUs, by formula
  std::string why_not{};   ///< why there is no option
  bool too_large = false;  ///< the model does not fit: why_not names the nearest
};

/// A job on a candidate's GPUs.
[[nodiscard]] placement::PlaceProblem case_problem(topology::Cluster cluster,
                                                   const placement::Job& job, int gpus);

/// The best strategy of a problem: the first of `verify` simulated ones, or by formula. Nothing,
/// with the reason, where none fits or divides the job.
struct BestStrategy {
  std::optional<placement::Verified> best{};
  std::string why_not{};
  bool too_large = false;
};
[[nodiscard]] BestStrategy best_strategy(const placement::PlaceProblem& problem, int verify);

/// The option of a problem; with the simulated step where it was simulated.
[[nodiscard]] placement::TrainingOption option_of(const TrainPlanRequest& request,
                                                  const placement::PlaceProblem& problem,
                                                  const std::string& candidate,
                                                  const placement::Verified& best);

/// Price of a GPU-hour: of the flags, else of the GPU's config if its currency is that of the plan.
[[nodiscard]] std::optional<double> price_of_case(const TrainPlanRequest& request,
                                                  const std::string& candidate,
                                                  const placement::PlaceProblem& problem);

/// Runs every case, on `threads` threads; results in the order of the cases. Throws InputError for
/// a candidate on which the model fits with no number of GPUs.
[[nodiscard]] std::vector<TrainResult> run_cases(const TrainPlanRequest& request, int threads,
                                                 Provenance& provenance);

}  // namespace railyard::apps
