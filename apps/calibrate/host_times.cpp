#include "apps/calibrate/host_times.hpp"

#include <algorithm>

#include "collectives/nccl/choice/chooser.hpp"

namespace railyard::apps {
namespace {

using collectives::Group;

/// Number of clusters to keep. A search needs the present point, and one neighbour per parameter.
constexpr std::size_t kKept = 8;

}  // namespace

SimulatedHostTimes::Side::Side(topology::ClusterSpec spec)
    : cluster(topology::build_cluster(std::move(spec))),
      analytic(sim::make_engine(cluster, {.fidelity = "analytic"})),
      engines(cluster) {}

const SimulatedHostTimes::Built& SimulatedHostTimes::built(std::span<const double> x) {
  const auto known =
      std::ranges::find_if(built_, [&](const Built& one) { return std::ranges::equal(one.x, x); });
  if (known != built_.end()) return *known;
  Built next{
      .x = {x.begin(), x.end()}, .memory = std::make_unique<Side>(host_.with(x)), .cache = nullptr};
  if (auto cached = host_.cached_with(x)) next.cache = std::make_unique<Side>(std::move(*cached));
  if (built_.size() == kKept) built_.pop_front();
  built_.push_back(std::move(next));
  return built_.back();
}

double SimulatedHostTimes::operator()(std::span<const double> x, const hw::HostRow& row) {
  const Built& now = built(x);
  const Bytes buffers = row.collective.bytes * std::int64_t{row.ranks};
  const double part = !row.over_mpi && now.cache ? host_.memory_with(x)->part(buffers) : 0;
  return (part > 0 ? part * microseconds_on(*now.cache, row) : 0) +
         (part < 1 ? (1 - part) * microseconds_on(*now.memory, row) : 0);
}

double SimulatedHostTimes::microseconds_on(const Side& side, const hw::HostRow& row) {
  const auto group = std::make_shared<const Group>(
      Group::first(side.cluster, static_cast<std::size_t>(row.ranks)));
  auto chooser = collectives::nccl::Chooser::without_nccl(side.cluster, *side.analytic);
  const collectives::Schedule schedule = chooser.chosen_schedule(
      {.group = group,
       .collective = row.collective,
       .algorithm = row.algorithm,
       .protocol = collectives::Protocol::simple,
       .channels = row.channels > 0 ? std::optional(row.channels) : std::nullopt});
  const collectives::TaskResult result = side.engines.run(schedule, row.over_mpi);
  return (result.finish - result.start).microseconds();
}

}  // namespace railyard::apps
