#include "apps/place/read_problem.hpp"

#include <fmt/format.h>

#include "apps/cli/setting.hpp"
#include "apps/output/routing_columns.hpp"
#include "core/diagnostic.hpp"
#include "placement/cost/gemm_tables.hpp"
#include "placement/jobs/start_options.hpp"
#include "placement/jobs/taken_gpus.hpp"
#include "placement/model/model_job.hpp"
#include "topology/cluster/lost_nics.hpp"

namespace railyard::apps {
namespace {

using placement::Occupancy;

/// The GPUs that the flags select; by default all.
std::vector<Rank> usable_gpus(const ClusterFlags& flags, const topology::Cluster& cluster) {
  if (!flags.ranks.empty()) {
    const auto group = group_of(cluster, flags);
    return {group->ranks().begin(), group->ranks().end()};
  }
  std::vector<Rank> all;
  for (std::size_t r = 0; r < cluster.rank_count(); ++r) all.emplace_back(r);
  return all;
}

/// By GPU: whether it is in use. Errors name the file.
std::vector<bool> taken_gpus(const topology::Cluster& cluster, const Occupancy& occupancy,
                             const std::string& file) {
  try {
    return placement::taken_gpus(
        cluster, occupancy,
        {"--occupied", "write it as '0-3,9', or give a file (railyard schema occupancy)"});
  } catch (const InputError& error) {
    throw error.in_file(file);
  }
}

/// Throws InputError if the flags select GPUs in use, or more than are free.
void check_free(const ClusterFlags& flags, const topology::Cluster& cluster,
                const Occupancy& occupancy, const std::string& occupied,
                std::span<const Rank> usable) {
  const std::vector<bool> taken = taken_gpus(cluster, occupancy, occupied);
  std::size_t free = 0;
  for (const Rank gpu : usable) {
    if (!flags.ranks.empty() && taken[gpu.index()])
      throw InputError("", "--ranks", fmt::format("{} is in use", cluster.name(cluster.gpu(gpu))),
                       "leave it out, or remove the job on this node from --occupied");
    free += taken[gpu.index()] ? 0 : 1;
  }
  const int wanted = flags.gpus.value_or(static_cast<int>(free));
  if (wanted >= 1 && static_cast<std::size_t>(wanted) <= free) return;
  throw InputError(
      "", "--gpus",
      occupancy.empty() ? fmt::format("{} GPUs, but the cluster has {}", wanted, free)
                        : fmt::format("{} GPUs, but only {} are free", wanted, free),
      placement::when_free_text(cluster, occupancy, free, static_cast<std::size_t>(wanted)));
}

/// place compares strategies on equal nodes.
void refuse_failed_nics(const FabricFlags& fabric) {
  for (const std::string& text : fabric.failures)
    if (topology::parse_nic_failure(text))
      throw InputError(
          "", "--fail", fmt::format("{}: a job cannot start on a node with a failed NIC", text),
          "leave the node out with --occupied; only 'railyard sim' simulates failed NICs");
}

}  // namespace

placement::PlaceProblem read_problem(const ProblemSource& source, Provenance& provenance) {
  if (source.job.empty() && source.model.empty())
    throw InputError(
        "", "--job", "is missing",
        "--job NAME ('railyard topo list jobs'), --model NAME, or --queue FILE for several jobs");
  refuse_failed_nics(source.fabric);
  topology::Cluster cluster = load_cluster(source.cluster, provenance);
  add_facts(source.cluster, cluster, provenance);
  placement::ProblemParts parts{.cluster = std::move(cluster),
                                .routing = {},
                                .occupancy = placement::read_occupancy(source.occupied),
                                .order = source.order,
                                .keeps_order = !source.cluster.ranks.empty(),
                                .gpus = source.cluster.gpus,
                                .memory = source.memory};
  parts.routing = routing_of(parts.cluster, source.fabric, source.seed);
  add_routing_facts(parts.routing, provenance);
  provenance.seed = parts.routing.seed;
  parts.faults = faults_of(parts.cluster, source.fabric);
  parts.usable = usable_gpus(source.cluster, parts.cluster);
  check_free(source.cluster, parts.cluster, parts.occupancy, source.occupied, parts.usable);
  if (source.job.empty()) {
    placement::ModelJob of_model =
        placement::job_of_model(source.model, source.batch, source.sequence);
    parts.job = std::move(of_model.job);
    if (!of_model.note.empty()) provenance.notes.push_back(std::move(of_model.note));
    provenance.facts.emplace_back("model", source.model);
  } else {
    parts.job = placement::read_job(source.job);
    provenance.facts.emplace_back("job", source.job);
  }
  if (source.batch) parts.job.batch = *source.batch;
  if (source.sequence) parts.job.sequence = *source.sequence;
  provenance.facts.emplace_back("batch", fmt::format("{}", parts.job.batch));
  if (!source.occupied.empty()) provenance.facts.emplace_back("occupied", source.occupied);
  placement::PlaceProblem problem = placement::make_problem(std::move(parts));
  placement::add_gemm_tables(source.gemm_tables, problem.types, "--gemm-table");
  return problem;
}

}  // namespace railyard::apps
