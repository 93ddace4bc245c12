#include "placement/launch/launch_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>

#include "core/diagnostic.hpp"

namespace railyard::placement {
namespace {

/// The divisor of n (at least 1) nearest to x; the smaller one of two.
int nearest_divisor(int n, int x) {
  int best = 1;
  for (int d = 1; d <= n; ++d) {
    if (n % d == 0 && std::abs(d - x) < std::abs(best - x)) best = d;
  }
  return best;
}

void check_sizes(const LaunchPlan& plan, Diagnostics& problems) {
  const std::pair<const char*, int> sizes[] = {{"tp", plan.tp},
                                               {"pp", plan.pp},
                                               {"cp", plan.cp},
                                               {"dp", plan.dp},
                                               {"ep", plan.ep},
                                               {"interleave", plan.interleave},
                                               {"micro_batch", plan.micro_batch}};
  for (const auto& [name, size] : sizes) {
    if (size < 1) problems.add(name, fmt::format("must be at least 1, not {}", size));
  }
  if (plan.zero < 0 || plan.zero > 3)
    problems.add("zero", fmt::format("must be 0 to 3, not {}", plan.zero));
}

void check_splits(const LaunchPlan& plan, Diagnostics& problems) {
  // With a tensor width of their own, experts can also use the remaining tensor ranks.
  const bool own = plan.expert_tp > 0 && plan.tp % plan.expert_tp == 0;
  const int room = plan.dp * plan.cp * (own ? plan.tp / plan.expert_tp : 1);
  if (room % plan.ep != 0) {
    problems.add("ep",
                 fmt::format("{} does not divide dp x cp{} = {}", plan.ep,
                             own ? " x tp / expert_tp" : "", room),
                 fmt::format("the nearest that does is {}", nearest_divisor(room, plan.ep)));
  }
  if (plan.interleave > 1 && plan.pp < 2)
    problems.add("interleave", "needs pipeline stages", "pp of 2 or more, or interleave 1");
  if (plan.interleave > 1 && plan.layers == 0)
    problems.add("layers", "is needed to write an interleaved pipeline");
  const int stages = (plan.pp - plan.encoder_stages) * plan.interleave;
  const int units = plan.layers + (plan.even_ends ? 2 : 0);
  if (plan.layers > 0 && plan.stage_layers.empty() && units % stages != 0) {
    problems.add(
        "layers",
        fmt::format("{} layers do not divide into pp x interleave = {} stages{}", plan.layers,
                    stages, plan.even_ends ? ", embedding and loss counted as one each" : ""),
        fmt::format("{} stages would fit", nearest_divisor(units, stages)));
  }
  if (plan.dp * plan.cp % std::max(1, plan.instances) != 0)
    problems.add("instances",
                 fmt::format("{} copies of the optimizer do not divide the {} replicas",
                             plan.instances, plan.dp * plan.cp));
  if (plan.sequence_parallel && plan.tp < 2)
    problems.add("sequence_parallel", "needs tensor parallelism",
                 "tp of 2 or more, or leave it off");
  const std::int64_t step = std::int64_t{plan.dp} * plan.micro_batch;
  if (plan.global_batch > 0 && plan.global_batch % step != 0) {
    problems.add(
        "global_batch",
        fmt::format("{} is not a multiple of dp x micro_batch = {} x {}", plan.global_batch,
                    plan.dp, plan.micro_batch),
        fmt::format("the nearest that is: {}",
                    std::max<std::int64_t>(1, (plan.global_batch + step / 2) / step) * step));
  }
}

}  // namespace

void check_launch_plan(const LaunchPlan& plan, const std::string& where) {
  Diagnostics problems(where);
  check_sizes(plan, problems);
  problems.throw_if_any();  // the checks below divide by these sizes
  check_splits(plan, problems);
  problems.throw_if_any();
}

JobHosts hosts_of(const Mapping& mapping, const topology::Cluster& cluster,
                  std::span<const std::string> names) {
  if (!names.empty() && names.size() != cluster.node_count()) {
    throw InputError("", "hosts",
                     fmt::format("{} names for {} nodes", names.size(), cluster.node_count()),
                     "one name per node, in the order of the cluster");
  }
  JobHosts hosts;
  std::map<NodeId, std::size_t> place;
  for (const Rank gpu : mapping.gpus) {
    const NodeId node = cluster.node_of(gpu);
    const auto [at, is_new] = place.try_emplace(node, hosts.hosts.size());
    if (is_new) {
      hosts.hosts.push_back(names.empty() ? fmt::format("node{}", node.value())
                                          : names[node.index()]);
      hosts.ranks_on.push_back(0);
    }
    ++hosts.ranks_on[at->second];
    hosts.of_rank.push_back(hosts.hosts[at->second]);
    hosts.gpu.push_back(cluster.local_gpu(gpu));
  }
  return hosts;
}

}  // namespace railyard::placement
