#include "hw/mpi/rank_schedule.hpp"

#include "hw/local/averaging.hpp"
#include "hw/local/reduction.hpp"

namespace railyard::hw::mpi {

RankSchedule::RankSchedule(const Communicator& communicator, MPI_Comm comm,
                           const collectives::Schedule& schedule, const Options& options)
    : program_(compile(schedule, options.division)),
      memory_(plan_of(schedule, program_), options.seed, options.separate_inputs),
      replay_(communicator, comm, program_,
              {.reduce = reduction(schedule.collective().type, schedule.collective().op),
               .element = static_cast<std::size_t>(size_of(schedule.collective().type).count()),
               .segment = options.pieces.segment,
               .in_flight = options.pieces.in_flight,
               .ranks = options.ranks}) {}

void RankSchedule::run() {
  memory_.bring();
  replay_.run(memory_.data());
  finish();
}

void RankSchedule::begin(std::uint64_t first_tag) {
  memory_.bring();
  replay_.begin(memory_.data(), first_tag);
}

void RankSchedule::finish() {
  const BlockPlan& plan = memory_.plan();
  if (!is_averaged(plan.collective)) return;
  average(memory_.data(), plan.after, plan.block_bytes, plan.collective.type, plan.ranks);
}

}  // namespace railyard::hw::mpi
