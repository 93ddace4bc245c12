#include "apps/sim/sim_result.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

#include "apps/output/packet_record_rows.hpp"
#include "apps/output/range_pct.hpp"
#include "apps/output/result_output.hpp"
#include "apps/output/routing_columns.hpp"
#include "sim/unused_tiers.hpp"
#include "topology/cluster/read_timings.hpp"

namespace railyard::apps {
namespace {

template <class T>
void append(const std::vector<T>& from, std::vector<T>& to) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

RunReport SimResult::report(const collectives::Run& run, std::size_t row, Time span) const {
  write_trace_file(run, flags_.output, context_);
  const topology::Cluster& cluster = simulation_.cluster();
  RunReport report{.notes = run.notes, .printed = run.caveats};
  append(sim::notes_on_unused_tiers(cluster, run), report.printed);
  for (const collectives::TaskResult& task : run.tasks)
    report.end = std::max(report.end, task.finish);
  if (flags_.links) {
    report.links = link_rows(cluster, run.link_loads, row, span);
    if (!flags_.output.json.empty()) report.cables = cable_rows(cluster, run.link_loads, row, span);
  }
  if (run.packets) report.packets.push_back(packet_row(cluster, *run.packets, row));
  return report;
}

void SimResult::add(const RunReport& report) {
  all_.end = std::max(all_.end, report.end);
  append(report.links, all_.links);
  append(report.cables, all_.cables);
  append(report.packets, all_.packets);
  notes_.insert(report.notes.begin(), report.notes.end());
  for (const std::string& text : report.printed)
    if (!notes_.contains(text)) note(text);
}

void SimResult::note(const std::string& text) {
  print_note(context_, text);
  notes_.insert(text);
}

bool SimResult::streams() const {
  return stream_.is_on_terminal() && !flags_.links && flags_.fidelity != "packet" &&
         flags_.output.json != "-" && flags_.output.csv != "-" && flags_.output.trace != "-";
}

void SimResult::stream(RowTable rows) {
  add_routing(simulation_.routing(), simulation_.crosses_fabric(), rows);
  stream_.add(rows);
}

void SimResult::write_records(std::span<const std::string> tasks) const {
  const sim::packet::PacketRecords* records = simulation_.packet_records();
  if (records == nullptr) return;
  const auto write = [&](const std::string& file, const RowTable& table) {
    std::ostringstream text;
    write_csv(table, text);
    write_text(text.str(), file, context_);
  };
  const topology::Cluster& cluster = simulation_.cluster();
  const PacketFlags& files = flags_.packet;
  if (!files.flows.empty()) write(files.flows, tabulate_transfers(records->transfers, tasks));
  if (!files.queues.empty()) write(files.queues, tabulate_queues(cluster, records->queues));
  if (!files.pauses.empty()) write(files.pauses, tabulate_pauses(cluster, records->pauses));
}

/// Adds the range if it is requested, or if a part of the machine is nominal.
void SimResult::add_range(RowTable& rows) {
  if (!simulation_.has_fitted_times()) {
    if (flags_.range)
      notes_.insert(
          "range_pct is empty, because ranges exist only for the fitted time model, which does not "
          "predict these times");
    return;
  }
  const collectives::nccl::MachineRange range(simulation_.cluster(),
                                              topology::read_timings(flags_.cluster.cluster),
                                              simulation_.crosses_fabric());
  for (const std::string& text : add_machine_range(range, flags_.range, rows, provenance_))
    note(text);
}

void SimResult::write(std::string_view kind, RowTable rows) {
  add_routing(simulation_.routing(), simulation_.crosses_fabric(), rows);
  add_range(rows);
  for (const std::string& text : simulation_.notes()) note(text);
  provenance_.notes.assign(notes_.begin(), notes_.end());
  const sim::packet::PacketRecords none;
  const sim::packet::PacketRecords* records = simulation_.packet_records();
  if (records == nullptr) records = &none;
  const topology::Cluster& cluster = simulation_.cluster();
  write_result({.kind = kind,
                .provenance = provenance_,
                .rows = std::move(rows),
                .sections = {{"packets", tabulate_packets(all_.packets)},
                             {"links", tabulate_links(all_.links)},
                             {"cables", tabulate_cables(all_.cables), false},
                             {"ports", tabulate_ports(cluster, records->ports, all_.end), false},
                             {"victims", tabulate_victims(cluster, records->victims), false}}},
               flags_.output, context_, stream_.is_empty() ? Table::yes : Table::no);
}

}  // namespace railyard::apps
