#include "sim/packet/run/ring_sample.hpp"

#include <memory>

namespace railyard::sim::packet {
namespace {

using collectives::RingPattern;

/// Appends the nodes [first, end) of the ring, which are simulated themselves.
void keep(std::uint32_t first, std::uint32_t end, RingSample& sample) {
  for (std::uint32_t node = first; node < end; ++node) {
    sample.stands.push_back(static_cast<std::uint32_t>(sample.nodes.size()));
    sample.nodes.push_back(node);
  }
}

/// The end of the run, beginning at `first`, of forms that repeat every `turn` nodes.
std::uint32_t end_of_run(std::span<const std::uint64_t> forms, std::uint32_t first,
                         std::uint32_t turn) {
  std::uint32_t end = first + turn;
  while (end < forms.size() && forms[end] == forms[end - turn]) ++end;
  return std::min(end, static_cast<std::uint32_t>(forms.size()));
}

}  // namespace

std::optional<RingSample> choose_nodes(std::span<const std::uint64_t> forms, const RingCut& cut) {
  RingSample sample{.per_node = cut.per_node};
  const std::uint32_t turn = cut.turn, front = cut.reach + 2 * turn;
  for (std::uint32_t first = 0; first < forms.size();) {
    const std::uint32_t end = end_of_run(forms, first, turn);
    if (end - first < front + RingSample::kAfter + turn) {
      keep(first, first + 1, sample);
      ++first;
      continue;
    }
    keep(first, first + front, sample);
    const auto copied = static_cast<std::uint32_t>(sample.nodes.size()) - turn;
    for (std::uint32_t i = 0; i < turn; ++i)
      sample.twins.emplace_back(copied - turn + i, copied + i);
    const std::uint32_t left_out = (end - first - front - RingSample::kAfter) / turn * turn;
    for (std::uint32_t i = 0; i < left_out; ++i) sample.stands.push_back(copied + i % turn);
    keep(first + front + left_out, end, sample);
    first = end;
  }
  if (2 * sample.nodes.size() > forms.size()) return std::nullopt;
  return sample;
}

RingPattern thinned(const RingPattern& ring, const RingSample& sample) {
  RingPattern result = ring;
  std::vector<std::uint32_t> order;
  std::vector<collectives::HopVia> via;
  for (const std::uint32_t node : sample.nodes)
    for (std::uint32_t i = node * sample.per_node; i < (node + 1) * sample.per_node; ++i) {
      order.push_back(ring.order[i]);
      if (ring.via) via.push_back((*ring.via)[i]);
    }
  result.order = collectives::RankOrder::explicit_list(std::move(order));
  if (ring.via) result.via = std::make_shared<const collectives::RingVia>(std::move(via));
  return result;
}

bool has_forms(std::span<const std::uint64_t> sampled, std::span<const std::uint64_t> whole,
               const RingSample& sample) {
  for (std::size_t i = 0; i < sample.nodes.size(); ++i)
    if (sampled[i] != whole[sample.nodes[i]]) return false;
  return true;
}

std::vector<LinkId> links_of(const topology::Cluster& cluster, const RingNodes& whole,
                             const RingNodes& sampled, const RingSample& sample) {
  std::vector<LinkId> result(cluster.links().size());
  for (std::uint32_t node = 0; node < whole.size(); ++node) {
    const std::span<const LinkId> links = whole.links(node);
    const std::span<const LinkId> copies = sampled.links(sample.stands[node]);
    for (std::size_t i = 0; i < links.size(); ++i) {
      result[links[i].index()] = copies[i];
      const LinkId back = cluster.link(links[i]).reverse;
      if (!back.is_none()) result[back.index()] = cluster.link(copies[i]).reverse;
    }
  }
  return result;
}

}  // namespace railyard::sim::packet
