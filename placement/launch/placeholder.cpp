#include "placement/launch/placeholder.hpp"

#include <fmt/format.h>

namespace railyard::placement {

std::string placeholder_comment(const std::vector<Placeholder>& places) {
  if (places.empty()) return {};
  std::string text = "# Fill in before the start:\n";
  for (const Placeholder& place : places)
    text += fmt::format("#   {}: {}\n", place.name, place.what);
  return text;
}

}  // namespace railyard::placement
