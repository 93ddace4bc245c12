#include "apps/place/mixed_elastic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "apps/output/result_output.hpp"
#include "apps/place/elastic.hpp"
#include "apps/place/emit.hpp"
#include "apps/place/mixed_candidates.hpp"
#include "core/diagnostic.hpp"
#include "placement/jobs/typed_elastic.hpp"
#include "placement/mapping/typed_mapping.hpp"
#include "placement/simulate/step_timeline.hpp"

namespace railyard::apps {
namespace {

using placement::ElasticOption;
using placement::GpuType;
using placement::Mapping;
using placement::Placed;
using placement::Scored;

/// What --fix says that runs, with what it leaves open chosen.
Scored running_of(const PlaceRequest& request, const placement::CostContext& c) {
  if (request.given.fix.empty())
    throw InputError("", "--from-megatron", "is for GPUs of one type; these are of several",
                     "--fix");
  const auto found = placement::search(c, {.top = 1, .fix = given_strategy(request.given.fix)});
  if (!found.best.empty()) return found.best.front();
  if (found.nearest) return *found.nearest;
  throw InputError("", "--fix", fmt::format("no pipelines over these GPUs divide {}", c.job.name),
                   "other tp and cp, fewer stages than layers, a replica's micro-batches");
}

/// Nodes by shape, in their order.
std::vector<std::vector<NodeId>> nodes_by_shape(const topology::Cluster& cluster) {
  std::vector<std::vector<NodeId>> nodes(cluster.shapes().size());
  for (std::size_t n = 0; n < cluster.node_count(); ++n)
    nodes[cluster.node(NodeId(n)).shape].emplace_back(n);
  return nodes;
}

/// The GPUs of a mapping in a cluster that has grown: the i-th node of a shape stays that.
Mapping in_grown(const Mapping& mapping, const topology::Cluster& before,
                 const topology::Cluster& after) {
  const auto old_nodes = nodes_by_shape(before), nodes = nodes_by_shape(after);
  Mapping grown;
  for (const Rank gpu : mapping.gpus) {
    const NodeId node = before.node_of(gpu);
    const std::uint32_t shape = before.node(node).shape;
    const auto at = std::ranges::lower_bound(old_nodes[shape], node) - old_nodes[shape].begin();
    const NodeId now = nodes[shape][static_cast<std::size_t>(at)];
    grown.gpus.emplace_back(after.node(now).first_rank.value() +
                            static_cast<std::uint32_t>(before.local_gpu(gpu)));
  }
  return grown;
}

std::vector<GpuType> types_left(const placement::PlaceProblem& q, std::span<const Rank> left) {
  const std::set<Rank> alive(left.begin(), left.end());
  std::vector<GpuType> types = q.types;
  for (GpuType& type : types) {
    std::erase_if(type.free, [&](Rank gpu) { return !alive.contains(gpu); });
    type.taken = -1;
  }
  return types;
}

/// What a strategy moves, with as many ranks as can be where they are, or all anew.
ElasticOption option_of(const placement::PlaceProblem& q, std::string name, const Scored& scored,
                        const Placed& before, std::span<const GpuType> types,
                        std::span<const Rank> left) {
  ElasticOption option{.name = std::move(name),
                       .gpus = scored.strategy.gpus(),
                       .step = scored.step.total,
                       .fits = scored.fits,
                       .text = placement::to_text(scored.strategy),
                       .strategy = scored.strategy};
  option.move = Time::never();
  for (Mapping& mapping : std::vector{patched_mapping(before, scored.strategy, types),
                                      map_in_order(scored.strategy, types, q.order)}) {
    placement::Moves moves = placement::moves_between(
        q.job, q.cluster, {before.strategy, before.mapping}, {scored.strategy, mapping}, left);
    const Time time = placement::move_time(moves, q.cluster, types);
    if (time >= option.move) continue;
    option.moves = std::move(moves);
    option.mapping = std::move(mapping);
    option.move = time;
  }
  return option;
}

/// Trace and launch files of what was chosen.
void launch(const PlaceRequest& request, const placement::PlaceProblem& q,
            const placement::CostContext& c, const placement::Strategy& mixed,
            const Mapping& mapping, Context& context) {
  if (!request.output.trace.empty()) {
    collectives::Run run;
    run.timeline = placement::trace_events(placement::step_timeline(c, mixed));
    write_trace_file(run, request.output, context);
  }
  emit({.request = request.launch,
        .problem = q,
        .strategy = mixed,
        .mapping = mapping,
        .equal_batches = placement::has_equal_batches(mixed)},
       context);
}

}  // namespace

int run_mixed_elastic(const PlaceRequest& request, const placement::PlaceProblem& now,
                      Provenance& provenance, Context& context) {
  if (request.added && !request.source.cluster.ranks.empty())
    throw InputError("", "--added", "does not go with --ranks where GPUs are of several types",
                     "--nodes");
  const Scored running = running_of(request, now.context());
  const placement::PlaceProblem q = grown_problem(request, now);
  if (q.types.size() != now.types.size())
    throw InputError("", "--added", "the cluster then has other types of GPU", "more nodes");
  const Placed before{running.strategy,
                      in_grown(placement::map_in_order(running.strategy, now.types, now.order),
                               now.cluster, q.cluster)};
  const std::vector<Rank> left = gpus_after(request, q, before.mapping);
  const std::vector<GpuType> types = types_left(q, left);
  placement::PlaceProblem after = q;
  after.types = types;
  const placement::CostContext c = after.context();
  std::vector<Scored> strategies;
  std::vector<ElasticOption> options;
  const auto add = [&](const char* name, const Scored& scored) {
    strategies.push_back(scored);
    options.push_back(option_of(q, name, scored, before, types, left));
  };
  if (request.lost.empty()) add("as now", running);
  if (const auto same = placement::same_split(c, running.strategy);
      same && (!request.lost.empty() || same->strategy.dp != running.strategy.dp))
    add("same split", *same);
  placement::SearchSpace fastest = request.space;
  fastest.top = 1;
  const auto found = placement::search(c, fastest);
  if (!found.best.empty()) add("fastest", found.best.front());
  if (options.empty())
    throw InputError("", "--lost",
                     fmt::format("{} GPUs are left, and no strategy fits", left.size()),
                     "more nodes");
  const ElasticOption& best = write_options(
      request, provenance, options,
      {.step = running.step.total, .gpus = running.strategy.gpus(), .left = left.size()}, context);
  launch(request, q, c, strategies[static_cast<std::size_t>(&best - options.data())].strategy,
         best.mapping, context);
  return best.fits ? ExitCode::done : ExitCode::finding;
}

}  // namespace railyard::apps
