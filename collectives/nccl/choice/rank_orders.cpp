#include "collectives/nccl/choice/rank_orders.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <variant>

#include "collectives/algorithms/pattern.hpp"
#include "collectives/nccl/choice/requested_schedule.hpp"
#include "collectives/nccl/graph/connect.hpp"

namespace railyard::collectives::nccl {
namespace {

// The number of ranks that fit on a line.
constexpr int kMostRanks = 64;
constexpr int kMostNodes = 8;

/// Splits lines of "name : text"; a line without a name continues the previous one.
void add_lines(std::string_view text, std::vector<RankOrder>& rows) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const std::size_t colon = line.find(" : ");
    const bool named = !line.starts_with(' ') && colon != std::string_view::npos;
    const std::string_view order =
        named ? line.substr(colon + 3)
              : line.substr(std::min(line.size(), line.find_first_not_of(' ')));
    rows.push_back(
        {named ? std::string(line.substr(0, colon)) : rows.back().channels, std::string(order)});
  }
}

/// The first rank's peers in the order of NCCL's rounds.
RankOrder visits(const Chooser& chooser, const ChoiceRequest& asked) {
  const auto schedule = requested_schedule(chooser.setting(), asked,
                                           chooser.all_to_all_rule(*asked.group), Protocol::simple);
  std::vector<std::uint32_t> peers;
  for (const auto& loop : schedule.channels().front().loops) {
    for (const auto& step : loop.steps) {
      const auto* pairs = std::get_if<PairPattern>(&step.pattern);
      for (std::uint64_t round = 0; pairs != nullptr && round < pairs->rounds; ++round) {
        if (peers.size() == kMostRanks) break;
        peers.push_back(at(step.pattern, round * pairs->order.size(), 0).destination);
      }
    }
  }
  const std::size_t others = asked.group->size() - 1 - peers.size();
  std::string text = fmt::format("{}", fmt::join(peers, " "));
  if (others > 0) text += fmt::format(" ... ({} more ranks)", others);
  return {"Sends of the first rank", std::move(text)};
}

}  // namespace

std::vector<RankOrder> rank_orders(Chooser& chooser, const ChoiceRequest& asked) {
  std::vector<RankOrder> rows;
  if (asked.group->size() > 1 && asked.collective.kind == Kind::all_to_all) {
    rows.push_back(visits(chooser, asked));
  } else if (asked.group->size() > 1) {
    const auto& communicator = chooser.model(*asked.group).communicator;
    add_lines(describe_rings(communicator, kMostRanks), rows);
    add_lines(describe_trees(communicator, kMostNodes), rows);
    for (const auto& fused : communicator.fused_nets)
      rows.push_back({fmt::format("NIC {}", fused.dev),
                      fmt::format("{} ({})", fused.name, fmt::join(fused.members, " "))});
  }
  return rows;
}

}  // namespace railyard::collectives::nccl
