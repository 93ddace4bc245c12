#include "apps/bench/bench_setting.hpp"

#include <fmt/format.h>

#include <cmath>

#include "apps/cli/setting.hpp"
#include "collectives/nccl/timing/fitted_pace.hpp"
#include "collectives/nccl/tuning/release.hpp"
#include "core/diagnostic.hpp"
#include "hw/live_measure.hpp"
#include "sim/engine.hpp"
#include "sim/workload/workload_run.hpp"
#include "topology/cluster/read_timings.hpp"

namespace railyard::apps {
namespace {

using collectives::Schedule;

ClusterFlags predicted_cluster(const BenchFlags& flags) {
  return {.cluster = flags.predict, .nodes = flags.nodes, .gpus = {}, .ranks = flags.ranks};
}

void set_rank_bandwidth(std::vector<topology::PcieSpec>& functions, Bandwidth bandwidth) {
  for (topology::PcieSpec& function : functions) {
    if (function.kind == topology::PcieKind::gpu) function.bandwidth = bandwidth;
    set_rank_bandwidth(function.children, bandwidth);
  }
}

/// The cluster with the bandwidth of its caches; empty if its file does not describe them.
std::optional<CachedHost> cached_host(const std::string& file, const topology::Cluster& cluster) {
  const auto memory = topology::read_host_memory(file);
  if (!memory) return std::nullopt;
  topology::ClusterSpec spec = cluster.spec();
  for (topology::NodeSpec& node : spec.node_specs)
    for (topology::CpuSpec& cpu : node.cpus) set_rank_bandwidth(cpu.pcie, memory->bandwidth);
  auto built = std::make_unique<topology::Cluster>(topology::build_cluster(std::move(spec)));
  sim::HostEngines predictor(*built);
  return CachedHost{*memory, std::move(built), std::move(predictor)};
}

/// The environment with the release of the backend's NCCL, or the nearest modelled one.
collectives::nccl::NcclEnvironment environment_of(const hw::LiveBackend& backend) {
  collectives::nccl::NcclEnvironment environment;
  if (backend.name() != "nccl") return environment;
  for (const auto& [name, value] : backend.facts()) {
    if (name != "nccl") continue;
    if (const auto release = collectives::nccl::modelled_release(value)) {
      environment.search.version = release->version;
      environment.release_note = release->note;
    }
  }
  return environment;
}

}  // namespace

BenchSetting::BenchSetting(const BenchFlags& flags, hw::LiveBackend& backend,
                           Provenance& provenance)
    : hosts_(hw::hosts_of(backend)),
      environment_(environment_of(backend)),
      cluster_(flags.predict.empty() ? hw::live_cluster(hosts_)
                                     : load_cluster(predicted_cluster(flags), provenance)),
      seed_(seed_of(cluster_, flags.collective.seed)),
      routing_(routing_of(cluster_, {}, seed_)),
      group_(flags.ranks.empty() ? hw::live_group(cluster_, hosts_)
                                 : group_of(cluster_, predicted_cluster(flags))),
      analytic_(sim::make_engine(cluster_, {.fidelity = "analytic", .routing = routing_})),
      // MPI does not choose algorithms as NCCL does, and without --predict there is no NCCL to
      // model.
      chooser_(flags.predict.empty() || backend.name() == "mpi"
                   ? collectives::nccl::Chooser::without_nccl(cluster_, *analytic_)
                   : collectives::nccl::Chooser(cluster_, *analytic_, environment_)),
      over_mpi_(backend.name() == "mpi"),
      has_protocols_(backend.name() == "nccl" && !flags.predict.empty()) {
  if (group_->size() != backend.ranks()) {
    throw InputError(
        "", "--ranks",
        fmt::format("lists {} ranks, but the run has {}", group_->size(), backend.ranks()));
  }
  if (flags.predict.empty()) return;
  if (!over_mpi_)
    timing_ = make_timing(cluster_, predicted_cluster(flags), flags.timing, environment_);
  if (timing_)
    range_.emplace(cluster_, topology::read_timings(flags.predict), group_->nodes().size() > 1);
  if (flags.range && !range_)
    throw InputError("", "--range", "requires predictions by fitted times",
                     "use --backend nccl with a cluster of GPUs, without --timing nominal");
  predictor_.emplace(cluster_, sim::EngineOptions{.routing = routing_, .timing = timing_});
  add_timing_facts(timing_.get(), flags.timing, provenance);
  if (backend.name() == "local") cached_ = cached_host(flags.predict, cluster_);
  add_facts(predicted_cluster(flags), cluster_, provenance);
}

Schedule BenchSetting::schedule(const CollectiveFlags& flags,
                                const collectives::Collective& collective) {
  hw::require_addressable(collective.bytes, group_->size());
  auto protocol = protocol_of(flags);
  // Protocols apply to networks of GPUs. Shared memory and MPI use only Simple.
  if (!protocol && !has_protocols_) protocol = collectives::Protocol::simple;
  return chooser_.chosen_schedule(
      {.group = group_,
       .collective = collective,
       .algorithm = flags.algorithm == kNative ? "auto" : flags.algorithm,
       .protocol = protocol,
       .channels = flags.channels});
}

collectives::ScheduleSource BenchSetting::schedules() {
  return [this](std::shared_ptr<const collectives::Group> group,
                const collectives::Collective& collective) {
    hw::require_addressable(collective.bytes, group->size());
    std::optional<collectives::Protocol> protocol;
    if (!has_protocols_) protocol = collectives::Protocol::simple;
    return chooser_.chosen_schedule({.group = std::move(group),
                                     .collective = collective,
                                     .protocol = protocol,
                                     .channels = {}});
  };
}

std::optional<collectives::WorkloadRun> BenchSetting::predicted(
    const collectives::Workload& workload) {
  if (!predictor_) return std::nullopt;
  sim::WorkloadOptions options{.schedule = schedules(), .routing = routing_};
  if (timing_) {
    options.pace = [this](const Schedule& schedule) { return timing_->pace(schedule); };
    options.network_share = timing_->network_share();
  }
  return sim::run_workload(cluster_, workload, group_->ranks(), options);
}

std::optional<collectives::TaskResult> BenchSetting::predicted(const Schedule& schedule) {
  if (!predictor_) return std::nullopt;
  const Bytes buffers = schedule.collective().bytes * std::int64_t{group_->size()};
  const double part = cached_ ? cached_->memory.part(buffers) : 0;
  if (part == 1) return cached_->predictor.run(schedule, false);
  collectives::TaskResult result = predictor_->run(schedule, over_mpi_);
  if (part == 0) return result;
  // Between these two sizes the cache holds a part of the data: linear interpolation.
  const Time cached = cached_->predictor.run(schedule, false).finish;
  result.finish = Time::picoseconds(
      std::llround(part * static_cast<double>(cached.picoseconds()) +
                   (1 - part) * static_cast<double>(result.finish.picoseconds())));
  return result;
}

}  // namespace railyard::apps
