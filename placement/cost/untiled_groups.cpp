#include "placement/cost/untiled_groups.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

namespace railyard::placement {

std::string untiled_groups(const Strategy& s, int gpus_per_node) {
  if (s.gpus() <= gpus_per_node) return "";
  int span = 1;
  for (const auto& [name, size] : std::array<std::pair<std::string_view, int>, 3>{
           {{"tp", s.tp}, {"cp", s.cp}, {"ep", s.ep}}}) {
    span *= size;
    const bool tiles = gpus_per_node % span == 0 || span % gpus_per_node == 0;
    if (size > 1 && !tiles) return fmt::format("{} {} spans {} GPUs", name, size, span);
  }
  return "";
}

}  // namespace railyard::placement
