#include "hw/workload/live_loads.hpp"

#include <utility>

#include "collectives/workload/check_workload.hpp"
#include "collectives/workload/load_schedules.hpp"
#include "core/diagnostic.hpp"

namespace railyard::hw {
namespace {

using collectives::Communications;
using collectives::Meetings;
using collectives::Schedule;

Meetings checked_meetings(const Communications& communications) {
  std::vector<Diagnostic> problems = collectives::check_workload(communications.workload());
  if (!problems.empty()) throw InputError(std::move(problems));
  return collectives::meetings_of(
      communications, collectives::rank_classes(communications, nullptr, true), problems);
}

/// A message of two ranks moves one way: a broadcast, so that its result can be checked.
std::unique_ptr<const Schedule> one_way(const Schedule& message) {
  Schedule::Parts parts{.algorithm = message.algorithm(),
                        .protocol = message.protocol(),
                        .collective = message.collective(),
                        .group = std::make_shared<const collectives::Group>(message.group()),
                        .reducers = {},
                        .channels = {message.channels().begin(), message.channels().end()}};
  parts.collective.kind = collectives::Kind::broadcast;
  parts.collective.root = 0;
  return std::make_unique<const Schedule>(std::move(parts));
}

}  // namespace

LiveLoads::LiveLoads(const collectives::Workload& workload, const topology::Cluster& cluster,
                     std::span<const Rank> gpus, const collectives::ScheduleSource& source)
    : communications_(workload),
      meetings_(checked_meetings(communications_)),
      schedules_(collectives::load_schedules(communications_, cluster, gpus, source)) {
  for (std::size_t load = 0; load < schedules_.size(); ++load) {
    const auto& transport = communications_.transports()[communications_.loads()[load].transport];
    if (schedules_[load] != nullptr && transport.is_message())
      schedules_[load] = one_way(*schedules_[load]);
  }
}

std::span<const std::uint32_t> LiveLoads::ranks(std::uint32_t load) const {
  return communications_.ranks(communications_.loads()[load]);
}

}  // namespace railyard::hw
