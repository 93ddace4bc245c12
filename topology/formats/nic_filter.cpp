#include "topology/formats/nic_filter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/diagnostic.hpp"

namespace railyard::topology {
namespace {

template <class Visit>
void for_each_net(std::vector<PcieSpec>& functions, Visit&& visit) {
  for (PcieSpec& function : functions) {
    visit(function);
    for_each_net(function.children, visit);
  }
}

void remove_empty(std::vector<PcieSpec>& functions) {
  std::erase_if(functions, [](const PcieSpec& function) {
    return function.kind == PcieKind::nic && function.nets.empty();
  });
  for (PcieSpec& function : functions) remove_empty(function.children);
}

}  // namespace

NicFilter NicFilter::parse(std::string_view setting) {
  constexpr std::string_view kName = "NCCL_IB_HCA=";
  if (!setting.starts_with(kName))
    throw InputError("", "--env", fmt::format("'{}' is not a filter of NICs", setting),
                     "NCCL_IB_HCA=mlx5_0,mlx5_1; sim and explain accept NCCL's other variables");
  std::string_view list = setting.substr(kName.size());
  NicFilter filter;
  filter.excludes_ = list.starts_with('^');
  if (filter.excludes_) list.remove_prefix(1);
  filter.is_exact_ = list.starts_with('=');
  if (filter.is_exact_) list.remove_prefix(1);
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    std::string_view item = list.substr(0, comma);
    list.remove_prefix(std::min(comma + 1, list.size()));
    Item one;
    if (const std::size_t colon = item.find(':'); colon != std::string_view::npos) {
      const std::string_view port = item.substr(colon + 1);
      const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), one.port);
      if (error != std::errc() || end != port.data() + port.size())
        throw InputError("", "--env", fmt::format("'{}' is not a port", port), "mlx5_0:1");
      item = item.substr(0, colon);
    }
    one.name = item;
    if (!item.empty()) filter.items_.push_back(std::move(one));
  }
  if (filter.items_.empty())
    throw InputError("", "--env", "NCCL_IB_HCA does not list a NIC", "NCCL_IB_HCA=mlx5_0,mlx5_1");
  return filter;
}

bool NicFilter::keeps(std::string_view name, int port) const {
  const bool found = std::ranges::any_of(items_, [&](const Item& item) {
    const bool is_named = is_exact_ ? name == item.name : name.starts_with(item.name);
    return is_named && (item.port == -1 || item.port == port);
  });
  return found != excludes_;
}

std::vector<std::string> remove_nics(NodeSpec& node, const NicFilter& filter) {
  std::vector<std::string> removed;
  std::vector<NetSpec*> kept;
  for (CpuSpec& cpu : node.cpus)
    for_each_net(cpu.pcie, [&](PcieSpec& function) {
      for (const NetSpec& net : function.nets)
        if (!filter.keeps(net.name, net.port)) removed.push_back(net.name);
      std::erase_if(function.nets,
                    [&](const NetSpec& net) { return !filter.keeps(net.name, net.port); });
    });
  for (CpuSpec& cpu : node.cpus) {
    remove_empty(cpu.pcie);
    for_each_net(cpu.pcie, [&](PcieSpec& function) {
      for (NetSpec& net : function.nets) kept.push_back(&net);
    });
  }
  if (kept.empty())
    throw InputError("", "--env", "NCCL_IB_HCA excludes all NICs",
                     fmt::format("the node has {}", fmt::join(removed, ", ")));
  std::ranges::sort(kept, {}, [](const NetSpec* net) { return net->dev; });
  for (std::size_t i = 0; i < kept.size(); ++i) kept[i]->dev = static_cast<int>(i);
  return removed;
}

}  // namespace railyard::topology
