#include "apps/replay/replay_engine.hpp"

#include <fmt/format.h>

#include "apps/cli/nccl_flags.hpp"
#include "apps/cli/setting.hpp"
#include "apps/sim/timing.hpp"
#include "collectives/nccl/timing/fitted_pace.hpp"
#include "collectives/workload/load_schedules.hpp"
#include "core/diagnostic.hpp"
#include "sim/engine.hpp"
#include "sim/packet/packet_defaults.hpp"
#include "sim/workload/workload_run.hpp"
#include "topology/cluster/add_faults.hpp"
#include "topology/cluster/node_order.hpp"

namespace railyard::apps {
namespace {

topology::Faults faults_from_start(const topology::Cluster& cluster, const FabricFlags& fabric) {
  topology::Faults all;
  for (const topology::TimedFault& fault : faults_of(cluster, fabric)) {
    if (fault.at > Time())
      throw InputError("", "--fail", "workloads support faults from the start only",
                       "leave out @TIME");
    topology::add_faults(all, fault.faults);
  }
  return all;
}

}  // namespace

ReplayEngine::ReplayEngine(const ReplayFlags& flags, const ClusterFlags& cluster,
                           Provenance& provenance)
    : flags_(flags),
      cluster_flags_(cluster),
      environment_(nccl_environment_of(flags.nccl)),
      fabric_(with_environment(flags.fabric, environment_)),
      cluster_(load_cluster(cluster, fabric_, provenance)),
      routing_(routing_of(cluster_, fabric_, flags.seed)),
      faults_(faults_from_start(cluster_, fabric_)),
      timing_(make_timing(cluster_, cluster, flags.timing, environment_)),
      analytic_(sim::make_engine(cluster_, {.fidelity = "analytic", .routing = routing_})),
      chooser_(cluster_, *analytic_, environment_) {
  loading_notes_ = provenance.notes;
  add_timing_facts(timing_.get(), flags.timing, provenance);
  if (flags.fidelity != "packet") return;
  packet_ = packet_options(cluster_, flags.packet, provenance);
  routing_ = sim::packet::packet_routing(packet_->parameters.transport, routing_,
                                         !fabric_.routing.empty());
}

std::vector<Rank> ReplayEngine::gpus(std::uint32_t ranks) const {
  const auto group = group_of(cluster_, cluster_flags_);
  if (group->size() < ranks)
    throw InputError(
        "", cluster_flags_.gpus || !cluster_flags_.ranks.empty() ? "--gpus" : "--nodes",
        fmt::format("the workload has {} ranks, but only {} GPUs of {} are available for them",
                    ranks, group->size(), cluster_flags_.cluster),
        "use more nodes (--nodes)");
  const char* const flag = "--rank-order";
  if (flags_.rank_order != "contiguous")
    return topology::ranks_of_nodes(
        cluster_, topology::nodes_in_order(cluster_, flags_.rank_order, routing_.seed, flag), ranks,
        flag);
  return {group->ranks().begin(), group->ranks().begin() + ranks};
}

collectives::ScheduleSource ReplayEngine::source() {
  return [this](std::shared_ptr<const collectives::Group> group,
                const collectives::Collective& collective) {
    return chooser_.chosen_schedule(
        {.group = std::move(group), .collective = collective, .protocol = {}, .channels = {}});
  };
}

std::vector<std::unique_ptr<const collectives::Schedule>> ReplayEngine::schedules(
    const collectives::Communications& communications) {
  return collectives::load_schedules(communications, cluster_,
                                     gpus(communications.workload().ranks()), source());
}

sim::WorkloadOptions ReplayEngine::options() {
  sim::WorkloadOptions options{.schedule = source(),
                               .shares_links = flags_.fidelity == "flow",
                               .packet = packet_,
                               .expand = flags_.expand,
                               .routing = routing_,
                               .faults = faults_};
  if (timing_) {
    options.pace = [this](const collectives::Schedule& schedule) {
      return timing_->pace(schedule);
    };
    options.network_share = timing_->network_share();
  }
  return options;
}

collectives::WorkloadRun ReplayEngine::run(const collectives::Workload& workload,
                                           sim::Announce announce) {
  sim::WorkloadOptions watched = options();
  watched.announce = std::move(announce);
  return sim::run_workload(cluster_, workload, gpus(workload.ranks()), watched);
}

sim::LinkUsage ReplayEngine::usage(const collectives::Workload& workload,
                                   const collectives::WorkloadRun& run) {
  return {cluster_, workload, gpus(workload.ranks()), options(), run};
}

std::set<std::string> ReplayEngine::notes() const {
  std::set<std::string> notes = chooser_.notes();
  if (!environment_.release_note.empty()) notes.insert(environment_.release_note);
  if (timing_) notes.merge(timing_->notes());
  notes.insert(loading_notes_.begin(), loading_notes_.end());
  return notes;
}

}  // namespace railyard::apps
