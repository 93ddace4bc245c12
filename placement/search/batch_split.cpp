#include "placement/search/batch_split.hpp"

#include <algorithm>
#include <cstdint>

namespace railyard::placement {
namespace {

/// Micro-batches that a replica completes by `end`, at least one.
std::int64_t done_by(const ReplicaLoad& load, std::int64_t end) {
  const std::int64_t each = std::max<std::int64_t>(1, load.each.picoseconds());
  return std::max<std::int64_t>(1, (end - load.once.picoseconds()) / each);
}

std::int64_t all_done_by(std::span<const ReplicaLoad> classes, std::int64_t end) {
  std::int64_t sum = 0;
  for (const ReplicaLoad& load : classes) sum += load.replicas * done_by(load, end);
  return sum;
}

std::int64_t end_of(const ReplicaLoad& load, std::int64_t micro_batches) {
  return load.once.picoseconds() + load.each.picoseconds() * micro_batches;
}

}  // namespace

std::vector<BatchShare> split_batches(std::span<const ReplicaLoad> classes, int micro_batches) {
  int replicas = 0;
  std::int64_t low = 0, high = 0;
  for (const ReplicaLoad& load : classes) {
    replicas += load.replicas;
    high = std::max(high, end_of(load, micro_batches));
  }
  if (classes.empty() || replicas > micro_batches) return {};
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (all_done_by(classes, middle) >= micro_batches)
      high = middle;
    else
      low = middle + 1;
  }
  std::vector<BatchShare> shares;
  std::int64_t surplus = all_done_by(classes, low) - micro_batches;
  for (const ReplicaLoad& load : classes)
    shares.push_back({.micro_batches = static_cast<int>(done_by(load, low))});
  // Remove the excess from the replicas that finish last, one micro-batch each.
  std::vector<std::size_t> last(classes.size());
  for (std::size_t i = 0; i < last.size(); ++i) last[i] = i;
  std::ranges::stable_sort(last, std::greater<>(), [&](std::size_t i) {
    return end_of(classes[i], shares[i].micro_batches);
  });
  for (const std::size_t i : last) {
    if (shares[i].micro_batches < 2) continue;
    const std::int64_t less = std::min<std::int64_t>(surplus, classes[i].replicas);
    surplus -= less;
    if (less == classes[i].replicas)
      --shares[i].micro_batches;
    else
      shares[i].fewer = static_cast<int>(less);
  }
  return surplus == 0 ? shares : std::vector<BatchShare>{};
}

}  // namespace railyard::placement
