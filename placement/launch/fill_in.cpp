#include "placement/launch/fill_in.hpp"

#include <fmt/format.h>

namespace railyard::placement {

std::string fill_in_comment(const std::vector<FillIn>& places) {
  if (places.empty()) return {};
  std::string text = "# Fill in before the start:\n";
  for (const FillIn& place : places) text += fmt::format("#   {}: {}\n", place.name, place.what);
  return text;
}

}  // namespace railyard::placement
