#include "collectives/formats/traces/traced_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <numeric>
#include <stdexcept>

#include "collectives/workload/rank_text.hpp"

namespace railyard::collectives {
TracedRanks::TracedRanks(std::vector<std::uint32_t> traced, std::uint32_t world)
    : traced_(std::move(traced)), world_(world) {
  assert(!traced_.empty() && traced_.back() < world_);
}

std::vector<WorkloadRole> TracedRanks::roles() const {
  std::vector<WorkloadRole> roles(traced_.size());
  for (std::uint32_t i = 0; i < traced_.size(); ++i)
    roles[i] = {.name = "", .program = i, .ranks = {}};
  std::size_t role = 0;
  for (std::uint32_t rank = 0; rank < world_; ++rank) {
    while (role + 1 < traced_.size() && traced_[role + 1] <= rank) ++role;
    roles[role].ranks.push_back(rank);
  }
  return roles;
}

std::string TracedRanks::note() const {
  if (is_complete()) return "";
  const std::size_t missing = world_ - traced_.size();
  if (traced_.size() == 1)
    return fmt::format(
        "only rank {} of {} has a trace: the others run the same operations in groups of the same "
        "shape",
        traced_[0], world_);
  return fmt::format(
      "{} of {} ranks have no trace: each runs the operations of the nearest traced rank below it "
      "in groups of the same shape",
      missing, world_);
}

std::uint32_t FamilyTable::world_family() {
  if (!world_family_) {
    std::vector<std::uint32_t> all(ranks_.world());
    std::iota(all.begin(), all.end(), 0U);
    world_family_ = static_cast<std::uint32_t>(families_.size());
    families_.push_back({.name = "world", .groups = {std::move(all)}});
  }
  return *world_family_;
}

std::uint32_t FamilyTable::family(std::string_view name, const std::vector<std::uint32_t>& group) {
  auto numbers = known_.find(name);
  if (numbers == known_.end()) numbers = known_.emplace(name, Numbers()).first;
  if (const auto known = numbers->second.find(group); known != numbers->second.end())
    return known->second;
  const auto number = static_cast<std::uint32_t>(families_.size());
  std::vector<std::vector<std::uint32_t>> groups = groups_like(group);
  const std::string ranks = rank_text(groups.front());
  for (const std::vector<std::uint32_t>& other : groups) numbers->second[other] = number;
  std::string unique = name.empty() ? ranks : fmt::format("{} ({})", name, ranks);
  const auto has_name = [&](const GroupFamily& other) { return other.name == unique; };
  if (std::any_of(families_.begin(), families_.end(), has_name))
    unique += fmt::format(" #{}", number);
  families_.push_back({.name = std::move(unique), .groups = std::move(groups)});
  return number;
}

std::vector<std::vector<std::uint32_t>> FamilyTable::groups_like(
    const std::vector<std::uint32_t>& group) const {
  if (group.empty()) throw std::invalid_argument("has no ranks");
  const std::uint32_t world = ranks_.world();
  for (const std::uint32_t rank : group) {
    if (rank >= world)
      throw std::invalid_argument(
          fmt::format("has rank {}, and the job has ranks 0 to {}", rank, world - 1));
  }
  std::vector<std::uint32_t> sorted(group.begin(), group.end());
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
    throw std::invalid_argument("has a rank twice");
  if (ranks_.is_complete()) return {group};
  const auto size = static_cast<std::uint32_t>(group.size());
  const std::uint32_t stride = size > 1 && group[1] > group[0] ? group[1] - group[0] : 1;
  const std::uint64_t block = std::uint64_t{size} * stride;
  bool is_even = world % block == 0 && group[0] % block < stride;
  for (std::uint32_t i = 0; i < size; ++i) is_even = is_even && group[i] == group[0] + i * stride;
  if (!is_even)
    throw std::invalid_argument(
        fmt::format("of ranks {} does not repeat over {} ranks, and not all of them have a trace",
                    rank_text(group), world));
  std::vector<std::vector<std::uint32_t>> groups;
  for (std::uint32_t base = 0; base < world; base += static_cast<std::uint32_t>(block)) {
    for (std::uint32_t offset = 0; offset < stride; ++offset) {
      auto& members = groups.emplace_back();
      for (std::uint32_t i = 0; i < size; ++i) members.push_back(base + offset + i * stride);
    }
  }
  return groups;
}

}  // namespace railyard::collectives
