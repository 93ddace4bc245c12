#include "placement/mixed/mixed_elastic.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "core/diagnostic.hpp"
#include "placement/mixed/mixed_mapping.hpp"

namespace railyard::placement {
namespace {

/// What makes a rank the same before and after: its place in the tensor and context group, its
/// stage, the types of its replica and which of those it is.
using Place = std::tuple<std::size_t, std::size_t, std::vector<int>, int>;

/// By rank. Classes with the same types count on.
std::vector<Place> places_of(const MixedStrategy& mixed) {
  const auto block = static_cast<std::size_t>(mixed.strategy.tp * mixed.strategy.cp);
  std::vector<Place> places;
  for (std::size_t stage = 0; stage < static_cast<std::size_t>(mixed.strategy.pp); ++stage) {
    std::map<std::vector<int>, int> replicas;
    for (const PipelineClass& one : mixed.classes)
      for (int r = 0; r < one.replicas; ++r) {
        const int which = replicas[one.types]++;
        for (std::size_t i = 0; i < block; ++i) places.emplace_back(i, stage, one.types, which);
      }
  }
  return places;
}

/// What is given of a strategy whose replicas are to be counted anew.
MixedFix fix_of(const MixedStrategy& before) {
  MixedFix fix{.strategy = before.strategy, .has_pp = true};
  for (const PipelineClass& one : before.classes) fix.stages.push_back(one.types);
  return fix;
}

/// Blocks of the strategy's tensor and context groups that each type has.
std::vector<int> blocks_of(const MixedContext& c, const Strategy& s) {
  std::vector<int> blocks;
  for (const GpuType& type : c.types) blocks.push_back(type.gpus() / (s.tp * s.cp));
  return blocks;
}

/// As many replicas of each class as there is room for, in the order of the classes, which share
/// where they have a type in common.
std::vector<int> room(const MixedContext& c, const MixedFix& fix) {
  std::vector<int> blocks = blocks_of(c, fix.strategy);
  std::vector<int> replicas(fix.stages.size(), 0);
  for (bool more = true; more;) {
    more = false;
    for (std::size_t k = 0; k < fix.stages.size(); ++k) {
      std::vector<int> left = blocks;
      for (const int type : fix.stages[k]) --left[static_cast<std::size_t>(type)];
      if (std::ranges::any_of(left, [](int n) { return n < 0; })) continue;
      blocks = std::move(left);
      ++replicas[k];
      more = true;
    }
  }
  return replicas;
}

}  // namespace

Mapping patched_mapping(const MixedPlaced& before, const MixedStrategy& after,
                        std::span<const GpuType> left) {
  std::set<Rank> alive;
  for (const GpuType& type : left) alive.insert(type.free.begin(), type.free.end());
  std::map<Place, Rank> was;
  const std::vector<Place> old_places = places_of(before.mixed), places = places_of(after);
  for (std::size_t r = 0; r < old_places.size(); ++r)
    if (alive.contains(before.mapping.gpus[r])) was.emplace(old_places[r], before.mapping.gpus[r]);
  Mapping mapping;
  std::set<Rank> used;
  for (const Place& place : places) {
    const auto found = was.find(place);
    mapping.gpus.push_back(found == was.end() ? Rank::none() : found->second);
    if (found != was.end()) used.insert(found->second);
  }
  const std::vector<int> types = rank_types(after);
  std::vector<std::size_t> next(left.size(), 0);
  for (std::size_t r = 0; r < mapping.size(); ++r) {
    if (!mapping.gpus[r].is_none()) continue;
    const auto type = static_cast<std::size_t>(types[r]);
    while (used.contains(left[type].free[next[type]])) ++next[type];
    mapping.gpus[r] = left[type].free[next[type]++];
  }
  return mapping;
}

std::optional<MixedScored> same_split(const MixedContext& c, const MixedStrategy& before) {
  MixedFix fix = fix_of(before);
  fix.replicas = room(c, fix);
  for (std::size_t k = fix.stages.size(); k-- > 0;) {
    if (fix.replicas[k] > 0) continue;
    fix.stages.erase(fix.stages.begin() + static_cast<std::ptrdiff_t>(k));
    fix.replicas.erase(fix.replicas.begin() + static_cast<std::ptrdiff_t>(k));
  }
  // Where so many replicas do not divide the experts or the batch, one fewer of the last class.
  while (!fix.stages.empty()) {
    const MixedResult found = search_mixed(c, {.top = 1, .fix = fix});
    if (!found.best.empty()) return found.best.front();
    if (--fix.replicas.back() > 0) continue;
    fix.replicas.pop_back();
    fix.stages.pop_back();
  }
  return std::nullopt;
}

Time move_time(const Moves& moves, const topology::Cluster& cluster,
               std::span<const GpuType> types) {
  double longest = 0;
  for (const auto& [node, bytes] : moves.by_node) {
    const auto its = std::ranges::find_if(types, [&](const GpuType& type) {
      return !type.free.empty() &&
             cluster.node(cluster.node_of(type.free.front())).shape == cluster.node(node).shape;
    });
    const double nics = its == types.end() ? 0 : its->fabric.nics.bytes_per_second();
    if (nics > 0) longest = std::max(longest, bytes / nics);
  }
  return Time::from_seconds(longest);
}

}  // namespace railyard::placement
