#include "apps/output/packet_rows.hpp"

#include <array>

#include "apps/output/link_rows.hpp"
#include "apps/output/row_values.hpp"

namespace railyard::apps {

PacketRow packet_row(const topology::Cluster& cluster, const collectives::PacketStatistics& packets,
                     std::size_t row) {
  return {static_cast<std::int64_t>(row), packets, link_name(cluster, packets.deepest_link),
          link_name(cluster, packets.most_paused)};
}

RowTable tabulate_packets(const std::vector<PacketRow>& rows) {
  using Row = PacketRow;
  static constexpr std::array<Column<Row>, 18> kColumns{{
      {"row", [](const Row& r) -> RowValue { return r.row; }},
      {"transfers", [](const Row& r) { return whole_number(r.packets.transfers); }},
      {"fct_p50_us", [](const Row& r) { return microseconds(r.packets.fct_p50); }, kHundredths},
      {"fct_p99_us", [](const Row& r) { return microseconds(r.packets.fct_p99); }, kHundredths},
      {"slowdown_p50", [](const Row& r) -> RowValue { return r.packets.slowdown_p50; },
       kHundredths},
      {"slowdown_p99", [](const Row& r) -> RowValue { return r.packets.slowdown_p99; },
       kHundredths},
      {"packet_hops", [](const Row& r) { return whole_number(r.packets.data_hops); }},
      {"max_queue_KB",
       [](const Row& r) -> RowValue {
         return static_cast<double>(r.packets.deepest_queue.count()) / 1e3;
       },
       kTenths},
      {"deepest_queue", [](const Row& r) -> RowValue { return r.deepest; }},
      {"ecn_marked", [](const Row& r) { return whole_number(r.packets.marked); }},
      {"cnps", [](const Row& r) { return whole_number(r.packets.cnps); }},
      {"pauses", [](const Row& r) { return whole_number(r.packets.pauses); }},
      {"paused_us", [](const Row& r) { return microseconds(r.packets.paused); }, kHundredths},
      {"most_paused", [](const Row& r) -> RowValue { return r.most_paused; }},
      {"lost", [](const Row& r) { return whole_number(r.packets.lost); }},
      {"nic_lost", [](const Row& r) { return whole_number(r.packets.nic_lost); }},
      {"retransmitted", [](const Row& r) { return whole_number(r.packets.retransmitted); }},
      {"timeouts", [](const Row& r) { return whole_number(r.packets.timeouts); }},
  }};
  return tabulate(kColumns, rows);
}

}  // namespace railyard::apps
