#include "sim/workload/load_profiles.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "collectives/schedule/finite_time.hpp"
#include "collectives/workload/load_schedules.hpp"
#include "sim/link_capacity.hpp"
#include "topology/cluster/add_faults.hpp"

namespace railyard::sim {
namespace {

using collectives::Communications;

Time over(Time time, float share) {
  return share >= 1 ? time : Time::from_seconds(time.seconds() / static_cast<double>(share));
}

/// Replaces the time of a load by that of the software model.
void apply(const collectives::Pace& pace, const topology::Cluster& cluster,
           std::span<const double> capacities, IsolatedTime& time) {
  double slowest = pace.bytes.seconds(), at_hosts = slowest;
  for (const auto& [link, bytes] : time.bytes) {
    const topology::Link& its = cluster.link(link);
    const double line = its.line_rate.bytes_per_second() / its.bandwidth.bytes_per_second();
    const double capacity = capacities[link.index()] * std::max(1.0, line);
    slowest = std::max(slowest, bytes / capacity);
    if (its.kind != topology::LinkKind::fabric) at_hosts = std::max(at_hosts, bytes / capacity);
  }
  time.latency = pace.launch + pace.latency;
  time.total = time.latency + collectives::finite_time(slowest);
  time.at_hosts = collectives::finite_time(at_hosts);
}

/// Finds equal loads of groups within a node. On nodes of the same shape equal loads put equal
/// bytes on the same links of the node, so only the first one is timed.
class EqualNodeLoads {
 public:
  EqualNodeLoads(const topology::Cluster& cluster, std::span<const Rank> gpus,
                 const topology::Faults& faults)
      : cluster_(cluster), gpus_(gpus) {
    const topology::TimedFault all{.at = {}, .faults = faults};
    disturbed_ = topology::nodes_with_faults(cluster, {&all, 1});
  }

  struct EqualLoad {
    std::size_t load = 0;  ///< the load whose result is used
    NodeId from, to;       ///< the nodes of that load and of this one
  };
  /// The equal load that was seen first. Nothing if this load is the first of its kind, or not
  /// within a node.
  [[nodiscard]] std::optional<EqualLoad> of(std::size_t load, std::uint32_t shape, bool is_message,
                                            std::span<const std::uint32_t> ranks) {
    const NodeId node = cluster_.node_of(gpus_[ranks.front()]);
    if (disturbed_.contains(node)) return std::nullopt;
    std::vector<std::uint32_t> key{cluster_.node(node).shape, shape, is_message ? 1U : 0U};
    for (const std::uint32_t rank : ranks) {
      if (cluster_.node_of(gpus_[rank]) != node) return std::nullopt;
      key.push_back(static_cast<std::uint32_t>(cluster_.local_gpu(gpus_[rank])));
    }
    const auto [known, is_new] =
        first_.try_emplace(std::move(key), EqualLoad{.load = load, .from = node, .to = node});
    if (is_new) return std::nullopt;
    EqualLoad equal = known->second;
    equal.to = node;
    return equal;
  }

  /// The time of the first load, with its bytes moved to the links of the other node. Nothing if
  /// the first load leaves its node (GPUs of one node that NCCL connects by NICs).
  [[nodiscard]] std::optional<IsolatedTime> moved(const EqualLoad& equal,
                                                  const IsolatedTime& time) const {
    const std::uint32_t first = cluster_.node(equal.from).first_link.value();
    const std::size_t count = cluster_.shape(equal.from).links().size();
    IsolatedTime moved = time;
    moved.bytes.clear();
    for (const auto& [link, bytes] : time.bytes) {
      if (link.value() < first || link.value() - first >= count) return std::nullopt;
      moved.bytes.emplace_back(
          LinkId(link.value() - first + cluster_.node(equal.to).first_link.value()), bytes);
    }
    return moved;
  }

 private:
  const topology::Cluster& cluster_;
  std::span<const Rank> gpus_;
  std::set<NodeId> disturbed_;
  std::map<std::vector<std::uint32_t>, EqualLoad> first_;
};

/// Computes the times of loads alone.
class Profiler {
 public:
  Profiler(const topology::Cluster& cluster, const Communications& loads,
           std::span<const Rank> gpus, const WorkloadOptions& options)
      : cluster_(cluster),
        loads_(loads),
        gpus_(gpus),
        options_(options),
        network_(cluster, {.routing = options.routing, .faults = options.faults}),
        capacities_(link_capacities(cluster, options.faults, options.network_share)) {}

  void time(std::span<const std::size_t> which, std::vector<IsolatedTime>& all) {
    const auto chosen =
        collectives::load_schedules(loads_, cluster_, gpus_, options_.schedule, which);
    std::vector<AnalyticNetwork::Connected> connected;
    for (std::size_t k = 0; k < which.size(); ++k)
      connected.push_back({chosen[k].get(), loads_.loads()[which[k]].transport});
    std::vector<IsolatedTime> found = network_.alone(connected);
    for (std::size_t k = 0; k < found.size(); ++k) {
      if (options_.pace)
        if (const auto pace = options_.pace(*chosen[k]))
          apply(*pace, cluster_, capacities_, found[k]);
      all[which[k]] = std::move(found[k]);
    }
  }

 private:
  const topology::Cluster& cluster_;
  const Communications& loads_;
  std::span<const Rank> gpus_;
  const WorkloadOptions& options_;
  AnalyticNetwork network_;
  std::vector<double> capacities_;
};

}  // namespace

Time latency_with_share(const IsolatedTime& load, float share) { return over(load.latency, share); }

Time time_with_share(const IsolatedTime& load, float share) {
  if (share >= 1) return load.total;
  return latency_with_share(load, share) +
         std::max(over(load.at_hosts, share), load.total - load.latency);
}

std::vector<IsolatedTime> load_profiles(const topology::Cluster& cluster,
                                        const Communications& loads, std::span<const Rank> gpus,
                                        const WorkloadOptions& options) {
  std::vector<IsolatedTime> all(loads.loads().size());
  std::vector<std::size_t> own, outside;
  std::vector<std::pair<std::size_t, EqualNodeLoads::EqualLoad>> equal_loads;
  EqualNodeLoads node_twins(cluster, gpus, options.faults);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const collectives::Load& load = loads.loads()[i];
    if (!loads.moves_bytes(load)) continue;
    const bool is_message = loads.transports()[load.transport].is_message();
    if (const auto equal = node_twins.of(i, load.shape, is_message, loads.ranks(load)))
      equal_loads.emplace_back(i, *equal);
    else
      own.push_back(i);
  }
  Profiler profiler(cluster, loads, gpus, options);
  profiler.time(own, all);
  for (const auto& [i, equal] : equal_loads) {
    if (auto moved = node_twins.moved(equal, all[equal.load]))
      all[i] = std::move(*moved);
    else
      outside.push_back(i);
  }
  if (!outside.empty()) profiler.time(outside, all);
  return all;
}

}  // namespace railyard::sim
