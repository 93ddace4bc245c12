#include "collectives/nccl/timing/fit/system_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include "core/text_pattern.hpp"

namespace railyard::collectives::nccl {
namespace {

bool matches(const std::string& expression, const std::string& text) {
  if (expression.empty()) return true;
  return core::TextPattern(expression).is_in(text);
}

/// Whether the name of a product is in the text as a whole: "H100" is not in "H1000".
bool names_product(const std::string& expression, const std::string& text) {
  if (expression.empty()) return true;
  return core::TextPattern(core::TextPattern::whole_words(expression)).is_in(text);
}

/// The line of a table's hardware that begins with "key: ", without it.
std::string line_of(const MeasuredTable& table, const std::string& key) {
  const std::string start = key + ": ";
  std::size_t at = table.hardware.starts_with(start) ? 0 : table.hardware.find('\n' + start);
  if (at == std::string::npos) return {};
  at = table.hardware.find(start, at) + start.size();
  return table.hardware.substr(at, table.hardware.find('\n', at) - at);
}

/// The name of a table for messages, truncated to 60 bytes.
std::string shortened(const std::string& name) {
  constexpr std::size_t kMost = 60;
  return name.size() > kMost ? name.substr(0, kMost) + "..." : name;
}

/// The first rule that matches; nullptr if none does.
const SystemRule* rule_for(const SystemMap& map, const MeasuredTable& table,
                           const MeasuredRow& row) {
  const bool several_nodes = row.nodes > 1;
  const int gpus_per_node = row.ranks / std::max(1, row.nodes);
  const std::string gpu = line_of(table, "gpu"), intra = line_of(table, "intra"),
                    inter = line_of(table, "inter");
  const auto found = std::ranges::find_if(map.systems, [&](const SystemRule& rule) {
    return rule.several_nodes.value_or(several_nodes) == several_nodes &&
           gpus_per_node <= rule.gpus_per_node.value_or(gpus_per_node) &&
           names_product(rule.gpu, gpu) && matches(rule.intra, intra) && matches(rule.inter, inter);
  });
  return found == map.systems.end() ? nullptr : &*found;
}

}  // namespace

std::string cluster_for(const SystemMap& map, const MeasuredTable& table, const MeasuredRow& row) {
  const SystemRule* rule = rule_for(map, table, row);
  return rule == nullptr ? std::string() : rule->cluster;
}

std::string why_unknown(const SystemMap& map, const MeasuredTable& table, const MeasuredRow& row) {
  const SystemRule* rule = rule_for(map, table, row);
  if (rule != nullptr) return rule->unknown;
  const std::string gpu = line_of(table, "gpu"), inter = line_of(table, "inter");
  if (gpu.empty()) return "no rule of the map matches: the GPU is not stated";
  return fmt::format("no rule of the map matches GPU '{}'{}", shortened(gpu),
                     inter.empty() ? "" : fmt::format(" with network '{}'", shortened(inter)));
}

const Harness* harness_for(const SystemMap& map, const MeasuredTable& table) {
  const auto found = std::ranges::find_if(
      map.harnesses, [&](const Harness& h) { return matches(h.software, table.software); });
  return found == map.harnesses.end() ? nullptr : &*found;
}

std::string reason_to_leave_out(const SystemMap& map, const MeasuredTable& table) {
  if (!table.left_out.empty()) return table.left_out;
  const auto found = std::ranges::find(map.left_out, table.name, &LeftOut::table);
  return found == map.left_out.end() ? std::string() : found->reason;
}

}  // namespace railyard::collectives::nccl
