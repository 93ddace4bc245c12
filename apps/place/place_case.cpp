#include "apps/place/place_case.hpp"

#include <sstream>

#include "apps/place/candidates.hpp"
#include "apps/place/fixed_strategy.hpp"
#include "apps/place/place_engine.hpp"
#include "apps/place/read_problem.hpp"
#include "core/diagnostic.hpp"

namespace railyard::apps {
namespace {

/// The strategy of a case, where it has one.
struct CaseStrategy {
  std::optional<placement::Strategy> fixed{};
  placement::PlaceProblem problem;
};

CaseStrategy given_or_searched(const PlaceCase& one, const placement::PlaceProblem& problem) {
  if (one.fix.empty()) return {.problem = problem};
  FixedStrategy read = read_fixed_strategy({.fix = one.fix}, problem);
  return {.fixed = read.strategy, .problem = std::move(read.problem)};
}

}  // namespace

collectives::Measurement place_step(const PlaceCase& one, Provenance& provenance) {
  const placement::PlaceProblem read = read_problem(
      {.cluster = one.cluster, .fabric = one.fabric, .job = one.job, .batch = one.batch},
      provenance);
  require_one_type(read);
  const auto [fixed, problem] = given_or_searched(one, read);
  const placement::Mapper mapper(problem, one.mapping);
  std::ostringstream unheard;
  Context context{.out = unheard, .err = unheard, .command = {}};
  Provenance notes;  // how many strategies were met is no part of a suite's
  const placement::Verified best =
      candidates_of({.fixed = fixed,
                     .top = 1,
                     .verify = one.verify.value_or(fixed ? 0 : kVerified),
                     .engines = engines_of(one.fidelity),
                     .interruptible = false},
                    problem, mapper, notes, context)
          .front();
  if (!best.scored.fits)
    throw InputError("", "--job", placement::bound_by(problem.context(), best.scored));
  const placement::Strategy& s = best.scored.strategy;
  return {.collective = "training_step",
          .algorithm = placement::to_text(s),
          .protocol = {},
          .fidelity = best.simulated ? one.fidelity : "formula",
          .ranks = static_cast<std::uint32_t>(s.gpus()),
          .nodes = static_cast<std::uint32_t>((s.gpus() + problem.gpus_per_node - 1) /
                                              problem.gpus_per_node),
          .bytes = Bytes(),
          .time = best.simulated ? best.simulated->total : best.scored.step.total,
          .bound_by = placement::bound_by(problem.context(), best.scored),
          .live = {}};
}

}  // namespace railyard::apps
