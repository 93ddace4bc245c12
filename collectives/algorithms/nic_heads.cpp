#include "collectives/algorithms/nic_heads.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "collectives/algorithms/node_members.hpp"

namespace railyard::collectives {

std::vector<std::vector<NicHead>> nic_heads(const Request& request) {
  const Group& group = *request.group;
  std::vector<std::vector<NicHead>> heads;
  for (std::size_t i = 0; i < group.nodes().size(); ++i) {
    const NodeMembers members = members_of(request.cluster, group, i);
    const std::vector<int> nics = nics_of(members);
    if (i == 0) heads.resize(nics.size());
    heads.resize(std::min(heads.size(), nics.size()));
    for (std::size_t h = 0; h < heads.size(); ++h) {
      heads[h].push_back({.rank = members.positions[head_of_nic(members, nics[h])],
                          .node = members.node,
                          .nic = nics[h]});
    }
  }
  return heads;
}

std::string why_not_nics(const Request& request) {
  for (std::size_t i = 0; i < request.group->nodes().size(); ++i) {
    const NodeMembers members = members_of(request.cluster, *request.group, i);
    if (nics_of(members).empty()) return fmt::format("node {} has no NIC", members.node.value());
  }
  return {};
}

}  // namespace railyard::collectives
