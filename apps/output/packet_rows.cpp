#include "apps/output/packet_rows.hpp"

#include <array>

namespace railyard::apps {
namespace {

RowValue count(std::uint64_t n) { return static_cast<std::int64_t>(n); }
RowValue microseconds(Time time) { return time.microseconds(); }

}  // namespace

PacketRow packet_row(const topology::Cluster& cluster, const collectives::PacketStatistics& packets,
                     std::size_t row) {
  const auto name = [&](LinkId link) { return link.is_none() ? "" : cluster.name(link); };
  return {static_cast<std::int64_t>(row), packets, name(packets.deepest_link),
          name(packets.most_paused)};
}

RowTable tabulate_packets(const std::vector<PacketRow>& rows) {
  using Row = PacketRow;
  static constexpr ColumnStyle kTime{.decimals = 2}, kRatio{.decimals = 2};
  static constexpr std::array<Column<Row>, 17> kColumns{{
      {"row", [](const Row& r) -> RowValue { return r.row; }},
      {"transfers", [](const Row& r) { return count(r.packets.transfers); }},
      {"fct_p50_us", [](const Row& r) { return microseconds(r.packets.fct_p50); }, kTime},
      {"fct_p99_us", [](const Row& r) { return microseconds(r.packets.fct_p99); }, kTime},
      {"slowdown_p50", [](const Row& r) -> RowValue { return r.packets.slowdown_p50; }, kRatio},
      {"slowdown_p99", [](const Row& r) -> RowValue { return r.packets.slowdown_p99; }, kRatio},
      {"packet_hops", [](const Row& r) { return count(r.packets.data_hops); }},
      {"max_queue_KB",
       [](const Row& r) -> RowValue {
         return static_cast<double>(r.packets.deepest_queue.count()) / 1e3;
       },
       {.decimals = 1}},
      {"deepest_queue", [](const Row& r) -> RowValue { return r.deepest; }},
      {"ecn_marked", [](const Row& r) { return count(r.packets.marked); }},
      {"cnps", [](const Row& r) { return count(r.packets.cnps); }},
      {"pauses", [](const Row& r) { return count(r.packets.pauses); }},
      {"paused_us", [](const Row& r) { return microseconds(r.packets.paused); }, kTime},
      {"most_paused", [](const Row& r) -> RowValue { return r.most_paused; }},
      {"lost", [](const Row& r) { return count(r.packets.lost); }},
      {"retransmitted", [](const Row& r) { return count(r.packets.retransmitted); }},
      {"timeouts", [](const Row& r) { return count(r.packets.timeouts); }},
  }};
  return tabulate(kColumns, rows);
}

}  // namespace railyard::apps
