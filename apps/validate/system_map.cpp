#include "apps/validate/system_map.hpp"

#include <algorithm>
#include <regex>

#include "apps/validate/system_map_fields.hpp"
#include "core/config/config_path.hpp"
#include "topology/cluster/read_launch_mode.hpp"

namespace railyard::apps {
namespace {

bool holds(const std::string& expression, const std::string& text) {
  if (expression.empty()) return true;
  return std::regex_search(text, std::regex(expression, std::regex::icase));
}

/// The line of a table's hardware that begins with "key: ", without it.
std::string line_of(const MeasuredTable& table, const std::string& key) {
  const std::string start = key + ": ";
  std::size_t at = table.hardware.starts_with(start) ? 0 : table.hardware.find('\n' + start);
  if (at == std::string::npos) return {};
  at = table.hardware.find(start, at) + start.size();
  return table.hardware.substr(at, table.hardware.find('\n', at) - at);
}

}  // namespace

SystemMap read_system_map(const std::string& reference) {
  auto map = core::read_config<SystemMap>(core::resolve_config(reference, "validation"));
  for (Harness& harness : map.harnesses)
    harness.overhead = topology::read_launch_overhead(harness.launch_mode, "/harnesses");
  return map;
}

std::string cluster_for(const SystemMap& map, const MeasuredTable& table, bool several_nodes) {
  const std::string gpu = line_of(table, "gpu"), intra = line_of(table, "intra"),
                    inter = line_of(table, "inter");
  const auto found = std::ranges::find_if(map.systems, [&](const SystemRule& rule) {
    return rule.several_nodes.value_or(several_nodes) == several_nodes && holds(rule.gpu, gpu) &&
           holds(rule.intra, intra) && holds(rule.inter, inter);
  });
  return found == map.systems.end() ? std::string() : found->cluster;
}

const Harness* harness_for(const SystemMap& map, const MeasuredTable& table) {
  const auto found = std::ranges::find_if(
      map.harnesses, [&](const Harness& h) { return holds(h.software, table.software); });
  return found == map.harnesses.end() ? nullptr : &*found;
}

std::string reason_to_leave_out(const SystemMap& map, const MeasuredTable& table) {
  if (!table.left_out.empty()) return table.left_out;
  const auto found = std::ranges::find(map.left_out, table.name, &LeftOut::table);
  return found == map.left_out.end() ? std::string() : found->reason;
}

}  // namespace railyard::apps
