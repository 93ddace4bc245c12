#include "collectives/nccl/timing/time_queries.hpp"

#include <algorithm>
#include <array>

#include "collectives/schedule/line_format.hpp"

namespace railyard::collectives::nccl {
namespace {

using enum TuningAlgorithm;

/// Whether each channel has a NIC of its own. Channels of NVLS and CollNet serve all heads.
bool has_nic_per_channel(TuningAlgorithm algorithm) {
  return algorithm == ring || algorithm == tree || algorithm == pat;
}

/// The number of channels of an NVLS or CollNet schedule without limits: the same number for each
/// head.
int channels_for_heads(const Machine& machine, int channels) {
  const int heads = machine.nodes == 1 ? machine.ranks_per_node() : std::max(1, machine.nvls_heads);
  return channels < heads ? channels : channels / heads * heads;
}

double share_of(int channels, int own) {
  return std::min(1.0, static_cast<double>(channels) / std::max(1, own));
}

/// The names of Railyard's schedules that send as NCCL does.
constexpr std::array<std::string_view, 4> kExchanges{"direct", "rail_pxn", "rail_direct",
                                                     "neighbour"};

}  // namespace

// NCCL 2.30 src/device/generate.py: the combinations of algorithm and protocol with a kernel.
bool has_kernel(Kind kind, TuningAlgorithm algorithm) {
  switch (kind) {
    case Kind::all_reduce: return algorithm != pat;
    case Kind::all_gather:
    case Kind::reduce_scatter:
      return algorithm == ring || algorithm == collnet_direct || algorithm == nvls ||
             algorithm == pat;
    case Kind::broadcast:
    case Kind::reduce: return algorithm == ring;
    case Kind::all_to_all:
    case Kind::send_recv: break;
  }
  return false;
}

std::optional<TimeQuery> chosen_query(const TuningModel& model, const Machine& machine,
                                      const TuningQuery& query) {
  TimeQuery result{.kind = query.kind, .bytes = query.bytes};
  if (!is_tuned(query.kind)) {
    result.protocol = exchange_protocol(machine, result);
    return result;
  }
  const auto choice = choose(model, query);
  if (!choice) return std::nullopt;
  result.algorithm = choice->algorithm;
  result.protocol = choice->protocol;
  if (has_nic_per_channel(result.algorithm)) result.channels = choice->channels;
  return result;
}

std::optional<TimeQuery> named_query(const TuningModel& model, const Machine& machine,
                                     const NamedAlgorithm& named) {
  TimeQuery query{.kind = named.collective.kind,
                  .bytes = named.collective.bytes.count(),
                  .protocol = named.protocol};
  if (!is_tuned(query.kind)) {
    if (std::ranges::find(kExchanges, named.algorithm) == kExchanges.end()) return std::nullopt;
    query.nics = named.algorithm == "rail_pxn"      ? NicRule::relayed
                 : named.algorithm == "rail_direct" ? NicRule::far
                                                    : NicRule::own;
    query.wire = bytes_per_data_byte(named.protocol);
    query.protocol = exchange_protocol(machine, query);
    query.channels = std::max(0, named.channels);
    return query;
  }
  const auto algorithm = core::parse_enum<TuningAlgorithm>(named.algorithm).value;
  if (!algorithm || !has_kernel(query.kind, *algorithm)) return std::nullopt;
  // NCCL 2.30 src/init.cc: PAT requires one rank per node.
  if (*algorithm == pat && machine.ranks != machine.nodes) return std::nullopt;
  query.algorithm = *algorithm;
  query.head_channels = std::max(0, named.channels);
  const int own = launch_size(model, query.bytes, *algorithm, named.protocol).channels;
  if (!has_nic_per_channel(*algorithm)) {
    if (named.channels > 0)
      query.channel_share = share_of(named.channels, channels_for_heads(machine, own));
    return query;
  }
  query.channels = named.channels > 0 ? named.channels : own;
  query.channel_share = share_of(query.channels, own);
  return query;
}

}  // namespace railyard::collectives::nccl
