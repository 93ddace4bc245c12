#include "apps/place/question.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "apps/cli/rank_list.hpp"
#include "apps/cli/setting.hpp"
#include "apps/place/starts.hpp"
#include "core/config/text_file.hpp"
#include "core/diagnostic.hpp"
#include "placement/launch/framework_arguments.hpp"
#include "placement/launch/job_plan.hpp"
#include "placement/mapping/node_blocks.hpp"
#include "placement/strategy/strategy_check.hpp"

namespace railyard::apps {
namespace {

std::vector<Rank> free_gpus(const PlaceFlags& flags, const topology::Cluster& cluster,
                            const Occupancy& occupancy) {
  const std::vector<bool> taken = taken_gpus(cluster, occupancy);
  std::vector<Rank> free;
  if (!flags.cluster.ranks.empty()) {
    const auto group = group_of(cluster, flags.cluster);
    for (const Rank gpu : group->ranks()) {
      if (taken[gpu.index()])
        throw InputError("", "--ranks", fmt::format("{} is taken", cluster.name(cluster.gpu(gpu))),
                         "leave it out, or name the job that leaves it");
      free.push_back(gpu);
    }
  } else {
    for (std::size_t r = 0; r < cluster.rank_count(); ++r) {
      if (!taken[r]) free.emplace_back(r);
    }
  }
  return free;
}

/// Those that flags name.
std::vector<Rank> usable_gpus(const PlaceFlags& flags, const topology::Cluster& cluster) {
  if (!flags.cluster.ranks.empty()) {
    const auto group = group_of(cluster, flags.cluster);
    return {group->ranks().begin(), group->ranks().end()};
  }
  std::vector<Rank> all;
  for (std::size_t r = 0; r < cluster.rank_count(); ++r) all.emplace_back(r);
  return all;
}

int count_gpus(const PlaceFlags& flags, std::size_t free, const topology::Cluster& cluster,
               const Occupancy& occupancy) {
  const auto most = static_cast<int>(free);
  const int wanted = flags.cluster.gpus.value_or(most);
  if (wanted < 1 || wanted > most)
    throw InputError("", "--gpus",
                     fmt::format("{} GPUs, but {} {}", wanted,
                                 occupancy.empty() ? "the cluster has" : "free are", most),
                     when_free(cluster, occupancy, free, static_cast<std::size_t>(wanted)));
  return wanted;
}

/// The types of the first `gpus` free GPUs, each with all that are free of it to choose from.
std::vector<placement::GpuType> types_of_first(const topology::Cluster& cluster,
                                               std::span<const Rank> free, std::size_t gpus) {
  std::vector<placement::GpuType> types = placement::gpu_types(cluster, free.first(gpus));
  if (types.size() == 1 || gpus == free.size()) return types;
  const placement::Tiers tiers(cluster);
  for (placement::GpuType& type : types) {
    const auto shape = cluster.node(cluster.node_of(type.free.front())).shape;
    std::vector<Rank> all;
    for (const Rank gpu : free)
      if (cluster.node(cluster.node_of(gpu)).shape == shape) all.push_back(gpu);
    type.taken = static_cast<int>(type.free.size());
    type.free = placement::packed(tiers, all, type.free.size());
  }
  return types;
}

/// False for arguments that are too long for a file's name.
bool is_file(const std::string& text) {
  std::error_code failed;
  return std::filesystem::is_regular_file(text, failed);
}

std::string megatron_text(const std::string& given) {
  return is_file(given) ? core::read_text_file(given) : given;
}

/// The arguments' encoder is the job's.
void check_encoder(const placement::LaunchPlan& plan, const placement::Job& job,
                   const std::string& where) {
  const int layers = job.model.encoder ? job.model.encoder->layers : 0;
  if (plan.encoder_layers > 0 && plan.encoder_layers != layers)
    throw InputError(where, "--encoder-num-layers",
                     layers == 0 ? fmt::format("{} has no encoder", job.name)
                                 : fmt::format("{}, but that of {} has {}", plan.encoder_layers,
                                               job.name, layers),
                     "name the job that these arguments train");
}

placement::Strategy read_megatron(const PlaceFlags& flags, Question& q, Provenance& provenance) {
  const std::string where = is_file(flags.megatron) ? flags.megatron : "--from-megatron";
  const auto read =
      placement::parse_megatron_arguments(megatron_text(flags.megatron), q.gpus, where);
  const placement::LaunchPlan& plan = read.plan;
  check_encoder(plan, q.job, where);
  if (plan.layers > 0 && plan.layers != q.job.model.layers)
    throw InputError(where, "--num-layers",
                     fmt::format("{}, but {} has {}", plan.layers, q.job.name, q.job.model.layers),
                     "name the job that these arguments train");
  if (plan.global_batch > 0 && !flags.batch) q.job.batch = plan.global_batch;
  if (plan.sequence_length > 0) q.job.sequence = plan.sequence_length;
  if (plan.encoder_sequence > 0) q.job.model.encoder->tokens = plan.encoder_sequence;
  for (const std::string& note : read.notes) provenance.notes.push_back(note);
  if (!read.ignored.empty()) {
    std::string list;
    for (const std::string& flag : read.ignored) list += (list.empty() ? "" : ", ") + flag;
    provenance.notes.push_back(fmt::format("not about parallelism, ignored: {}", list));
  }
  return placement::strategy_of(plan);
}

}  // namespace

placement::CostContext Question::context() const {
  if (types.size() == 1)
    return placement::TypeContext{.job = job,
                                  .gpu = gpu,
                                  .communication = forms.front(),
                                  .gpus_per_node = gpus_per_node,
                                  .order = order,
                                  .gpus = gpus};
  std::vector<const placement::CommunicationModel*> models;
  for (const placement::ClosedForm& form : forms) models.push_back(&form);
  return placement::cost_context(job, types, models, order);
}

Question read_question(const PlaceFlags& flags, Provenance& provenance) {
  if (flags.job.empty()) throw InputError("", "--job", "is missing", "or --queue FILE for several");
  topology::Cluster cluster = load_cluster(flags.cluster, provenance);
  add_facts(flags.cluster, cluster, provenance);
  const topology::RoutingOptions routing = routing_of(cluster, flags.fabric, 1);
  const Occupancy occupancy = read_occupancy(flags.occupied);
  std::vector<Rank> all = usable_gpus(flags, cluster);
  std::vector<Rank> free = free_gpus(flags, cluster, occupancy);
  const int gpus = count_gpus(flags, free.size(), cluster, occupancy);
  // With GPUs to choose from, any of the free ones may be taken.
  std::vector<placement::GpuType> types = placement::gpu_types(cluster, free);
  if (types.size() > 1) types = types_of_first(cluster, free, static_cast<std::size_t>(gpus));
  if (types.size() == 1) free = types.front().free;
  const bool chooses = !occupancy.empty() && flags.cluster.ranks.empty() && types.size() == 1;
  if (chooses && static_cast<std::size_t>(gpus) < free.size())
    free = placement::packed(placement::Tiers(cluster), free, static_cast<std::size_t>(gpus));
  const placement::NodeFabric fabric = types.front().fabric;
  Question q{.cluster = std::move(cluster),
             .routing = routing,
             .job = placement::read_job(flags.job),
             .gpu = types.front().gpu,
             .order = placement::parse_order(flags.order, "--order"),
             .occupancy = occupancy,
             .free = std::move(free),
             .all = std::move(all),
             .gpus = gpus,
             .gpus_per_node = static_cast<int>(fabric.gpus_per_node),
             .types = std::move(types)};
  for (const placement::GpuType& type : q.types) q.forms.emplace_back(type.fabric);
  if (flags.batch) q.job.batch = *flags.batch;
  if (const auto limit = memory_limit(flags.objective)) {
    q.gpu.gpu.memory = std::min(q.gpu.gpu.memory, *limit);
    for (placement::GpuType& type : q.types)
      type.gpu.gpu.memory = std::min(type.gpu.gpu.memory, *limit);
  }
  if (!flags.gemm_table.empty()) q.gpu.measured = placement::GemmTable::read(flags.gemm_table);
  provenance.facts.emplace_back("job", flags.job);
  provenance.facts.emplace_back("batch", fmt::format("{}", q.job.batch));
  if (!flags.occupied.empty()) provenance.facts.emplace_back("occupied", flags.occupied);
  for (const placement::GpuType& type : q.types) (void)placement::peak(type.gpu, q.job.precision);
  return q;
}

Question with_occupancy(Question q, Occupancy occupancy, int gpus) {
  const std::vector<bool> taken = taken_gpus(q.cluster, occupancy);
  const auto shape_of = [&](Rank gpu) { return q.cluster.node(q.cluster.node_of(gpu)).shape; };
  const auto shape = shape_of(q.free.empty() ? q.all.front() : q.free.front());
  q.occupancy = std::move(occupancy);
  q.free.clear();
  std::ranges::copy_if(q.all, std::back_inserter(q.free),
                       [&](Rank gpu) { return !taken[gpu.index()] && shape_of(gpu) == shape; });
  q.gpus = gpus > 0 ? gpus : static_cast<int>(q.free.size());
  if (gpus > 0)
    q.free = placement::packed(placement::Tiers(q.cluster), q.free, static_cast<std::size_t>(gpus));
  return q;
}

Time restart_time(const PlaceFlags& flags) {
  if (flags.restart.empty()) return Time();
  const auto parsed = core::parse_time(flags.restart);
  if (!parsed.value) throw InputError("", "--restart", parsed.error, "--restart 5min");
  return *parsed.value;
}

void require_one_type(const Question& q) {
  if (q.types.size() > 1)
    throw InputError("", "--cluster", "has GPUs of several types",
                     "name the nodes of one with --ranks; railyard place takes several");
}

placement::Strategy fixed_strategy(const PlaceFlags& flags, Question& q, Provenance& provenance) {
  placement::Strategy s;
  if (!flags.megatron.empty()) {
    s = read_megatron(flags, q, provenance);
  } else {
    placement::parse_strategy(flags.fix, "--fix", s);
    const std::int64_t rest = std::int64_t{s.tp} * s.pp * s.cp;
    if (flags.fix.find("dp=") == std::string::npos && q.gpus % rest == 0)
      s.dp = static_cast<int>(q.gpus / rest);
  }
  auto problems = placement::strategy_problems(q.job, s, q.gpus,
                                               flags.fix.empty() ? "--from-megatron" : "--fix");
  if (!problems.empty()) throw InputError(std::move(problems));
  return s;
}

}  // namespace railyard::apps
