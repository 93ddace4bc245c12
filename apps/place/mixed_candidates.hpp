#pragma once

#include <vector>

#include "apps/cli/context.hpp"
#include "apps/place/place_request.hpp"
#include "placement/mixed/mixed_objective.hpp"
#include "placement/mixed/verify_mixed.hpp"

namespace railyard::apps {

/// The types of a problem with what times their collectives by formula.
class TypeForms {
 public:
  explicit TypeForms(std::span<const placement::GpuType> types) : types_(types) {
    for (const placement::GpuType& type : types) forms_.emplace_back(type.fabric);
    for (placement::ClosedForm& form : forms_) models_.push_back(&form);
  }
  [[nodiscard]] placement::MixedContext context(const placement::PlaceProblem& q) const {
    return {.job = q.job, .types = types_, .communication = models_, .order = q.order};
  }

 private:
  std::span<const placement::GpuType> types_;
  std::vector<placement::ClosedForm> forms_;
  std::vector<placement::CommunicationModel*> models_;
};

/// Where the ranks of a mixed strategy may sit.
using MixedMappings =
    std::function<std::vector<placement::Mapping>(const placement::MixedStrategy&)>;

/// How many of the best are simulated.
[[nodiscard]] int runs_wanted(const PlaceRequest& request);

/// Strategies that were searched, and the problem with the batch that was best.
struct MixedSearch {
  placement::PlaceProblem problem;
  std::vector<placement::MixedScored> best;
};

/// Searches with each batch that may be used, and keeps the one with the least time per sequence by
/// formula, or the least value of the objective. Throws InputError where none is within --max-days.
[[nodiscard]] MixedSearch search_batches(const PlaceRequest& request,
                                         const placement::PlaceProblem& problem, Context& context);

/// As candidates_of, over several types of GPU: the best of a search, the first of them simulated.
[[nodiscard]] std::vector<placement::MixedVerified> mixed_candidates(
    const PlaceRequest& request, const placement::PlaceProblem& problem, const TypeForms& forms,
    const MixedMappings& mappings, std::vector<placement::MixedScored> best, Provenance& provenance,
    Context& context);

/// Runs strategies as they are, each for itself, without a word.
[[nodiscard]] std::vector<placement::MixedVerified> run_each(
    const PlaceRequest& request, const placement::PlaceProblem& problem, const TypeForms& forms,
    const MixedMappings& mappings, std::span<const placement::MixedScored> strategies);

}  // namespace railyard::apps
