#pragma once

#include <vector>

#include "apps/cli/context.hpp"
#include "apps/place/question.hpp"
#include "placement/mixed/mixed_objective.hpp"
#include "placement/mixed/verify_mixed.hpp"

namespace railyard::apps {

/// The types of a question with what times their collectives by formula.
class TypeForms {
 public:
  explicit TypeForms(std::span<const placement::GpuType> types) : types_(types) {
    for (const placement::GpuType& type : types) forms_.emplace_back(type.fabric);
    for (placement::ClosedForm& form : forms_) models_.push_back(&form);
  }
  [[nodiscard]] placement::MixedContext context(const Question& q) const {
    return {.job = q.job, .types = types_, .communication = models_, .order = q.order};
  }

 private:
  std::span<const placement::GpuType> types_;
  std::vector<placement::ClosedForm> forms_;
  std::vector<const placement::CommunicationModel*> models_;
};

/// Where the ranks of a mixed strategy may sit.
using MixedMappings =
    std::function<std::vector<placement::Mapping>(const placement::MixedStrategy&)>;

/// What the flags choose a mixed strategy by. Throws InputError where a rate is missing.
[[nodiscard]] placement::MixedGoal goal_of(const PlaceFlags& flags, const Question& question);

/// How many of the best the flags want to be simulated.
[[nodiscard]] int runs_wanted(const PlaceFlags& flags);

/// As candidates_of, over several types of GPU: with several batches the one is taken (and made the
/// question's) of which a sequence takes least by formula, or that is best by the
/// objective. Throws InputError where none is within --max-days.
[[nodiscard]] std::vector<placement::MixedVerified> mixed_candidates(
    const PlaceFlags& flags, Question& question, const TypeForms& forms,
    const MixedMappings& mappings, Provenance& provenance, Context& context);

/// Runs strategies as they are, each for itself, without a word.
[[nodiscard]] std::vector<placement::MixedVerified> run_each(
    const PlaceFlags& flags, const Question& question, const TypeForms& forms,
    const MixedMappings& mappings, std::span<const placement::MixedScored> strategies);

}  // namespace railyard::apps
