#include "collectives/nccl/choice/variable_table.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <limits>

#include "collectives/nccl/choice/variable_lists.hpp"
#include "collectives/nccl/search/search_variables.hpp"

namespace railyard::collectives::nccl {
namespace {

// MAXCHANNELS (NCCL 2.30 src/include/device.h).
constexpr int kMaxChannels = 64;
constexpr std::int64_t kAny = std::numeric_limits<int>::max();

bool is(const NcclValue& value, bool own) {
  const auto number = value.number(0, 2);
  return number ? *number != 0 : own;
}

/// Parses a boolean variable of the search.
template <bool SearchEnvironment::*member>
void flag(const NcclValue& value) {
  value.environment.search.*member = is(value, value.environment.search.*member);
}

/// Parses an integer variable of the search, within bounds.
template <std::optional<int> SearchEnvironment::*member, int least = 1, int most = kMaxChannels>
void count(const NcclValue& value) {
  if (const auto number = value.number(least, most))
    value.environment.search.*member = static_cast<int>(*number);
}

template <auto member>
void tuning_count(const NcclValue& value) {
  if (const auto number = value.number(1, 1024))
    value.environment.tuning.*member = static_cast<int>(*number);
}

/// A path type by name, or by the numbers of old releases (NCCL 2.30 src/graph/paths.cc,
/// ncclGetLevel): 0 LOC, 1 PIX, 2 PXB, 3 PHB, 4 and more SYS.
std::optional<PathType> level(const NcclValue& value) {
  constexpr std::array<std::pair<std::string_view, PathType>, 10> kNames{{{"LOC", PathType::loc},
                                                                          {"NVL", PathType::nvl},
                                                                          {"NVB", PathType::nvb},
                                                                          {"C2C", PathType::c2c},
                                                                          {"PIX", PathType::pix},
                                                                          {"PXB", PathType::pxb},
                                                                          {"P2C", PathType::p2c},
                                                                          {"PXN", PathType::pxn},
                                                                          {"PHB", PathType::phb},
                                                                          {"SYS", PathType::sys}}};
  constexpr std::array kNumbers{PathType::loc, PathType::pix, PathType::pxb,
                                PathType::phb, PathType::sys, PathType::sys};
  for (const auto& [name, type] : kNames) {
    if (value.text == name) return type;
  }
  int number = 0;
  const auto [end, error] =
      std::from_chars(value.text.data(), value.text.data() + value.text.size(), number);
  if (error == std::errc() && end == value.text.data() + value.text.size() && number >= 0)
    return kNumbers[std::min<std::size_t>(static_cast<std::size_t>(number), kNumbers.size() - 1)];
  value.problems.add(
      value.pointer,
      fmt::format("'{}' is none of LOC, NVL, NVB, C2C, PIX, PXB, P2C, PXN, PHB, SYS", value.text));
  return std::nullopt;
}

template <std::optional<PathType> SearchEnvironment::*member>
void path_level(const NcclValue& value) {
  if (const auto type = level(value)) value.environment.search.*member = type;
}

void cross_nic(const NcclValue& value) {
  const auto number = value.number(0, 2);
  if (!number) return;
  value.environment.cross_nic = static_cast<int>(*number);
  value.environment.search.cross_nic = static_cast<int>(*number);
}

/// Bits of ncclConfig_t.CTAPolicy: 1 EFFICIENCY, 2 ZERO.
void cta_policy(const NcclValue& value) {
  const auto number = value.number(0, 3);
  if (number == 1 || number == 3)
    value.problems.add(value.pointer, "the policy EFFICIENCY is not modelled",
                       "0 is NCCL's own choice, 2 leaves what it can to copy engines");
  value.environment.zero_ctas = number == 2;
}

void net_devices(const NcclValue& value) {
  auto& search = value.environment.search;
  if (value.text == "AUTO") {
    search.net_devices = NetDevicesPolicy::automatic;
  } else if (value.text == "ALL") {
    search.net_devices = NetDevicesPolicy::all;
  } else if (value.text.starts_with("MAX:")) {
    NcclValue number = value;
    number.text.remove_prefix(4);
    search.net_devices = NetDevicesPolicy::at_most;
    search.net_devices_limit = static_cast<int>(number.number(1, 1024).value_or(1));
  } else {
    value.problems.add(value.pointer, fmt::format("'{}' is none of AUTO, ALL, MAX:n", value.text));
  }
}

/// Parses a variable of the search with SearchEnvironment's own parser.
void by_search(std::string_view name, const NcclValue& value) {
  const auto* variable = find_search_variable(name);
  if (!variable->set(value.environment.search, value.text))
    value.problems.add(value.pointer,
                       fmt::format("'{}' is none of its values: {}", value.text, variable->values));
}

void thread_thresholds(const NcclValue& value) {
  std::string_view rest = value.text;
  for (auto& threshold : value.environment.tuning.thread_thresholds) {
    while (rest.starts_with(' ')) rest.remove_prefix(1);
    if (rest.empty()) return;
    NcclValue part = value;
    part.text = rest.substr(0, rest.find(' '));
    rest.remove_prefix(part.text.size());
    const bool is_left = part.text == "-2";
    const auto number = is_left ? std::nullopt : part.number(0, kAny);
    if (number) threshold = static_cast<int>(*number);
  }
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  if (!rest.empty()) {
    value.problems.add(value.pointer, "takes up to six numbers",
                       "bytes per thread: Tree LL, LL128, Simple, Ring LL, LL128, Simple");
  }
}

void pat(const NcclValue& value) {
  const auto number = value.number(0, 2);
  if (number && *number != 2) value.environment.tuning.pat = *number == 1;
}

void net_overhead(const NcclValue& value) {
  if (const auto ns = value.number(0, kAny))
    value.environment.tuning.net_overhead_us = static_cast<float>(static_cast<double>(*ns) * .001);
}

void gdr_read(const NcclValue& value) { value.environment.search.net_gdr_read = is(value, true); }

void p2p_level_number(const NcclValue& value) {
  if (const auto number = value.number(0, 2))
    value.environment.p2p.pxn_level = static_cast<int>(*number);
}

template <auto member>
void p2p_bytes(const NcclValue& value) {
  if (const auto bytes = value.number(1, kAny)) value.environment.p2p.*member = *bytes;
}

// Smallest buffer size for which each slot can hold a line of the protocol.
constexpr std::int64_t kLeastBuffer = 4096;

/// NCCL cuts a chunk into quarters for short messages.
template <auto member>
void chunk_bytes(const NcclValue& value) {
  if (const auto bytes = value.number(kLeastBuffer, kAny)) value.environment.p2p.*member = *bytes;
}

template <auto member>
void buffer_bytes(const NcclValue& value) {
  if (const auto bytes = value.number(kLeastBuffer, kAny))
    value.environment.p2p.buffers.*member = *bytes;
}

void channel_net_bandwidth(const NcclValue& value) {
  if (const auto number = value.number(1, 1000))
    value.environment.search.p2p_channel_net_bandwidth = static_cast<int>(*number);
}

void collnet_threshold(const NcclValue& value) {
  if (const auto number = value.number(1, kAny))
    value.environment.search.collnet_node_threshold = static_cast<int>(*number);
}

// The upper limit of NCCL's verbs transport (src/transport/net_ib, NCCL_IB_MAX_QPS).
void queue_pairs(const NcclValue& value) {
  if (const auto number = value.number(1, 128)) value.environment.qps = static_cast<int>(*number);
}

/// Has no effect on the model. Without the variable NCCL sends successive messages over different
/// queue pairs; with it each message is split into equal parts. In both cases each queue pair
/// carries the same number of bytes over a whole collective.
void split_data(const NcclValue& value) { (void)value.number(0, 1); }

using S = SearchEnvironment;

constexpr std::array kTable{
    NcclVariable{"NCCL_ALGO",
                 [](const NcclValue& v) {
                   read_algorithm_list(v.text, v.pointer, v.problems, v.environment.tuning);
                 }},
    NcclVariable{"NCCL_BUFFSIZE", buffer_bytes<&BufferSizes::simple>},
    NcclVariable{"NCCL_COLLNET_ENABLE", flag<&S::collnet_enable>},
    NcclVariable{"NCCL_COLLNET_NODE_THRESHOLD", collnet_threshold},
    NcclVariable{"NCCL_CROSS_NIC", cross_nic},
    NcclVariable{"NCCL_CTA_POLICY", cta_policy},
    NcclVariable{"NCCL_GRAPH_FILE",
                 [](const NcclValue& v) { v.environment.search.graph_file = v.text; }},
    NcclVariable{"NCCL_IB_MERGE_NICS",
                 [](const NcclValue& v) { by_search("NCCL_IB_MERGE_NICS", v); }},
    NcclVariable{"NCCL_IB_QPS_PER_CONNECTION", queue_pairs},
    NcclVariable{"NCCL_IB_RESILIENCY_PORT_FAILOVER",
                 [](const NcclValue& v) { v.environment.port_failover = is(v, false); }},
    NcclVariable{"NCCL_IB_SPLIT_DATA_ON_QPS", split_data},
    NcclVariable{"NCCL_LL128_BUFFSIZE", buffer_bytes<&BufferSizes::ll128>},
    NcclVariable{"NCCL_LL128_C2C",
                 [](const NcclValue& v) { v.environment.tuning.ll128_over_c2c = is(v, true); }},
    NcclVariable{"NCCL_LL128_NTHREADS", tuning_count<&TuningSettings::ll128_threads>},
    NcclVariable{"NCCL_LL_BUFFSIZE", buffer_bytes<&BufferSizes::ll>},
    NcclVariable{"NCCL_MAX_CTAS", count<&S::max_ctas>},
    NcclVariable{"NCCL_MAX_NCHANNELS", count<&S::max_channels>},
    NcclVariable{"NCCL_MAX_P2P_NCHANNELS", count<&S::max_p2p_channels>},
    NcclVariable{"NCCL_MAX_RINGS", count<&S::max_channels>},
    NcclVariable{"NCCL_MIN_CTAS", count<&S::min_ctas>},
    NcclVariable{"NCCL_MIN_NCHANNELS", count<&S::min_channels>},
    NcclVariable{"NCCL_MIN_P2P_NCHANNELS", count<&S::min_p2p_channels>},
    NcclVariable{"NCCL_MIN_RINGS", count<&S::min_channels>},
    NcclVariable{"NCCL_MNNVL_SCATTER_NETS_ENABLE", flag<&S::scatter_nets>},
    NcclVariable{"NCCL_NCHANNELS_PER_NET_PEER", count<&S::channels_per_net_peer>},
    NcclVariable{"NCCL_NETDEVS_POLICY", net_devices},
    NcclVariable{"NCCL_NET_DISABLE_INTRA", flag<&S::net_disable_intra>},
    NcclVariable{"NCCL_NET_FORCE_MERGE",
                 [](const NcclValue& v) { by_search("NCCL_NET_FORCE_MERGE", v); }},
    NcclVariable{"NCCL_NET_GDR_C2C", flag<&S::net_gdr_c2c>},
    NcclVariable{"NCCL_NET_GDR_LEVEL", path_level<&S::net_gdr_level>},
    NcclVariable{"NCCL_NET_GDR_READ", gdr_read},
    NcclVariable{"NCCL_NET_MERGE_LEVEL",
                 [](const NcclValue& v) { by_search("NCCL_NET_MERGE_LEVEL", v); }},
    NcclVariable{"NCCL_NET_MERGE_POLICY",
                 [](const NcclValue& v) { by_search("NCCL_NET_MERGE_POLICY", v); }},
    NcclVariable{"NCCL_NET_OVERHEAD", net_overhead},
    NcclVariable{"NCCL_NTHREADS", tuning_count<&TuningSettings::threads>},
    NcclVariable{"NCCL_NVB_DISABLE", flag<&S::nvb_disable>},
    NcclVariable{"NCCL_NVLS_ENABLE", flag<&S::nvls_enable>},
    NcclVariable{"NCCL_NVLS_NCHANNELS", count<&S::nvls_channels>},
    NcclVariable{"NCCL_P2P_DISABLE", flag<&S::p2p_disable>},
    NcclVariable{"NCCL_P2P_LEVEL", path_level<&S::p2p_level>},
    NcclVariable{"NCCL_P2P_LL_THRESHOLD", p2p_bytes<&P2pSettings::ll_threshold>},
    NcclVariable{"NCCL_P2P_MAX_PEERS", count<&S::max_p2p_peers, 1, 1 << 20>},
    NcclVariable{"NCCL_P2P_NET_CHUNKSIZE", chunk_bytes<&P2pSettings::net_chunk>},
    NcclVariable{"NCCL_P2P_NVL_CHUNKSIZE", chunk_bytes<&P2pSettings::nvlink_chunk>},
    NcclVariable{"NCCL_P2P_PCI_CHUNKSIZE", chunk_bytes<&P2pSettings::pcie_chunk>},
    NcclVariable{"NCCL_P2P_PER_CHANNEL_NET_BW", channel_net_bandwidth},
    NcclVariable{"NCCL_P2P_PXN_LEVEL", p2p_level_number},
    NcclVariable{"NCCL_PAT_ENABLE", pat},
    NcclVariable{"NCCL_PROTO",
                 [](const NcclValue& v) {
                   read_protocol_list(v.text, v.pointer, v.problems, v.environment.tuning);
                 }},
    NcclVariable{"NCCL_PXN_C2C", flag<&S::pxn_c2c>},
    NcclVariable{"NCCL_PXN_DISABLE", flag<&S::pxn_disable>},
    NcclVariable{"NCCL_THREAD_THRESHOLDS", thread_thresholds},
};

}  // namespace

std::optional<std::int64_t> NcclValue::number(std::int64_t least, std::int64_t most) const {
  const bool hex = text.starts_with("0x");
  const std::string_view digits = hex ? text.substr(2) : text;
  std::int64_t value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, hex ? 16 : 10);
  if (error == std::errc() && end == digits.data() + digits.size() && value >= least &&
      value <= most) {
    return value;
  }
  if (most == kAny) {
    problems.add(pointer, fmt::format("'{}' is not a whole number from {} on", text, least));
  } else {
    problems.add(pointer, fmt::format("'{}' is not a number from {} to {}", text, least, most));
  }
  return std::nullopt;
}

std::span<const NcclVariable> nccl_variable_table() { return kTable; }

}  // namespace railyard::collectives::nccl
