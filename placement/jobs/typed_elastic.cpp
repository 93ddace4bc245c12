#include "placement/jobs/typed_elastic.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "core/diagnostic.hpp"
#include "placement/mapping/typed_mapping.hpp"

namespace railyard::placement {
namespace {

/// What makes a rank the same before and after: its place in the tensor and context group, its
/// stage, the types of its replica and which of those it is.
using Place = std::tuple<std::size_t, std::size_t, std::vector<int>, int>;

/// By rank. Classes with the same types count on.
std::vector<Place> places_of(const Strategy& s) {
  const auto block = static_cast<std::size_t>(s.tp * s.cp);
  std::vector<Place> places;
  for (std::size_t stage = 0; stage < static_cast<std::size_t>(s.pp); ++stage) {
    std::map<std::vector<int>, int> replicas;
    for (const PipelineClass& one : s.classes)
      for (int r = 0; r < one.replicas; ++r) {
        const int which = replicas[one.types]++;
        for (std::size_t i = 0; i < block; ++i) places.emplace_back(i, stage, one.types, which);
      }
  }
  return places;
}

/// Blocks of the strategy's tensor and context groups that each type has.
std::vector<int> blocks_of(const CostContext& c, const Strategy& s) {
  std::vector<int> blocks;
  for (const TypeContext& type : c.types) blocks.push_back(type.gpus / (s.tp * s.cp));
  return blocks;
}

/// Gives each class as many replicas as there is room for, in the order of the classes, which share
/// where they have a type in common.
void fill_room(const CostContext& c, Strategy& s) {
  std::vector<int> blocks = blocks_of(c, s);
  for (PipelineClass& one : s.classes) one.replicas = 0;
  for (bool more = true; more;) {
    more = false;
    for (PipelineClass& one : s.classes) {
      std::vector<int> left = blocks;
      for (int stage = 0; stage < s.pp; ++stage)
        --left[static_cast<std::size_t>(one.type_of(stage))];
      if (std::ranges::any_of(left, [](int n) { return n < 0; })) continue;
      blocks = std::move(left);
      ++one.replicas;
      more = true;
    }
  }
}

}  // namespace

Mapping patched_mapping(const Placed& before, const Strategy& after,
                        std::span<const GpuType> left) {
  std::set<Rank> alive;
  for (const GpuType& type : left) alive.insert(type.free.begin(), type.free.end());
  std::map<Place, Rank> was;
  const std::vector<Place> old_places = places_of(before.strategy), places = places_of(after);
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

std::optional<Scored> same_split(const CostContext& c, const Strategy& before) {
  GivenStrategy fix{.strategy = before, .given = {.pp = true}};
  std::vector<PipelineClass>& classes = fix.strategy.classes;
  for (PipelineClass& one : classes) one.micro_batches = one.fewer = 0;
  fill_room(c, fix.strategy);
  std::erase_if(classes, [](const PipelineClass& one) { return one.replicas == 0; });
  // Where so many replicas do not divide the experts or the batch, one fewer of the last class.
  while (!classes.empty()) {
    const SearchResult found = search(c, {.top = 1, .fix = fix});
    if (!found.best.empty()) return found.best.front();
    if (--classes.back().replicas == 0) classes.pop_back();
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
