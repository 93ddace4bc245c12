#include "collectives/formats/traces/comm_groups.hpp"

#include <fmt/format.h>

#include "collectives/formats/traces/trace_import.hpp"
#include "core/config/config_node.hpp"
#include "core/diagnostic.hpp"

namespace railyard::collectives {

std::map<std::string, std::vector<std::uint32_t>> read_comm_groups(const std::string& file) {
  std::map<std::string, std::vector<std::uint32_t>> groups;
  const core::ConfigNode root = core::ConfigNode::read(file);
  Diagnostics problems(file);
  if (!root.is_object())
    problems.add("", fmt::format("expected an object of lists, found {}", root.kind_name()));
  for (const auto& [name, list] : root.members()) {
    if (!list.is_list()) problems.add(list.pointer(), "expected a list of ranks");
    for (const core::ConfigNode& element : list.elements()) {
      const auto rank = element.integer();
      if (!rank || *rank < 0 || *rank >= kMostTracedRanks)
        problems.add(element.pointer(), "expected a rank");
      else
        groups[std::string(name)].push_back(static_cast<std::uint32_t>(*rank));
    }
  }
  problems.throw_if_any();
  return groups;
}

}  // namespace railyard::collectives
