#include "apps/place/place_case.hpp"

#include "apps/place/place_engine.hpp"
#include "apps/place/read_problem.hpp"
#include "core/diagnostic.hpp"
#include "placement/jobs/candidates.hpp"
#include "placement/jobs/given_strategy.hpp"

namespace railyard::apps {
collectives::Measurement place_step(const PlaceCase& one, Provenance& provenance) {
  const placement::GivenProblem given =
      placement::read_given({.fix = one.fix}, read_problem({.cluster = one.cluster,
                                                            .fabric = one.fabric,
                                                            .job = one.job,
                                                            .batch = one.batch,
                                                            .seed = one.seed},
                                                           provenance));
  const placement::PlaceProblem& problem = given.problem;
  const placement::Mapper mapper(problem, one.mapping);
  const placement::Verified best =
      placement::find_candidates({.given = given.strategy,
                                  .top = 1,
                                  .verify = one.verify.value_or(given.strategy ? 0 : kVerified),
                                  .engines = engines_of(one.fidelity)},
                                 problem, mapper)
          .front();
  if (!best.scored.fits)
    throw InputError("", "--job", placement::bound_by(problem.context(), best.scored));
  const placement::Strategy& s = best.scored.strategy;
  return {.collective = "training_step",
          .algorithm = placement::to_text(s),
          .protocol = {},
          .fidelity = best.simulated ? one.fidelity : "formula",
          .ranks = static_cast<std::uint32_t>(s.gpus()),
          .nodes = static_cast<std::uint32_t>(
              placement::nodes_of(problem.types, placement::gpus_used(s, problem.types.size()))),
          .bytes = Bytes(),
          .time = best.simulated ? best.simulated->total : best.scored.step.total,
          .bound_by = placement::bound_by(problem.context(), best.scored),
          .live = {}};
}

}  // namespace railyard::apps
