#include "apps/output/packet_record_rows.hpp"

#include <cmath>

namespace railyard::apps {

RowTable tabulate_transfers(std::span<const sim::packet::TransferRecord> transfers,
                            std::span<const std::string> tasks) {
  RowTable table;
  for (const std::string_view name : {"task", "channel", "source", "destination", "bytes",
                                      "start_us", "end_us", "fct_us", "slowdown", "class"})
    table.columns.push_back({name, {}});
  for (const sim::packet::TransferRecord& t : transfers)
    table.rows.push_back({tasks[t.task], std::int64_t{t.channel}, std::int64_t{t.source},
                          std::int64_t{t.destination}, t.bytes.count(), t.start.microseconds(),
                          t.end.microseconds(), (t.end - t.start).microseconds(),
                          std::round(t.slowdown * 1e4) / 1e4, std::int64_t{t.traffic_class}});
  return table;
}

RowTable tabulate_queues(const topology::Cluster& cluster,
                         std::span<const sim::packet::QueueRecord> queues) {
  RowTable table;
  for (const std::string_view name : {"time_us", "link", "queue_B"})
    table.columns.push_back({name, {}});
  for (const sim::packet::QueueRecord& queue : queues)
    table.rows.push_back({queue.at.microseconds(), cluster.name(queue.link), queue.bytes.count()});
  return table;
}

RowTable tabulate_pauses(const topology::Cluster& cluster,
                         std::span<const sim::packet::PauseRecord> pauses) {
  RowTable table;
  for (const std::string_view name : {"paused", "by", "pauses", "paused_us", "class"})
    table.columns.push_back({name, {}});
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

}  // namespace railyard::apps
