#include "sim/host_engines.hpp"

namespace railyard::sim {

HostEngines::HostEngines(const topology::Cluster& cluster, EngineOptions options) {
  options.fidelity = "flow";
  streams_ = make_engine(cluster, options);
  options.expand = true;
  options.timing = nullptr;
  transfers_ = make_engine(cluster, options);
}

collectives::TaskResult HostEngines::run(const collectives::Schedule& schedule,
                                         bool over_mpi) const {
  const collectives::Task task{.schedule = &schedule, .start = Time(), .name = {}};
  const bool expands = over_mpi && schedule.transfer_count() <= kMostExpanded;
  return (expands ? transfers_ : streams_)->run({&task, 1}).tasks.front();
}

}  // namespace railyard::sim
