#include "topology/node/nets.hpp"

#include <algorithm>

namespace railyard::topology {
namespace {

/// `Functions`, `Net`: of a node that may be changed, or const.
template <typename Functions, typename Net>
void collect(Functions& functions, std::vector<Net*>& nets) {
  for (auto& function : functions) {
    for (Net& net : function.nets) nets.push_back(&net);
    collect(function.children, nets);
  }
}

template <typename Net, typename Node>
std::vector<Net*> collected(Node& node) {
  std::vector<Net*> nets;
  for (auto& cpu : node.cpus) collect(cpu.pcie, nets);
  std::ranges::stable_sort(nets, {}, &NetSpec::dev);
  return nets;
}

}  // namespace

std::vector<NetSpec*> nets_of(NodeSpec& node) { return collected<NetSpec>(node); }

std::vector<const NetSpec*> nets_of(const NodeSpec& node) { return collected<const NetSpec>(node); }

}  // namespace railyard::topology
