#include "collectives/nccl/timing/fitted_pace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "collectives/schedule/group_links.hpp"
#include "topology/cluster/payload.hpp"

namespace railyard::collectives::nccl {
namespace {

Time us(double microseconds) { return Time::from_seconds(microseconds * 1e-6); }

}  // namespace

FittedPace::FittedPace(const topology::Cluster& cluster, FittedTime::Options options,
                       Time launch_overhead)
    : cluster_(cluster), model_(cluster, std::move(options)), launch_overhead_(launch_overhead) {
  const topology::Timings& timings = model_.timings();
  parameters_ = fmt::format("{}, {}", timings.generation, timings.fabric_kind);
  network_share_ =
      std::min(1.0, timings.fabric.efficiency / topology::payload_fraction(cluster.spec().fabric));
}

Pace FittedPace::pace(const Group& group, const FittedTime::MachineQuery& asked) const {
  const TimeTerms terms = collective_time(asked.machine, asked.query);
  const HopTimes hops = hop_times(asked.machine, asked.query);
  return Pace{.launch = launch_overhead_ + us(terms.launch),
              .latency = us(terms.steps + terms.fill),
              .bytes = us(terms.bytes),
              .bound = terms.bound == Bound::gpu_links ? slowest_link_inside(cluster_, group)
                                                       : port_out(cluster_, group),
              .waits_for_buffers = terms.bound == Bound::round_trips,
              .inside_hop = hops.inside,
              .outside_hop = hops.outside,
              .inside = asked.machine.meets_over_nvlink ? topology::LinkKind::nvlink
                                                        : topology::LinkKind::pcie};
}

std::set<std::string> FittedPace::notes() const {
  const std::lock_guard lock(mutex_);
  return notes_;
}

std::optional<Pace> FittedPace::pace(const Schedule& schedule) {
  const std::lock_guard lock(mutex_);
  if (const auto asked = model_.query(schedule)) return pace(schedule.group(), *asked);
  if (schedule.group().size() > 1)
    notes_.insert(fmt::format("{} of {}: not an NCCL algorithm, timed by nominal link rates",
                              schedule.algorithm(), to_text(schedule.collective().kind)));
  return std::nullopt;
}

std::optional<Pace> FittedPace::pace(const Group& group, const NamedAlgorithm& named) {
  const std::lock_guard lock(mutex_);
  const auto asked = model_.query(group, named);
  return asked ? std::optional(pace(group, *asked)) : std::nullopt;
}

}  // namespace railyard::collectives::nccl
