#include "apps/bench_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

namespace railyard::apps {
namespace {

using collectives::Schedule;

/// One transfer of the whole buffer.
Schedule pair_schedule(const std::shared_ptr<const collectives::Group>& group, Bytes bytes,
                       std::uint32_t source, std::uint32_t destination) {
  using Transfers = std::vector<collectives::Transfer>;
  collectives::Channel channel;
  channel.chunks_per_block = 1;
  const auto transfers =
      std::make_shared<const Transfers>(Transfers{{.source = source, .destination = destination}});
  channel.loops.push_back({.repeat = 1,
                           .coupling = collectives::Coupling::exchange,
                           .steps = {{collectives::ListPattern{transfers, 0}}}});
  Schedule::Parts parts;
  parts.algorithm = "pair";
  parts.collective = {.kind = collectives::Kind::broadcast,
                      .bytes = bytes,
                      .type = collectives::DataType::int8,
                      .root = source};
  parts.group = group;
  parts.channels = {std::move(channel)};
  return Schedule(std::move(parts));
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

bool crosses(const PairRow& row) { return row.source_host != row.destination_host; }

/// Pairs on one host and pairs across are alike among themselves.
void compare(std::vector<PairRow>& rows) {
  std::map<bool, std::vector<double>> alike;
  for (const PairRow& row : rows) alike[crosses(row)].push_back(row.bandwidth_GBps);
  std::map<bool, double> medians;
  for (const auto& [kind, values] : alike) medians[kind] = median(values);
  for (PairRow& row : rows) {
    const double usual = medians[crosses(row)];
    row.relative = usual > 0 ? row.bandwidth_GBps / usual : 0;
  }
}

/// The number of each rank on its host.
std::vector<int> rails_of(const LiveHosts& hosts) {
  std::vector<int> next(hosts.names.size());
  std::vector<int> rails;
  for (const std::size_t host : hosts.of_rank) rails.push_back(next[host]++);
  return rails;
}

}  // namespace

std::vector<PairRow> measure_pairs(hw::LiveBackend& backend, const LiveHosts& hosts,
                                   const std::shared_ptr<const collectives::Group>& group,
                                   Bytes bytes, const hw::Repetition& repetition,
                                   std::uint64_t seed) {
  const std::vector<int> rails = rails_of(hosts);
  std::vector<PairRow> rows;
  for (std::uint32_t source = 0; source < group->size(); ++source) {
    for (std::uint32_t destination = 0; destination < group->size(); ++destination) {
      if (source == destination) continue;
      const Schedule schedule = pair_schedule(group, bytes, source, destination);
      hw::Repetition unchecked = repetition;
      unchecked.check = false;  // a broadcast that reaches one rank of all
      const hw::Measured measured = hw::measure(
          backend, {.collective = schedule.collective(), .schedule = &schedule, .seed = seed},
          unchecked);
      if (measured.times.empty()) continue;
      std::vector<Time> times = measured.times;
      std::ranges::sort(times);
      PairRow row;
      row.source = source;
      row.destination = destination;
      row.source_host = hosts.names[hosts.of_rank[source]];
      row.destination_host = hosts.names[hosts.of_rank[destination]];
      const bool on_rail = crosses(row) && rails[source] == rails[destination];
      row.rail = on_rail ? rails[source] : -1;
      row.bytes = bytes;
      row.time = times[times.size() / 2];
      row.bandwidth_GBps = algbw_GBps(schedule.collective(), row.time);
      rows.push_back(std::move(row));
    }
  }
  compare(rows);
  return rows;
}

std::vector<std::string> slow_pairs(const std::vector<PairRow>& rows) {
  std::vector<std::string> slow;
  for (const PairRow& row : rows) {
    if (row.relative >= kSlowPair) continue;
    slow.push_back(fmt::format("rank {} ({}) to rank {} ({}): {:.3g} GB/s, {:.2f} of the median",
                               row.source, row.source_host, row.destination, row.destination_host,
                               row.bandwidth_GBps, row.relative));
  }
  return slow;
}

RowTable tabulate_pairs(const std::vector<PairRow>& rows) {
  static constexpr std::array<Column<PairRow>, 9> kColumns{{
      {"source", [](const PairRow& r) -> RowValue { return std::int64_t{r.source}; }},
      {"destination", [](const PairRow& r) -> RowValue { return std::int64_t{r.destination}; }},
      {"source_host", [](const PairRow& r) -> RowValue { return r.source_host; }},
      {"destination_host", [](const PairRow& r) -> RowValue { return r.destination_host; }},
      {"rail",
       [](const PairRow& r) {
         return r.rail < 0 ? RowValue() : RowValue(static_cast<std::int64_t>(r.rail));
       }},
      {"bytes", [](const PairRow& r) -> RowValue { return r.bytes.count(); }, {.is_size = true}},
      {"time_us",
       [](const PairRow& r) -> RowValue { return r.time.microseconds(); },
       {.decimals = 2}},
      {"bandwidth_GBps",
       [](const PairRow& r) -> RowValue { return r.bandwidth_GBps; },
       {.decimals = 3}},
      {"relative", [](const PairRow& r) -> RowValue { return r.relative; }, {.decimals = 2}},
  }};
  return tabulate(std::span<const Column<PairRow>>(kColumns), std::span<const PairRow>(rows));
}

RowTable tabulate_rails(const std::vector<PairRow>& rows) {
  std::map<int, std::vector<double>> rails;
  for (const PairRow& row : rows) {
    if (row.rail >= 0) rails[row.rail].push_back(row.bandwidth_GBps);
  }
  RowTable table{.columns = {{"rail", {}},
                             {"pairs", {}},
                             {"least_GBps", {.decimals = 3}},
                             {"median_GBps", {.decimals = 3}}},
                 .rows = {}};
  for (const auto& [rail, values] : rails) {
    table.rows.push_back({std::int64_t{rail}, static_cast<std::int64_t>(values.size()),
                          std::ranges::min(values), median(values)});
  }
  return table;
}

}  // namespace railyard::apps
