#include "apps/bench/bench_setting.hpp"

#include <fmt/format.h>

#include "apps/cli/setting.hpp"
#include "collectives/nccl/timing/fitted_pace.hpp"
#include "collectives/nccl/tuning/release.hpp"
#include "core/diagnostic.hpp"
#include "hw/live_measure.hpp"
#include "hw/live_row.hpp"
#include "sim/engine.hpp"
#include "sim/workload/workload_run.hpp"
#include "topology/cluster/read_timings.hpp"
#include "topology/node/host_memory.hpp"

namespace railyard::apps {
namespace {

using collectives::Schedule;

ClusterFlags predicted_cluster(const BenchFlags& flags) {
  return {.cluster = flags.predict, .nodes = flags.nodes, .gpus = {}, .ranks = flags.ranks};
}

/// The release of the backend's NCCL, or the nearest modelled one.
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
  // Local ranks share the caches of this host.
  predictor_.emplace(
      cluster_, sim::EngineOptions{.routing = routing_, .timing = timing_},
      backend.name() == "local" ? topology::read_host_memory(flags.predict) : std::nullopt);
  add_timing_facts(timing_.get(), flags.timing, provenance);
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
       .algorithm = flags.algorithm == hw::kNative ? "auto" : flags.algorithm,
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
  return predictor_->run(schedule, over_mpi_);
}

}  // namespace railyard::apps
