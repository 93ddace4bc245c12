#include "sim/link_report.hpp"

#include <algorithm>
#include <array>

namespace railyard::sim {
namespace {

using topology::DeviceKind;
using topology::LinkKind;

/// [from tier][to tier]; tier 0 is a NIC.
constexpr std::array<std::array<std::string_view, 4>, 4> kNetworkTiers{{
    {"nic -> nic", "nic -> leaf", "nic -> spine", "nic -> core"},
    {"leaf -> nic", "leaf -> leaf", "leaf -> spine", "leaf -> core"},
    {"spine -> nic", "spine -> leaf", "spine -> spine", "spine -> core"},
    {"core -> nic", "core -> leaf", "core -> spine", "core -> core"},
}};

/// The order of rows: along a way up and down again.
constexpr std::array<std::string_view, 20> kOrder{
    "nvlink",        "c2c",           "pcie",          "socket",
    "nic -> nic",    "nic -> leaf",   "nic -> spine",  "nic -> core",
    "leaf -> leaf",  "leaf -> spine", "leaf -> core",  "spine -> spine",
    "spine -> core", "core -> core",  "core -> spine", "core -> leaf",
    "spine -> leaf", "core -> nic",   "spine -> nic",  "leaf -> nic"};

std::size_t row_of(std::string_view tier) {
  return static_cast<std::size_t>(std::find(kOrder.begin(), kOrder.end(), tier) - kOrder.begin());
}

}  // namespace

std::string_view tier_of(const topology::Cluster& cluster, LinkId id) {
  const auto& link = cluster.link(id);
  if (link.kind != LinkKind::port && link.kind != LinkKind::fabric)
    return topology::to_text(link.kind);
  const auto from = static_cast<std::size_t>(topology::tier(cluster.device(link.from).kind));
  const auto to = static_cast<std::size_t>(topology::tier(cluster.device(link.to).kind));
  return kNetworkTiers[from][to];
}

std::vector<TierLoad> tier_loads(const topology::Cluster& cluster,
                                 std::span<const collectives::LinkLoad> loads, Time span) {
  std::array<TierLoad, kOrder.size()> rows;
  for (std::size_t i = 0; i < cluster.link_count(); ++i)
    ++rows[row_of(tier_of(cluster, LinkId(i)))].links;
  for (const auto& load : loads) {
    auto& row = rows[row_of(tier_of(cluster, load.link))];
    const double utilisation = span > Time() ? load.busy.seconds() / span.seconds() : 0;
    ++row.busy_links;
    row.bytes += load.bytes;
    row.mean_utilisation += utilisation;
    if (row.busiest.is_none() || utilisation > row.max_utilisation) {
      row.busiest = load.link;
      row.max_utilisation = utilisation;
    }
  }
  std::vector<TierLoad> result;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].links == 0) continue;
    rows[i].tier = kOrder[i];
    rows[i].mean_utilisation /= static_cast<double>(rows[i].links);
    result.push_back(std::move(rows[i]));
  }
  return result;
}

}  // namespace railyard::sim
