#include "placement/cost/group_shapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/diagnostic.hpp"

namespace railyard::placement {
namespace {

constexpr std::array<std::pair<Dimension, std::string_view>, 4> kNames{
    {{Dimension::tp, "tp"}, {Dimension::cp, "cp"}, {Dimension::dp, "dp"}, {Dimension::pp, "pp"}}};

std::string_view name(Dimension dimension) {
  for (const auto& [known, text] : kNames)
    if (known == dimension) return text;
  return "?";
}

/// Distance in ranks between neighbours of a dimension.
std::uint32_t stride(const Strategy& s, const DimensionOrder& order, Dimension dimension) {
  std::uint32_t product = 1;
  for (const Dimension faster : order) {
    if (faster == dimension) return product;
    product *= static_cast<std::uint32_t>(extent(s, faster));
  }
  return product;
}

/// Offsets from rank 0 of the ranks that differ from it only in `dimensions`, in the given order.
std::vector<std::uint32_t> offsets(const Strategy& s, const DimensionOrder& order,
                                   std::initializer_list<Dimension> dimensions) {
  std::vector<std::uint32_t> result{0};
  for (const Dimension d : order) {
    if (std::find(dimensions.begin(), dimensions.end(), d) == dimensions.end()) continue;
    const std::size_t before = result.size();
    const std::uint32_t step = stride(s, order, d);
    for (std::uint32_t i = 1; i < static_cast<std::uint32_t>(extent(s, d)); ++i)
      for (std::size_t j = 0; j < before; ++j) result.push_back(result[j] + i * step);
  }
  return result;
}

/// The shape of a group, from the offsets of its members from the first.
GroupShape shape_of(const std::vector<std::uint32_t>& members, std::uint32_t gpus_per_node,
                    std::uint32_t gpus) {
  GroupShape shape{.size = static_cast<std::uint32_t>(members.size())};
  if (shape.size == 1) return shape;
  std::uint32_t inside = 0, next_gpu = 0, next_node = 0;
  for (const std::uint32_t member : members) {
    if (member < gpus_per_node) {
      ++inside;
      if (member > 0 && (next_gpu == 0 || member < next_gpu)) next_gpu = member;
    } else if (next_node == 0 || member / gpus_per_node < next_node) {
      next_node = member / gpus_per_node;
    }
  }
  // Groups that do not tile nodes are treated as if every node were like the first one.
  while (shape.size % inside != 0) --inside;
  shape.per_node = inside;
  shape.gpu_stride = std::max(1U, next_gpu);
  shape.node_stride = std::max(1U, next_node);
  shape.beside = std::max(1U, std::min(gpus_per_node, gpus) / inside);
  return shape;
}

/// `count` members, every `step`-th from the first.
std::vector<std::uint32_t> every(const std::vector<std::uint32_t>& members, int count, int step) {
  std::vector<std::uint32_t> chosen;
  for (int i = 0; i < count; ++i)
    chosen.push_back(members[static_cast<std::size_t>(i) * static_cast<std::size_t>(step)]);
  return chosen;
}

}  // namespace

DimensionOrder parse_order(std::string_view text, const std::string& where) {
  DimensionOrder order{};
  std::vector<Dimension> found;
  std::string_view rest = text;
  while (true) {
    const std::size_t dash = rest.find('-');
    for (const auto& [dimension, known] : kNames)
      if (known == rest.substr(0, dash) &&
          std::find(found.begin(), found.end(), dimension) == found.end())
        found.push_back(dimension);
    if (dash == rest.npos) break;
    rest.remove_prefix(dash + 1);
  }
  if (found.size() != order.size() || text.size() != 11)
    throw InputError("", where, fmt::format("'{}' is not an order of tp, cp, dp and pp", text),
                     "tp-cp-dp-pp: neighbours first");
  std::copy(found.begin(), found.end(), order.begin());
  return order;
}

std::string to_text(const DimensionOrder& order) {
  return fmt::format("{}-{}-{}-{}", name(order[0]), name(order[1]), name(order[2]), name(order[3]));
}

int extent(const Strategy& s, Dimension dimension) {
  switch (dimension) {
    case Dimension::tp: return s.tp;
    case Dimension::cp: return s.cp;
    case Dimension::dp: return s.dp;
    case Dimension::pp: break;
  }
  return s.pp;
}

const GroupShape& GroupShapes::operator[](GroupRole role) const {
  switch (role) {
    case GroupRole::tensor: return tp;
    case GroupRole::context: return cp;
    case GroupRole::expert: return ep;
    case GroupRole::pipeline: return pp;
    case GroupRole::data: return replicas;
    case GroupRole::shard: return shard;
    case GroupRole::copies: return mirrors;
    case GroupRole::expert_data: return expert_replicas;
    case GroupRole::expert_shard: return expert_shard;
    case GroupRole::expert_copies: return expert_mirrors;
    case GroupRole::embedding: break;
  }
  return embedding;
}

GroupShapes group_shapes(const Strategy& s, const DimensionOrder& order, int gpus_per_node) {
  using enum Dimension;
  const auto g = static_cast<std::uint32_t>(gpus_per_node);
  const auto gpus = static_cast<std::uint32_t>(s.gpus());
  const auto shape = [&](std::initializer_list<Dimension> dimensions) {
    return shape_of(offsets(s, order, dimensions), g, gpus);
  };
  GroupShapes shapes{.tp = shape({tp}),
                     .cp = shape({cp}),
                     .dp = shape({dp}),
                     .pp = shape({pp}),
                     .replicas = shape({cp, dp})};
  shapes.shard = shapes.replicas;
  if (s.ep > 1 || s.etp > 1) {
    // Within a stage, ranks of an expert (etp) are neighbours, then come ep, then copies of
    // experts.
    const std::vector<std::uint32_t> stage = offsets(s, order, {tp, cp, dp});
    shapes.ep = shape_of(every(stage, s.ep, s.etp), g, gpus);
    shapes.expert_replicas = shape_of(every(stage, s.expert_replicas(), s.ep * s.etp), g, gpus);
  } else {
    shapes.expert_replicas = shape({tp, cp, dp});
  }
  shapes.expert_shard = shapes.expert_replicas;
  if (s.copies() > 1) {
    // Ranks that share a copy of the state are neighbours.
    const std::vector<std::uint32_t> replicas = offsets(s, order, {cp, dp});
    shapes.shard = shape_of(every(replicas, s.shards(), 1), g, gpus);
    shapes.mirrors = shape_of(every(replicas, s.copies(), s.shards()), g, gpus);
    const std::vector<std::uint32_t> experts =
        every(offsets(s, order, {tp, cp, dp}), s.expert_replicas(), s.ep * s.etp);
    const int shared = s.expert_shards();
    shapes.expert_shard = shape_of(every(experts, shared, 1), g, gpus);
    shapes.expert_mirrors = shape_of(every(experts, s.expert_replicas() / shared, shared), g, gpus);
  }
  if (s.pp > 1) {
    const std::vector<std::uint32_t> stages = offsets(s, order, {pp});
    shapes.embedding = shape_of({stages.front(), stages.back()}, g, gpus);
  }
  return shapes;
}

}  // namespace railyard::placement
