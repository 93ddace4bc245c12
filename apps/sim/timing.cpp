#include "apps/sim/timing.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "apps/output/binding_link.hpp"
#include "collectives/nccl/timing/fit/read_system_map.hpp"
#include "core/config/enum_names.hpp"
#include "core/diagnostic.hpp"
#include "topology/cluster/payload.hpp"
#include "topology/cluster/read_timings.hpp"
#include "topology/node/host_rank.hpp"

namespace railyard::apps {
namespace {

namespace nccl = collectives::nccl;
using collectives::Pace;

Time us(double microseconds) { return Time::from_seconds(microseconds * 1e-6); }

/// What the benchmark of that name adds to each call.
Time overhead_of(const std::string& name) {
  if (name == "none") return Time();
  const nccl::SystemMap map = nccl::read_system_map("public");
  std::vector<std::string_view> names{"none"};
  for (const nccl::Harness& harness : map.harnesses) {
    if (harness.flag == name) return harness.overhead;
    names.push_back(harness.flag);
  }
  throw InputError("", "--harness", core::unknown_name(name, names));
}

}  // namespace

FittedTiming::FittedTiming(const topology::Cluster& cluster, const Setting& setting)
    : cluster_(cluster),
      model_(cluster, {.search = setting.environment.search,
                       .tuning = setting.environment.tuning,
                       .sends = setting.environment.p2p,
                       .timings = topology::read_timings(setting.cluster)}),
      overhead_(overhead_of(setting.harness)) {
  const topology::Timings& timings = model_.timings();
  parameters_ = fmt::format("{}, {}", timings.generation, timings.fabric_kind);
  network_share_ =
      std::min(1.0, timings.fabric.efficiency / topology::payload_fraction(cluster.spec().fabric));
}

Pace FittedTiming::pace(const collectives::Group& group, const nccl::FittedTime::Way& way) const {
  const nccl::TimeTerms terms = collective_time(way.machine, way.query);
  const nccl::HopTimes hops = hop_times(way.machine, way.query);
  return Pace{.launch = overhead_ + us(terms.launch),
              .latency = us(terms.steps + terms.fill),
              .bytes = us(terms.bytes),
              .bound = terms.bound == nccl::Bound::gpu_links ? slowest_link_inside(cluster_, group)
                                                             : port_out(cluster_, group),
              .waits_for_buffers = terms.bound == nccl::Bound::round_trips,
              .inside_hop = hops.inside,
              .outside_hop = hops.outside,
              .inside = way.machine.meets_over_nvlink ? topology::LinkKind::nvlink
                                                      : topology::LinkKind::pcie};
}

std::set<std::string> FittedTiming::notes() const {
  const std::lock_guard lock(mutex_);
  return notes_;
}

std::optional<Pace> FittedTiming::pace(const collectives::Schedule& schedule) {
  const std::lock_guard lock(mutex_);
  if (const auto way = model_.way(schedule)) return pace(schedule.group(), *way);
  if (schedule.group().size() > 1)
    notes_.insert(fmt::format("{} of {}: not NCCL's, timed by nominal links", schedule.algorithm(),
                              to_text(schedule.collective().kind)));
  return std::nullopt;
}

std::optional<Pace> FittedTiming::pace(const collectives::Group& group,
                                       const nccl::NamedWay& named) {
  const std::lock_guard lock(mutex_);
  const auto way = model_.way(group, named);
  return way ? std::optional(pace(group, *way)) : std::nullopt;
}

void add_timing_facts(const FittedTiming* timing, const TimingFlags& flags,
                      Provenance& provenance) {
  if (timing == nullptr) {
    provenance.facts.emplace_back("timing", "nominal");
    return;
  }
  provenance.facts.emplace_back("timing", fmt::format("fitted ({})", timing->parameters()));
  provenance.facts.emplace_back("harness", flags.harness);
}

std::shared_ptr<FittedTiming> make_timing(const topology::Cluster& cluster,
                                          const ClusterFlags& cluster_flags,
                                          const TimingFlags& flags,
                                          const NcclEnvironment& environment) {
  if (flags.timing == "nominal") return nullptr;
  if (flags.timing != "fitted")
    throw InputError("", "--timing", core::unknown_name(flags.timing, {"fitted", "nominal"}));
  if (std::ranges::any_of(cluster.spec().node_specs, [](const topology::NodeSpec& node) {
        return topology::is_host_rank(node.gpu);
      }))
    return nullptr;
  return std::make_shared<FittedTiming>(
      cluster,
      FittedTiming::Setting{
          .cluster = cluster_flags.cluster, .environment = environment, .harness = flags.harness});
}

}  // namespace railyard::apps
