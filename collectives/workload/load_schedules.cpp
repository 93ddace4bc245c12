#include "collectives/workload/load_schedules.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace railyard::collectives {
namespace {

/// Rounds up to whole elements on every rank of the group.
Collective whole(Collective asked, std::size_t ranks) {
  asked.type = DataType::bfloat16;
  const auto unit = static_cast<std::int64_t>(2 * ranks);
  asked.bytes = Bytes(std::max<std::int64_t>(1, (asked.bytes.count() + unit - 1) / unit) * unit);
  return asked;
}

/// The channels of a message: the whole block of the first rank is sent to the second.
std::vector<Channel> message_channels(std::size_t channels) {
  const auto once = std::make_shared<const std::vector<Transfer>>(
      1, Transfer{.source = 0, .destination = 1, .first_chunk = 0});
  const Channel channel{.chunks_per_block = 1,
                        .loops = {{.repeat = 1,
                                   .coupling = Coupling::independent,
                                   .steps = {{.pattern = ListPattern{.transfers = once}}}}}};
  return std::vector<Channel>(channels, channel);
}

/// Creates schedules of loads. Groups with the same distribution over nodes share a schedule.
class Schedules {
 public:
  Schedules(const topology::Cluster& cluster, std::span<const Rank> gpus,
            const ScheduleSource& source)
      : cluster_(cluster), gpus_(gpus), source_(source) {}

  Schedule of(std::span<const std::uint32_t> ranks, const Collective& collective, bool is_message) {
    std::vector<Rank> on;
    for (const std::uint32_t rank : ranks) on.push_back(gpus_[rank]);
    auto group = std::make_shared<const Group>(cluster_, std::move(on));
    Key key = pattern(*group);
    key.insert(key.end(), {static_cast<std::uint64_t>(collective.kind),
                           static_cast<std::uint64_t>(collective.bytes.count()), collective.root,
                           is_message ? 1U : 0U});
    if (const auto known = known_.find(key); known != known_.end()) {
      Schedule::Parts parts = known->second;
      parts.group = std::move(group);
      return Schedule(std::move(parts));
    }
    const Schedule chosen = source_(group, collective);
    Schedule::Parts parts{.algorithm = chosen.algorithm(),
                          .protocol = chosen.protocol(),
                          .collective = chosen.collective(),
                          .group = std::move(group),
                          .reducers = {chosen.reducers().begin(), chosen.reducers().end()},
                          .channels = {chosen.channels().begin(), chosen.channels().end()}};
    if (is_message) parts.channels = message_channels(parts.channels.size());
    if (parts.reducers.empty()) known_.emplace(std::move(key), parts);
    return Schedule(std::move(parts));
  }

 private:
  using Key = std::vector<std::uint64_t>;

  /// For each member: the index of its node in the group, the shape of the node, and the number of
  /// its GPU in the node.
  [[nodiscard]] Key pattern(const Group& group) const {
    Key key;
    for (std::uint32_t i = 0; i < group.size(); ++i) {
      const Rank gpu = group.rank(i);
      const NodeId node = cluster_.node_of(gpu);
      key.insert(key.end(), {group.node_index(i), cluster_.node(node).shape,
                             static_cast<std::uint64_t>(cluster_.local_gpu(gpu))});
    }
    return key;
  }

  const topology::Cluster& cluster_;
  std::span<const Rank> gpus_;
  const ScheduleSource& source_;
  std::map<Key, Schedule::Parts> known_;
};

}  // namespace

std::vector<std::unique_ptr<const Schedule>> load_schedules(const Communications& loads,
                                                            const topology::Cluster& cluster,
                                                            std::span<const Rank> gpus,
                                                            const ScheduleSource& source) {
  std::vector<std::size_t> all(loads.loads().size());
  std::iota(all.begin(), all.end(), 0);
  return load_schedules(loads, cluster, gpus, source, all);
}

std::vector<std::unique_ptr<const Schedule>> load_schedules(const Communications& loads,
                                                            const topology::Cluster& cluster,
                                                            std::span<const Rank> gpus,
                                                            const ScheduleSource& source,
                                                            std::span<const std::size_t> which) {
  Schedules schedules(cluster, gpus, source);
  std::vector<std::unique_ptr<const Schedule>> chosen(which.size());
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const Load& load = loads.loads()[which[i]];
    if (!loads.moves_bytes(load)) continue;
    const std::span<const std::uint32_t> ranks = loads.ranks(load);
    chosen[i] = std::make_unique<const Schedule>(
        schedules.of(ranks, whole(loads.shapes()[load.shape], ranks.size()),
                     loads.transports()[load.transport].is_message()));
  }
  return chosen;
}

}  // namespace railyard::collectives
