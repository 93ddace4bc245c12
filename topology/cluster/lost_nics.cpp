#include "topology/cluster/lost_nics.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <utility>

#include "core/diagnostic.hpp"
#include "core/trimmed.hpp"
#include "topology/node/without_nic.hpp"

namespace railyard::topology {
namespace {

/// The group of nodes that contains a node, and the node's index in that group; nothing if there is
/// no such node.
std::optional<std::pair<std::size_t, int>> group_of(const ClusterSpec& spec, int node) {
  for (std::size_t group = 0; group < spec.node_counts.size(); ++group) {
    if (node < spec.node_counts[group]) return std::pair(group, node);
    node -= spec.node_counts[group];
  }
  return std::nullopt;
}

/// Splits a group of nodes so that one node is a group of its own; returns the index of that group.
std::size_t split_off(ClusterSpec& spec, std::size_t group, int node) {
  const int count = spec.node_counts[group];
  const auto insert = [&](std::size_t at, int nodes) {
    const NodeSpec copy = spec.node_specs[group];
    spec.node_specs.insert(spec.node_specs.begin() + static_cast<std::ptrdiff_t>(at), copy);
    spec.node_counts.insert(spec.node_counts.begin() + static_cast<std::ptrdiff_t>(at), nodes);
  };
  spec.node_counts[group] = 1;
  if (node + 1 < count) insert(group + 1, count - node - 1);
  if (node == 0) return group;
  insert(group, node);
  return group + 1;
}

class LinkSet {
 public:
  explicit LinkSet(std::span<const LinkId> links) : links_(links.begin(), links.end()) {
    std::ranges::sort(links_);
  }
  /// Whether a device has cables between NICs and switches, and all of them are in the set.
  [[nodiscard]] bool has_all_ports(const Cluster& cluster, DeviceId device) const {
    bool any = false;
    for (const LinkId link : cluster.out_links(device)) {
      if (cluster.link(link).kind != LinkKind::port) continue;
      if (!std::ranges::binary_search(links_, link)) return false;
      any = true;
    }
    return any;
  }

 private:
  std::vector<LinkId> links_;
};

}  // namespace

std::optional<NicName> parse_nic(std::string_view text) {
  constexpr std::string_view kNode = "node", kNic = "/nic";
  if (!text.starts_with(kNode)) return std::nullopt;
  const char* const end = text.data() + text.size();
  NicName name;
  const auto node = std::from_chars(text.data() + kNode.size(), end, name.node);
  if (node.ec != std::errc()) return std::nullopt;
  const std::string_view rest(node.ptr, static_cast<std::size_t>(end - node.ptr));
  if (!rest.starts_with(kNic)) return std::nullopt;
  const auto nic = std::from_chars(node.ptr + kNic.size(), end, name.nic);
  if (nic.ec != std::errc() || nic.ptr != end || name.node < 0 || name.nic < 0) return std::nullopt;
  return name;
}

std::optional<NicFailure> parse_nic_failure(std::string_view text) {
  const auto at = text.rfind('@');
  const auto name = parse_nic(core::trimmed(text.substr(0, at)));
  if (!name) return std::nullopt;
  if (at == std::string_view::npos) return NicFailure{*name, true};
  const auto time = core::parse_time(core::trimmed(text.substr(at + 1)));
  if (!time.value) return std::nullopt;
  return NicFailure{*name, *time.value == Time()};
}

bool has_nic(const ClusterSpec& spec, const NicName& name) {
  const auto found = group_of(spec, name.node);
  return found && name.nic < spec.node_specs[found->first].nic_count();
}

ClusterSpec without_nic(ClusterSpec spec, const NicName& lost) {
  const auto found = group_of(spec, lost.node);
  if (!found) return spec;
  const int nics = spec.node_specs[found->first].nic_count();
  int nodes = 0;
  for (const int count : spec.node_counts) nodes += count;
  if (nics == 1 && nodes > 1)
    throw InputError(
        "", "--fail",
        fmt::format("node{}/nic{} is the only NIC of its node, so NCCL cannot connect node{}",
                    lost.node, lost.nic, lost.node),
        "leave the node out with --ranks");
  const std::size_t group = split_off(spec, found->first, found->second);
  spec.node_specs[group] = without_nic(std::move(spec.node_specs[group]), lost.nic);
  std::erase_if(spec.fabric.cables, [&](const CableSpec& cable) {
    return parse_nic(cable.a) == lost || parse_nic(cable.b) == lost;
  });
  for (CableSpec& cable : spec.fabric.cables) {
    cable.a = renumbered(cable.a, lost);
    cable.b = renumbered(cable.b, lost);
  }
  return spec;
}

std::string renumbered(std::string_view selector, const NicName& lost) {
  const std::string prefix = fmt::format("node{}/nic", lost.node);
  std::string text;
  for (;;) {
    const auto at = selector.find(prefix);
    if (at == std::string_view::npos) return text + std::string(selector);
    text += selector.substr(0, at + prefix.size());
    selector.remove_prefix(at + prefix.size());
    int nic = 0;
    const auto [end, error] =
        std::from_chars(selector.data(), selector.data() + selector.size(), nic);
    if (error != std::errc()) continue;
    text += fmt::format("{}", nic > lost.nic ? nic - 1 : nic);
    selector.remove_prefix(static_cast<std::size_t>(end - selector.data()));
  }
}

ClusterSpec without_lost_nics(ClusterSpec spec, FaultTexts& texts) {
  const auto is_lost = [&](const std::string& text) {
    const auto failure = parse_nic_failure(text);
    return failure && failure->at_start && has_nic(spec, failure->name);
  };
  for (;;) {
    const auto text = std::ranges::find_if(texts.failures, is_lost);
    if (text == texts.failures.end()) return spec;
    const NicName lost = parse_nic_failure(*text)->name;
    texts.failures.erase(text);
    for (auto* others : {&texts.failures, &texts.degradations})
      for (std::string& other : *others) other = renumbered(other, lost);
    spec = without_nic(std::move(spec), lost);
  }
}

std::vector<NicName> cut_off_nics(const Cluster& cluster, std::span<const LinkId> failed) {
  const LinkSet down(failed);
  std::vector<NicName> nics;
  for (std::size_t node = 0; node < cluster.node_count(); ++node)
    for (int nic = 0; nic < cluster.shape(NodeId(node)).nic_count(); ++nic)
      if (down.has_all_ports(cluster, cluster.nic(NodeId(node), nic)))
        nics.push_back({static_cast<int>(node), nic});
  return nics;
}

bool are_dead(const Cluster& cluster, std::span<const LinkId> links,
              std::span<const LinkId> failed) {
  const LinkSet down(failed);
  return std::ranges::all_of(links, [&](LinkId link) {
    return down.has_all_ports(cluster, cluster.link(link).from) ||
           down.has_all_ports(cluster, cluster.link(link).to);
  });
}

CutOff cut_off_by(const Cluster& cluster, std::span<const TimedFault> failures) {
  std::vector<LinkId> failed;
  for (const TimedFault& failure : failures)
    if (failure.at == Time())
      failed.insert(failed.end(), failure.faults.failed.begin(), failure.faults.failed.end());
  CutOff cut;
  if (failed.empty()) {
    cut.is_replaced.resize(failures.size());
    return cut;
  }
  for (const NicName& nic : cut_off_nics(cluster, failed))
    cut.nics.push_back(fmt::format("node{}/nic{}", nic.node, nic.nic));
  for (const TimedFault& failure : failures) {
    const std::vector<LinkId>& links = failure.faults.failed;
    cut.is_replaced.push_back(failure.at == Time() && !links.empty() &&
                              are_dead(cluster, links, failed));
  }
  return cut;
}

std::vector<std::string> with_cut_off_nics(std::vector<std::string> failures, const CutOff& cut) {
  std::vector<std::string> others;
  for (std::size_t i = 0; i < failures.size(); ++i)
    if (!cut.is_replaced[i]) others.push_back(std::move(failures[i]));
  // In descending order, because removing a NIC changes the numbers of later ones.
  others.insert(others.end(), cut.nics.rbegin(), cut.nics.rend());
  return others;
}

std::string to_text(const CutOff& cut) {
  constexpr std::size_t kNamed = 4;
  const std::span<const std::string> nics = cut.nics;
  return fmt::format("failed links cut off {} NIC{} ({}{}): NCCL starts without {}", nics.size(),
                     nics.size() == 1 ? "" : "s",
                     fmt::join(nics.first(std::min(kNamed, nics.size())), ", "),
                     nics.size() > kNamed ? ", ..." : "", nics.size() == 1 ? "it" : "them");
}

bool has_partner(const Cluster& cluster, const NicName& nic) {
  if (static_cast<std::size_t>(nic.node) >= cluster.node_count()) return false;
  const NodeShape& shape = cluster.shape(NodeId(static_cast<std::size_t>(nic.node)));
  for (int gpu = 0; gpu < shape.gpu_count(); ++gpu) {
    const auto nics = shape.nics_of_gpu(gpu);
    if (nics.size() > 1 && std::ranges::find(nics, nic.nic) != nics.end()) return true;
  }
  return false;
}

}  // namespace railyard::topology
