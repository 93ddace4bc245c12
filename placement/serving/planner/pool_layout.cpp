#include "placement/serving/planner/pool_layout.hpp"

#include <algorithm>
#include <stdexcept>

namespace railyard::placement::serving {
namespace {

using Ranks = std::vector<std::uint32_t>;

/// GPUs of a cluster that no replica uses yet.
class FreeGpus {
 public:
  FreeGpus(int per_node, int ranks)
      : per_node_(static_cast<std::size_t>(per_node)),
        is_free_(static_cast<std::size_t>(ranks), true) {}

  Ranks take(std::size_t count) {
    for (std::size_t first = 0; first < is_free_.size(); first += per_node_)
      if (Ranks found = from(first, count); found.size() == count) return taken(found);
    Ranks any = free_in(0, is_free_.size(), count);
    if (any.size() < count)
      throw std::invalid_argument("the pools need more GPUs than the cluster has");
    return taken(any);
  }

 private:
  /// The first `count` free GPUs of the node that starts at `first`. If `count` exceeds a node: the
  /// whole nodes from there on, or nothing if they are not free.
  [[nodiscard]] Ranks from(std::size_t first, std::size_t count) const {
    const std::size_t nodes = (count + per_node_ - 1) / per_node_;
    const std::size_t end = std::min(is_free_.size(), first + nodes * per_node_);
    Ranks found = free_in(first, end, count);
    const bool is_whole = nodes == 1 || found.size() < count || found.back() + 1 - first == count;
    return is_whole ? found : Ranks();
  }
  [[nodiscard]] Ranks free_in(std::size_t first, std::size_t end, std::size_t count) const {
    Ranks found;
    for (std::size_t rank = first; rank < end && found.size() < count; ++rank)
      if (is_free_[rank]) found.push_back(static_cast<std::uint32_t>(rank));
    return found;
  }
  Ranks taken(const Ranks& ranks) {
    for (const std::uint32_t rank : ranks) is_free_[rank] = false;
    return ranks;
  }

  std::size_t per_node_;
  std::vector<bool> is_free_;
};

}  // namespace

PoolLayout pool_layout(const ReplicaGroup& prefill, const ReplicaGroup& decode, int gpus_per_node,
                       int ranks) {
  PoolLayout layout;
  FreeGpus free(gpus_per_node, ranks);
  const auto place = [&](const ReplicaGroup& group, std::vector<Ranks>& replicas) {
    for (int i = 0; i < group.replicas; ++i)
      replicas.push_back(free.take(static_cast<std::size_t>(group.gpus)));
  };
  const bool prefill_first = prefill.gpus >= decode.gpus;
  if (prefill_first) place(prefill, layout.prefill);
  place(decode, layout.decode);
  if (!prefill_first) place(prefill, layout.prefill);
  return layout;
}

std::vector<CachePart> cache_parts(const PoolLayout& layout, std::size_t from, std::size_t to) {
  const Ranks &senders = layout.prefill[from], &receivers = layout.decode[to];
  const std::size_t count = std::max(senders.size(), receivers.size());
  const double bytes =
      layout.token_bytes * static_cast<double>(receivers.size()) / static_cast<double>(count);
  std::vector<CachePart> parts;
  for (std::size_t i = 0; i < count; ++i)
    parts.push_back(
        {senders[i * senders.size() / count], receivers[i * receivers.size() / count], bytes});
  return parts;
}

}  // namespace railyard::placement::serving
