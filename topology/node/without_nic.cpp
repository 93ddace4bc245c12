#include "topology/node/without_nic.hpp"

#include <algorithm>
#include <vector>

#include "topology/node/nets.hpp"

namespace railyard::topology {
namespace {

/// Removes a net, and its card if that was the only port.
void remove(std::vector<PcieSpec>& functions, int dev) {
  for (PcieSpec& function : functions) {
    std::erase_if(function.nets, [dev](const NetSpec& net) { return net.dev == dev; });
    remove(function.children, dev);
  }
  std::erase_if(functions, [](const PcieSpec& function) {
    return function.kind == PcieKind::nic && function.nets.empty();
  });
}

}  // namespace

NodeSpec without_nic(NodeSpec node, int nic) {
  const std::vector<NetSpec*> nets = nets_of(node);
  if (nic < 0 || nic >= static_cast<int>(nets.size())) return node;
  const int lost = nets[static_cast<std::size_t>(nic)]->dev;
  for (std::size_t i = 0; i < nets.size(); ++i)
    nets[i]->rail = nets[i]->rail.value_or(static_cast<int>(i));
  for (CpuSpec& cpu : node.cpus) remove(cpu.pcie, lost);
  for (NetSpec* net : nets_of(node)) net->dev -= net->dev > lost ? 1 : 0;
  return node;
}

}  // namespace railyard::topology
