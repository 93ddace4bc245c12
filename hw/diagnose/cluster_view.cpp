#include "hw/diagnose/cluster_view.hpp"

#include <cstddef>
#include <utility>

namespace railyard::hw {

std::vector<PlaceGroup> assumed_groups(const std::vector<std::string>& places) {
  std::vector<PlaceGroup> groups;
  if (places.size() < 4 || places.size() % 2 != 0 || places.size() > 16) return groups;
  for (const std::size_t size : {std::size_t{2}, places.size() / 2}) {
    if (size == 2 && places.size() == 4 && !groups.empty()) break;
    for (std::size_t first = 0; first < places.size(); first += size) {
      PlaceGroup group;
      for (std::size_t p = first; p < first + size; ++p) group.places |= PlaceSet{1} << p;
      group.name = "GPUs " + place_list(places, group.places);
      groups.push_back(std::move(group));
    }
  }
  return groups;
}

}  // namespace railyard::hw
