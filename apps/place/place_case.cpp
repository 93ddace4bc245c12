#include "apps/place/place_case.hpp"

#include <sstream>

#include "apps/place/candidates.hpp"
#include "core/diagnostic.hpp"

namespace railyard::apps {

collectives::Measurement place_step(const PlaceCase& one, Provenance& provenance) {
  PlaceFlags flags;
  flags.cluster = one.cluster;
  flags.fabric = one.fabric;
  flags.job = one.job;
  flags.fix = one.fix;
  flags.batch = one.batch;
  flags.verify = one.verify;
  flags.fidelity = one.fidelity;
  flags.top = 1;
  flags.interruptible = false;
  std::ostringstream unheard;
  Context context{.out = unheard, .err = unheard, .command = {}};
  Question q = read_question(flags, provenance);
  require_one_type(q);
  const Mapper mapper(q, one.mapping);
  Provenance notes;  // how many strategies were met is no part of a suite's
  const placement::Verified best = candidates_of(flags, q, mapper, notes, context).front();
  if (!best.scored.fits)
    throw InputError("", "--job", placement::bound_by(q.context(), best.scored));
  const placement::Strategy& s = best.scored.strategy;
  return {.collective = "training_step",
          .algorithm = placement::to_text(s),
          .protocol = {},
          .fidelity = best.simulated ? flags.fidelity : "formula",
          .ranks = static_cast<std::uint32_t>(s.gpus()),
          .nodes = static_cast<std::uint32_t>((s.gpus() + q.gpus_per_node - 1) / q.gpus_per_node),
          .bytes = Bytes(),
          .time = best.simulated ? best.simulated->total : best.scored.step.total,
          .bound_by = placement::bound_by(q.context(), best.scored),
          .live = {}};
}

}  // namespace railyard::apps
