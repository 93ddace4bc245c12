#include "apps/tuner_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "apps/nccl_ways.hpp"

namespace railyard::apps {
namespace {

using collectives::Kind;

constexpr std::array kKinds{Kind::all_reduce, Kind::all_gather, Kind::reduce_scatter,
                            Kind::broadcast, Kind::reduce};
constexpr double kLeastGain = 1.03;
constexpr double kHopeless = 4;

/// The best way at one size.
struct Best {
  Candidate way;
  std::string nccl_choice;  ///< "" where it is NCCL's
  double gain_pct = 0;
};

std::string name_of(const Candidate& way) {
  return fmt::format("{} {}", way.algorithm, to_text(way.protocol));
}

double simulated_us(const collectives::Schedule& schedule, collectives::Executor& executor) {
  const collectives::Task task{.schedule = &schedule, .start = Time(), .name = {}};
  const auto result = executor.run({&task, 1}).tasks.front();
  return (result.finish - result.start).microseconds();
}

/// NCCL's estimate times what the fabric adds.
double on_the_fabric_us(const TuningGround& ground, const ChoiceRequest& asked,
                        const Candidate& way) {
  const collectives::Schedule schedule = nccl_schedule(ground.chooser, asked, way);
  const double ideal = simulated_us(schedule, ground.ideal);
  if (!(ideal > 0)) return way.time_us;
  double sum = 0;
  for (const auto& fabric : ground.fabrics) sum += simulated_us(schedule, *fabric);
  return way.time_us * sum / static_cast<double>(ground.fabrics.size()) / ideal;
}

/// Nothing where NCCL itself would fail.
std::optional<Best> best_way(const TuningGround& ground, const ChoiceRequest& asked) {
  const std::vector<Candidate> ways = nccl_ways(ground.chooser, asked);
  const auto nccl = std::ranges::find(ways, true, &Candidate::chosen);
  if (nccl == ways.end()) return std::nullopt;
  const bool has_fabric = asked.group->nodes().size() > 1;
  if (!has_fabric || !nccl->no_schedule.empty()) return Best{*nccl, "", 0};
  const double own = on_the_fabric_us(ground, asked, *nccl);
  const Candidate* fastest = &*nccl;
  double least = own / kLeastGain;
  for (const Candidate& way : ways) {
    if (!way.why_not.empty() || !way.no_schedule.empty() || way.chosen) continue;
    if (way.time_us > kHopeless * nccl->time_us) continue;
    const double time = on_the_fabric_us(ground, asked, way);
    if (time >= least) continue;
    least = time;
    fastest = &way;
  }
  if (fastest == &*nccl) return Best{*nccl, "", 0};
  return Best{*fastest, name_of(*nccl), (own / least - 1) * 100};
}

bool is_alike(const TunerRange& range, const Best& best) {
  return range.algorithm == best.way.algorithm && range.protocol == best.way.protocol &&
         range.channels == best.way.channels && range.nccl_choice == best.nccl_choice;
}

TunerRange range_of(Kind kind, std::uint64_t from, const Best& best) {
  return {.kind = kind,
          .from = from,
          .to = std::numeric_limits<std::uint64_t>::max(),
          .algorithm = best.way.algorithm,
          .protocol = best.way.protocol,
          .channels = std::max(1, best.way.channels),
          .nccl_choice = best.nccl_choice,
          .gain_pct = best.gain_pct};
}

}  // namespace

std::size_t tuning_steps(std::span<const Bytes> sizes) { return kKinds.size() * sizes.size(); }

topology::Cluster on_one_switch(const topology::Cluster& cluster) {
  topology::ClusterSpec spec = cluster.spec();
  const topology::FabricSpec own = spec.fabric;
  spec.fabric = {};
  spec.fabric.kind = topology::FabricKind::single_switch;
  spec.fabric.transport = own.transport;
  // The ports of two planes are halves of a NIC.
  if (own.kind != topology::FabricKind::dual_plane) spec.fabric.port_bandwidth = own.port_bandwidth;
  spec.fabric.port_latency = own.port_latency;
  spec.fabric.switch_latency = own.switch_latency;
  spec.fabric.mtu = own.mtu;
  spec.fabric.packet_overhead = own.packet_overhead;
  spec.file.clear();
  return topology::build_cluster(std::move(spec));
}

TunerPlan plan_tuning(const TuningGround& ground, std::span<const Bytes> sizes,
                      const std::function<void(std::string_view)>& progress) {
  TunerPlan plan{.ranks = static_cast<int>(ground.group->size()),
                 .nodes = static_cast<int>(ground.group->nodes().size()),
                 .ranges = {}};
  ChoiceRequest asked{
      .group = ground.group, .collective = {}, .algorithm = "auto", .protocol = {}, .channels = {}};
  for (const Kind kind : kKinds) {
    std::int64_t last = -1;
    asked.collective.kind = kind;
    for (const Bytes size : sizes) {
      progress(fmt::format("{} {}", to_text(kind), size_text(size.count())));
      asked.collective.bytes = size;
      const std::optional<Best> best = best_way(ground, asked);
      if (!best) continue;
      if (last >= 0 && is_alike(plan.ranges.back(), *best)) {
        plan.ranges.back().gain_pct = std::min(plan.ranges.back().gain_pct, best->gain_pct);
      } else {
        const std::int64_t middle = last + (size.count() - last) / 2;
        if (last >= 0) plan.ranges.back().to = static_cast<std::uint64_t>(middle);
        plan.ranges.push_back(
            range_of(kind, last < 0 ? 0 : static_cast<std::uint64_t>(middle) + 1, *best));
      }
      last = size.count();
    }
  }
  return plan;
}

}  // namespace railyard::apps
