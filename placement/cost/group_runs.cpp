#include "placement/cost/group_runs.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/digest.hpp"

namespace railyard::placement {
namespace {

using collectives::Kind;

/// Hash of the groups' ranks and of their boundaries.
std::uint64_t fingerprint_of(const std::vector<std::vector<Rank>>& groups) {
  core::Fnv1a hash;
  for (const auto& group : groups) {
    for (const Rank rank : group) hash.add(rank.value());
    hash.add(~std::uint64_t{0});
  }
  return hash.value();
}

/// The bytes of a load, rounded up to whole elements per rank. All groups have the same size.
Bytes whole(const GroupLoad& load) {
  const auto unit = static_cast<double>(
      static_cast<std::size_t>(size_of(collectives::DataType::bfloat16).count()) *
      load.groups.gpus.front().size());
  return Bytes(std::llround(std::max(1.0, std::ceil(load.bytes / unit)) * unit));
}

}  // namespace

GpuGroups::GpuGroups(std::vector<std::vector<Rank>> members)
    : gpus(std::move(members)), fingerprint(fingerprint_of(gpus)) {}

GpuGroups GroupRuns::representative_groups(const GpuGroups& all) const {
  const auto inside = [&](const std::vector<Rank>& gpus) {
    return std::ranges::all_of(gpus, [&](Rank gpu) {
      return engine_.cluster.node_of(gpu) == engine_.cluster.node_of(gpus.front());
    });
  };
  if (!std::ranges::all_of(all.gpus, inside)) return all;
  // The groups of each node, as lists of local GPUs. Equal nodes give equal times, so one node per
  // pattern is enough.
  std::map<std::uint32_t, std::vector<std::vector<Rank>>> by_node;
  for (const auto& gpus : all.gpus)
    by_node[engine_.cluster.node_of(gpus.front()).value()].push_back(gpus);
  std::set<std::vector<std::vector<int>>> patterns;
  std::vector<std::vector<Rank>> kept;
  for (auto& [node, members] : by_node) {
    std::vector<std::vector<int>> pattern;
    for (const auto& gpus : members) {
      auto& locals = pattern.emplace_back();
      for (const Rank gpu : gpus) locals.push_back(engine_.cluster.local_gpu(gpu));
    }
    pattern.push_back({static_cast<int>(engine_.cluster.node(NodeId(node)).shape)});
    if (engine_.odd_nodes.contains(NodeId(node))) pattern.back().push_back(static_cast<int>(node));
    if (patterns.insert(std::move(pattern)).second)
      std::move(members.begin(), members.end(), std::back_inserter(kept));
  }
  return GpuGroups(std::move(kept));
}

const GroupRuns::Answer& GroupRuns::alone(const GroupLoad& load) {
  const Asked asked{load.kind, whole(load).count(), load.groups.fingerprint};
  if (const auto known = known_.find(asked); known != known_.end()) return known->second;
  Answer answer;
  const collectives::Run ran = run(std::span(&load, 1));
  for (const auto& result : ran.tasks) answer.done.push_back(result.finish);
  for (const collectives::LinkLoad& link : ran.link_loads)
    answer.link_kinds |= 1U << static_cast<unsigned>(engine_.cluster.link(link.link).kind);
  return known_.emplace(asked, std::move(answer)).first->second;
}

const std::vector<std::vector<Time>>& GroupRuns::together(std::span<const GroupLoad> loads) {
  std::vector<Asked> asked;
  for (const GroupLoad& load : loads)
    asked.emplace_back(load.kind, whole(load).count(), load.groups.fingerprint);
  if (const auto known = known_together_.find(asked); known != known_together_.end())
    return known->second;
  std::vector<std::vector<Time>> all;
  const collectives::Run ran = run(loads);
  auto task = ran.tasks.begin();
  for (const GroupLoad& load : loads) {
    auto& done = all.emplace_back();
    for (std::size_t g = 0; g < load.groups.gpus.size(); ++g) done.push_back((task++)->finish);
  }
  return known_together_.emplace(std::move(asked), std::move(all)).first->second;
}

collectives::Run GroupRuns::run(std::span<const GroupLoad> loads) const {
  std::vector<collectives::Schedule> schedules;
  for (const GroupLoad& load : loads) {
    const collectives::Collective collective{
        .kind = load.kind, .bytes = whole(load), .type = collectives::DataType::bfloat16};
    for (const auto& gpus : load.groups.gpus)
      schedules.push_back(engine_.schedule(
          std::make_shared<const collectives::Group>(engine_.cluster, gpus), collective));
  }
  std::vector<collectives::Task> tasks;
  for (const collectives::Schedule& schedule : schedules)
    tasks.push_back({.schedule = &schedule, .start = Time(), .name = {}});
  return engine_.executor.run(tasks);
}

}  // namespace railyard::placement
