#include <bit>

#include "collectives/algorithms/algorithm_list.hpp"
#include "collectives/schedule/chunking.hpp"

namespace railyard::collectives {
namespace {

bool supports_halving_doubling(Kind kind) {
  return kind == Kind::all_reduce || kind == Kind::all_gather || kind == Kind::reduce_scatter;
}

/// Positions node by node, so that exchanges at small distances stay inside nodes.
std::vector<std::uint32_t> by_node(const Group& group) {
  const auto positions = group.positions_by_node();
  return {positions.begin(), positions.end()};
}

bool is_in_order(const Group& group) {
  const auto positions = group.positions_by_node();
  for (std::uint32_t place = 0; place < group.size(); ++place) {
    if (positions[place] != place) return false;
  }
  return true;
}

std::string why_not_halving_doubling(const Request& request) {
  const std::uint32_t n = request.group->size();
  if (request.collective.kind == Kind::all_reduce || std::has_single_bit(n)) return {};
  return "all_gather and reduce_scatter need a power of two as the number of ranks, not " +
         std::to_string(n) + "; ring and pat support any number";
}

/// The exchange steps at distances 1, 2, 4, ... below `places`; if not `rising`, in reverse order.
std::vector<Step> exchanges(const RankOrder& order, Action action, bool near_first, bool rising) {
  const std::uint32_t places = order.size();
  std::vector<Step> steps;
  for (std::uint64_t distance = 1; distance < places; distance *= 2) {
    const std::uint64_t chosen = rising ? distance : places / 2 / distance;
    steps.push_back(
        {.pattern = ExchangePattern{
             .order = order, .distance = chosen, .action = action, .near_first = near_first}});
  }
  return steps;
}

void append(std::vector<Step>& steps, std::vector<Step> more) {
  for (Step& step : more) steps.push_back(std::move(step));
}

/// Reduces the number of ranks to a power of two: each extra rank first gives its data to a
/// neighbour, and at the end receives the result from it.
Step fold(const std::vector<std::uint32_t>& ranks, std::uint32_t extra, std::uint64_t chunks,
          Action action) {
  std::vector<Edge> edges;
  for (std::uint32_t i = 0; i < extra; ++i) {
    const Participant keeper = ranks[std::size_t{2} * i];
    const Participant other = ranks[std::size_t{2} * i + 1];
    edges.push_back(action == Action::reduce ? Edge{.source = other, .destination = keeper}
                                             : Edge{.source = keeper, .destination = other});
  }
  return {.pattern =
              EdgePattern{.edges = std::make_shared<const std::vector<Edge>>(std::move(edges)),
                          .action = action,
                          .chunks = chunks}};
}

/// Rabenseifner 2004. Near exchanges come first because they carry the most data (Thakur et al.
/// 2005, 4.5).
Channel all_reduce(const Group& group) {
  const std::vector<std::uint32_t> ranks = by_node(group);
  const std::uint32_t places = std::bit_floor(group.size());
  const std::uint32_t extra = group.size() - places;
  std::vector<std::uint32_t> kept;
  for (std::uint32_t i = 0; i < group.size(); ++i) {
    if (i >= 2 * extra || i % 2 == 0) kept.push_back(ranks[i]);
  }
  const RankOrder order = extra == 0 && is_in_order(group)
                              ? RankOrder::identity(places)
                              : RankOrder::explicit_list(std::move(kept));
  std::vector<Step> steps;
  if (extra > 0) steps.push_back(fold(ranks, extra, places, Action::reduce));
  append(steps, exchanges(order, Action::reduce, true, true));
  append(steps, exchanges(order, Action::copy, true, false));
  if (extra > 0) steps.push_back(fold(ranks, extra, places, Action::copy));
  return {.chunks_per_block = places, .loops = {{.repeat = 1, .steps = std::move(steps)}}};
}

/// The pieces are the ranks' blocks, so in halving the far exchanges come first.
Channel of_blocks(const Group& group, Kind kind) {
  const RankOrder order = RankOrder::identity(group.size());
  std::vector<Step> steps = kind == Kind::all_gather
                                ? exchanges(order, Action::copy, false, true)
                                : exchanges(order, Action::reduce, false, false);
  return {.chunks_per_block = 1, .loops = {{.repeat = 1, .steps = std::move(steps)}}};
}

Schedule build_halving_doubling(const Request& request) {
  const Group& group = *request.group;
  if (group.size() == 1) return nothing_to_do(request, "halving_doubling");
  const Kind kind = request.collective.kind;
  Schedule::Parts parts = parts_of(request, "halving_doubling");
  parts.channels.assign(channel_count(request, 1),
                        kind == Kind::all_reduce ? all_reduce(group) : of_blocks(group, kind));
  return Schedule(std::move(parts));
}

}  // namespace

Algorithm halving_doubling_algorithm() {
  return {.name = "halving_doubling",
          .summary = "recursive halving, then doubling: log2 n exchanges each way (Rabenseifner)",
          .supports = supports_halving_doubling,
          .why_not = why_not_halving_doubling,
          .build = build_halving_doubling};
}

}  // namespace railyard::collectives
