#include "collectives/nccl/search/search_variables.hpp"

#include <algorithm>
#include <charconv>

#include "collectives/nccl/graph/names.hpp"

namespace railyard::collectives::nccl {
namespace {

std::optional<int> whole_number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

template <auto Member>
bool set_flag(SearchEnvironment& environment, std::string_view text) {
  const std::optional<int> value = whole_number(text);
  if (!value || *value < 0 || *value > 1) return false;
  environment.*Member = *value == 1;
  return true;
}

template <auto Member>
bool set_count(SearchEnvironment& environment, std::string_view text) {
  const std::optional<int> value = whole_number(text);
  if (!value || *value < 1) return false;
  environment.*Member = *value;
  return true;
}

template <auto Member>
bool set_level(SearchEnvironment& environment, std::string_view text) {
  const std::optional<PathType> level = parse_level(text);
  if (level) environment.*Member = *level;
  return level.has_value();
}

bool set_cross_nic(SearchEnvironment& environment, std::string_view text) {
  const std::optional<int> value = whole_number(text);
  if (!value || *value < 0 || *value > 2) return false;
  environment.cross_nic = *value;
  return true;
}

/// The value 2 is NCCL's default: use it if the machine supports it.
bool set_nvls(SearchEnvironment& environment, std::string_view text) {
  const std::optional<int> value = whole_number(text);
  if (!value || *value < 0 || *value > 2) return false;
  environment.nvls_enable = *value != 0;
  return true;
}

bool set_net_devices(SearchEnvironment& environment, std::string_view text) {
  constexpr std::string_view kMost = "MAX:";
  if (text == "AUTO") {
    environment.net_devices = NetDevicesPolicy::automatic;
  } else if (text == "ALL") {
    environment.net_devices = NetDevicesPolicy::all;
  } else if (text.starts_with(kMost)) {
    const std::optional<int> most = whole_number(text.substr(kMost.size()));
    if (!most || *most < 1) return false;
    environment.net_devices = NetDevicesPolicy::at_most;
    environment.net_devices_limit = *most;
  } else {
    return false;
  }
  return true;
}

bool set_merge_level(SearchEnvironment& environment, std::string_view text) {
  // NCCL 2.30.7 src/graph/topo.cc, nicPathKvList.
  constexpr PathType kLevels[] = {PathType::loc, PathType::pix, PathType::pxb, PathType::p2c,
                                  PathType::pxn, PathType::phb, PathType::sys};
  const auto* found = std::ranges::find(kLevels, text, [](PathType t) { return to_text(t); });
  if (text != "PORT" && found == std::end(kLevels)) return false;
  environment.merge_level = text == "PORT" ? PathType::nvl : *found;
  return true;
}

bool set_merge_policy(SearchEnvironment& environment, std::string_view text) {
  environment.merge_by_rail = text == "RAIL";
  return text == "RAIL" || text == "ALL";
}

bool set_force_merge(SearchEnvironment& environment, std::string_view text) {
  environment.force_merge = text;
  return text.find_first_not_of(",;") != std::string_view::npos;
}

bool set_graph_file(SearchEnvironment& environment, std::string_view text) {
  environment.graph_file = text;
  return !text.empty();
}

using Environment = SearchEnvironment;
constexpr std::string_view kFlag = "0 or 1", kCount = "a whole number from 1",
                           kLevel = "LOC, NVL, NVB, C2C, PIX, PXB, P2C, PXN, PHB, SYS, or 0 to 5";

constexpr SearchVariable kVariables[] = {
    {"NCCL_COLLNET_ENABLE", kFlag, set_flag<&Environment::collnet_enable>},
    {"NCCL_COLLNET_NODE_THRESHOLD", kCount, set_count<&Environment::collnet_node_threshold>},
    {"NCCL_CROSS_NIC", "0, 1 or 2", set_cross_nic},
    {"NCCL_GRAPH_FILE", "a file of graphs", set_graph_file},
    {"NCCL_IB_MERGE_NICS", kFlag, set_flag<&Environment::merge_nics>},
    {"NCCL_MAX_CTAS", kCount, set_count<&Environment::max_ctas>},
    {"NCCL_MAX_NCHANNELS", kCount, set_count<&Environment::max_channels>},
    {"NCCL_MAX_P2P_NCHANNELS", kCount, set_count<&Environment::max_p2p_channels>},
    {"NCCL_MIN_CTAS", kCount, set_count<&Environment::min_ctas>},
    {"NCCL_MIN_NCHANNELS", kCount, set_count<&Environment::min_channels>},
    {"NCCL_MIN_P2P_NCHANNELS", kCount, set_count<&Environment::min_p2p_channels>},
    {"NCCL_MNNVL_SCATTER_NETS_ENABLE", kFlag, set_flag<&Environment::scatter_nets>},
    {"NCCL_NCHANNELS_PER_NET_PEER", kCount, set_count<&Environment::channels_per_net_peer>},
    {"NCCL_NETDEVS_POLICY", "AUTO, ALL or MAX:n", set_net_devices},
    {"NCCL_NET_DISABLE_INTRA", kFlag, set_flag<&Environment::net_disable_intra>},
    {"NCCL_NET_FORCE_MERGE", "groups of NICs, such as mlx5_0,mlx5_1;mlx5_2,mlx5_3",
     set_force_merge},
    {"NCCL_NET_GDR_C2C", kFlag, set_flag<&Environment::net_gdr_c2c>},
    {"NCCL_NET_GDR_LEVEL", kLevel, set_level<&Environment::net_gdr_level>},
    {"NCCL_NET_GDR_READ", kFlag, set_flag<&Environment::net_gdr_read>},
    {"NCCL_NET_MERGE_LEVEL", "LOC, PORT, PIX, PXB, P2C, PXN, PHB or SYS", set_merge_level},
    {"NCCL_NET_MERGE_POLICY", "ALL or RAIL", set_merge_policy},
    {"NCCL_NVB_DISABLE", kFlag, set_flag<&Environment::nvb_disable>},
    {"NCCL_NVLS_ENABLE", "0, 1 or 2", set_nvls},
    {"NCCL_NVLS_NCHANNELS", kCount, set_count<&Environment::nvls_channels>},
    {"NCCL_P2P_DISABLE", kFlag, set_flag<&Environment::p2p_disable>},
    {"NCCL_P2P_LEVEL", kLevel, set_level<&Environment::p2p_level>},
    {"NCCL_P2P_MAX_PEERS", kCount, set_count<&Environment::max_p2p_peers>},
    {"NCCL_P2P_PER_CHANNEL_NET_BW", kCount, set_count<&Environment::p2p_channel_net_bandwidth>},
    {"NCCL_PXN_C2C", kFlag, set_flag<&Environment::pxn_c2c>},
    {"NCCL_PXN_DISABLE", kFlag, set_flag<&Environment::pxn_disable>},
};

}  // namespace

std::span<const SearchVariable> search_variables() { return kVariables; }

const SearchVariable* find_search_variable(std::string_view name) {
  const auto* found = std::ranges::find(kVariables, name, &SearchVariable::name);
  return found == std::end(kVariables) ? nullptr : found;
}

}  // namespace railyard::collectives::nccl
