#include "hw/pairs/pair_bandwidths.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "hw/pairs/pair_rounds.hpp"

namespace railyard::hw {
namespace {

using collectives::Schedule;

/// A transfer of the whole input of the source for each pair.
Schedule schedule_of(const std::shared_ptr<const collectives::Group>& group, Bytes bytes,
                     const PairRound& pairs) {
  using Transfers = std::vector<collectives::Transfer>;
  Transfers transfers;
  for (const RankPair& pair : pairs) {
    transfers.push_back(
        {.source = pair.source, .destination = pair.destination, .first_chunk = pair.source});
  }
  collectives::Channel channel;
  channel.chunks_per_block = 1;
  channel.loops.push_back(
      {.repeat = 1,
       .coupling = collectives::Coupling::exchange,
       .steps = {{collectives::ListPattern{std::make_shared<const Transfers>(transfers), 0}}}});
  Schedule::Parts parts;
  parts.algorithm = "pairs";
  parts.collective = {
      .kind = collectives::Kind::send_recv, .bytes = bytes, .type = collectives::DataType::int8};
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

/// Compares pairs within hosts, and pairs between hosts, among themselves.
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

/// Per iteration the longer time of the two ranks; the median over the iterations.
Time time_of(const Measured& measured, const RankPair& pair) {
  std::vector<Time> times = measured.rank_times.at(pair.source);
  const std::vector<Time>& other = measured.rank_times.at(pair.destination);
  for (std::size_t i = 0; i < times.size(); ++i) times[i] = std::max(times[i], other.at(i));
  std::ranges::sort(times);
  return times[times.size() / 2];
}

/// The pairs of a rank: total number, and slow ones.
struct Tally {
  int pairs = 0, slow = 0;
};

}  // namespace

std::vector<PairRow> measure_pairs(LiveBackend& backend, const LiveHosts& hosts,
                                   const std::shared_ptr<const collectives::Group>& group,
                                   const PairOptions& options,
                                   const std::function<void(std::size_t)>& on_round) {
  const std::vector<int> rails = rails_of(hosts);
  const auto rounds = options.alone ? one_by_one(group->size()) : tournament(hosts);
  Repetition repetition = options.repetition;
  repetition.check = false;  // no collective: most ranks get nothing
  repetition.by_rank = true;
  repetition.back_to_back = false;
  std::vector<PairRow> rows;
  for (const PairRound& round : rounds) {
    if (on_round) on_round(rounds.size());
    const Schedule schedule = schedule_of(group, options.bytes, round);
    const Measured measured = measure(
        backend, {.collective = schedule.collective(), .schedule = &schedule, .seed = options.seed},
        repetition);
    if (backend.world().process() != 0) continue;
    for (const RankPair& pair : round) {
      PairRow row;
      row.source = pair.source;
      row.destination = pair.destination;
      row.source_host = hosts.names[hosts.of_rank[pair.source]];
      row.destination_host = hosts.names[hosts.of_rank[pair.destination]];
      const bool on_rail = crosses(row) && rails[pair.source] == rails[pair.destination];
      row.rail = on_rail ? rails[pair.source] : -1;
      row.bytes = options.bytes;
      row.time = time_of(measured, pair);
      row.bandwidth_GBps = algbw_GBps(schedule.collective(), row.time);
      rows.push_back(std::move(row));
    }
  }
  std::ranges::sort(rows, {},
                    [](const PairRow& row) { return std::pair(row.source, row.destination); });
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
  std::map<std::pair<std::uint32_t, std::string>, Tally> ranks;
  for (const PairRow& row : rows) {
    for (const auto& end : {std::pair(row.source, row.source_host),
                            std::pair(row.destination, row.destination_host)}) {
      ++ranks[end].pairs;
      ranks[end].slow += row.relative < kSlowPair ? 1 : 0;
    }
  }
  for (const auto& [rank, tally] : ranks) {
    if (tally.pairs > 2 && tally.slow == tally.pairs)
      slow.push_back(
          fmt::format("rank {} ({}): all its {} pairs", rank.first, rank.second, tally.pairs));
  }
  return slow;
}

std::vector<RailBandwidth> rail_bandwidths(const std::vector<PairRow>& rows) {
  std::map<int, std::vector<double>> rails;
  for (const PairRow& row : rows) {
    if (row.rail >= 0) rails[row.rail].push_back(row.bandwidth_GBps);
  }
  std::vector<RailBandwidth> found;
  for (const auto& [rail, values] : rails)
    found.push_back({rail, values.size(), std::ranges::min(values), median(values)});
  return found;
}

}  // namespace railyard::hw
