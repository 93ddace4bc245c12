#include "apps/output/packet_record_rows.hpp"

#include <cmath>

#include "apps/output/link_rows.hpp"
#include "apps/output/table_columns.hpp"

namespace railyard::apps {

RowTable tabulate_transfers(std::span<const sim::packet::TransferRecord> transfers,
                            std::span<const std::string> tasks) {
  RowTable table = table_of({"task", "channel", "source", "destination", "bytes", "start_us",
                             "end_us", "fct_us", "slowdown", "class"});
  for (const sim::packet::TransferRecord& t : transfers)
    table.rows.push_back({tasks[t.task], std::int64_t{t.channel}, std::int64_t{t.source},
                          std::int64_t{t.destination}, t.bytes.count(), t.start.microseconds(),
                          t.end.microseconds(), (t.end - t.start).microseconds(),
                          std::round(t.slowdown * 1e4) / 1e4, std::int64_t{t.traffic_class}});
  return table;
}

RowTable tabulate_queues(const topology::Cluster& cluster,
                         std::span<const sim::packet::QueueRecord> queues) {
  RowTable table = table_of({"time_us", "link", "queue_B"});
  for (const sim::packet::QueueRecord& queue : queues)
    table.rows.push_back({queue.at.microseconds(), cluster.name(queue.link), queue.bytes.count()});
  return table;
}

RowTable tabulate_pauses(const topology::Cluster& cluster,
                         std::span<const sim::packet::PauseRecord> pauses) {
  RowTable table = table_of({"paused", "by", "pauses", "paused_us", "class"});
  for (const sim::packet::PauseRecord& pause : pauses) {
    const topology::Link& link = cluster.link(pause.link);
    table.rows.push_back({cluster.name(link.from), cluster.name(link.to),
                          static_cast<std::int64_t>(pause.count), pause.total.microseconds(),
                          pause.traffic_class == sim::packet::PauseRecord::kControl
                              ? RowValue("control")
                              : RowValue(std::int64_t{pause.traffic_class})});
  }
  return table;
}

RowTable tabulate_ports(const topology::Cluster& cluster,
                        std::span<const sim::packet::PortRecord> ports, Time span) {
  RowTable table = table_of({"tier", "port", "max_queue_KB", "pauses", "paused_us", "paused_pct"});
  for (const sim::packet::PortRecord& port : ports)
    table.rows.push_back({std::string(sim::tier_of(cluster, port.link)), cluster.name(port.link),
                          static_cast<double>(port.deepest.count()) / 1e3,
                          static_cast<std::int64_t>(port.pauses), port.paused.microseconds(),
                          span > Time() ? 100 * port.paused.seconds() / span.seconds() : 0.0});
  return table;
}

RowTable tabulate_victims(const topology::Cluster& cluster,
                          std::span<const sim::packet::VictimRecord> victims) {
  RowTable table = table_of({"source", "destination", "bytes", "fct_us", "slowdown", "class",
                             "waited_at", "waited_for", "connections"});
  for (const sim::packet::VictimRecord& victim : victims) {
    const sim::packet::TransferRecord& t = victim.transfer;
    table.rows.push_back({std::int64_t{t.source}, std::int64_t{t.destination}, t.bytes.count(),
                          (t.end - t.start).microseconds(), std::round(t.slowdown * 1e4) / 1e4,
                          std::int64_t{t.traffic_class}, link_name(cluster, victim.waited_at),
                          link_name(cluster, victim.cause), std::int64_t{victim.connections}});
  }
  return table;
}

}  // namespace railyard::apps
