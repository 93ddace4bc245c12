#include "collectives/nccl/timing/fitted_pace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "collectives/schedule/finite_time.hpp"
#include "collectives/schedule/group_links.hpp"
#include "topology/cluster/payload.hpp"

namespace railyard::collectives::nccl {
namespace {

/// The text for bound_by if the limit of the bytes is not a link.
std::string_view limit_of(Bound bound) {
  if (bound == Bound::round_trips) return "round trips";
  return bound == Bound::channels ? "channels per peer" : "";
}

Time us(double microseconds) { return Time::from_seconds(microseconds * 1e-6); }

/// Bytes that a kernel within a node puts on the busiest GPU's NVLinks in one direction. With
/// multicast a GPU sends all of its data to the switch and multicasts its 1/n of an all-reduce. In
/// a gather it receives all parts.
double link_bytes(const SymmetricEstimate& kernel, const Collective& collective, double ranks) {
  const auto bytes = static_cast<double>(collective.bytes.count());
  const bool all = collective.kind == Kind::all_reduce;
  if (kernel.multicast) return all ? bytes * (1 + 1 / ranks) : bytes;
  return (all ? 2 : 1) * bytes * (ranks - 1) / ranks;
}

/// The part of NCCL's estimate that depends on the bytes, at least the time of the bytes at the
/// line rate of the links. The bound is needed because NCCL assumes a peak of 480 GiB/s for
/// multicast on H100, and its NVLinks carry 450 GB/s.
double kernel_bytes_us(const SymmetricEstimate& kernel, const Collective& collective,
                       const Machine& machine) {
  const double estimated = double{kernel.time_us} - double{kernel.latency_us};
  if (machine.nodes > 1) return estimated;
  return std::max(estimated,
                  link_bytes(kernel, collective, machine.ranks) / machine.link_limit / 1000);
}

}  // namespace

FittedPace::FittedPace(const topology::Cluster& cluster, FittedTime::Options options,
                       const topology::LaunchCost& launch)
    : cluster_(cluster), model_(cluster, std::move(options)), launch_(launch) {
  const topology::Timings& timings = model_.timings();
  parameters_ = fmt::format("{}, {}", timings.generation, timings.fabric_kind);
  network_share_ =
      std::min(1.0, timings.fabric.efficiency / topology::payload_fraction(cluster.spec().fabric));
}

LinkId FittedPace::link_of(const TimeTerms& terms, const Group& group) const {
  switch (terms.bound) {
    case Bound::gpu_links: return slowest_link_inside(cluster_, group);
    case Bound::network: return port_out(cluster_, group);
    case Bound::node_link:
      return LinkId(cluster_.node(group.nodes().front().node).first_link.index() +
                    static_cast<std::size_t>(terms.node_link));
    case Bound::channels:
    case Bound::round_trips: break;
  }
  return LinkId::none();
}

Pace FittedPace::pace(const Group& group, const FittedTime::MachineQuery& asked) const {
  const TimeTerms terms = collective_time(asked.machine, asked.query);
  const HopTimes hops = hop_times(asked.machine, asked.query);
  (void)finite_time(terms.total() * 1e-6);
  const double total = terms.total();
  const double waiting = call_time(launch_, asked.machine, asked.query, total) - total;
  return Pace{.launch = us(waiting) + us(terms.launch),
              .latency = us(terms.steps + terms.fill),
              .bytes = us(terms.bytes),
              .bound = link_of(terms, group),
              .limit = limit_of(terms.bound),
              .messages = us(terms.messages),
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
  if (const auto kernel = model_.registered(schedule)) {
    notes_.insert(
        fmt::format("{}: timed by NCCL's own estimate; no public table measures registered buffers",
                    kernel->name));
    const double bytes =
        kernel_bytes_us(*kernel, schedule.collective(), *model_.machine(schedule.group()));
    return Pace{.launch = launch_.overhead + us(double{kernel->latency_us}),
                .latency = Time(),
                .bytes = us(bytes),
                .bound = schedule.group().nodes().size() > 1
                             ? port_out(cluster_, schedule.group())
                             : slowest_link_inside(cluster_, schedule.group()),
                .messages = Time(),
                .inside_hop = Time(),
                .outside_hop = Time()};
  }
  if (schedule.group().size() > 1)
    notes_.insert(
        fmt::format("{} of {}: the fitted model does not contain it, so it is timed by "
                    "nominal link rates",
                    schedule.algorithm(), to_text(schedule.collective().kind)));
  return std::nullopt;
}

std::optional<Pace> FittedPace::pace(const Group& group, const NamedAlgorithm& named) {
  const std::lock_guard lock(mutex_);
  const auto asked = model_.query(group, named);
  return asked ? std::optional(pace(group, *asked)) : std::nullopt;
}

}  // namespace railyard::collectives::nccl
