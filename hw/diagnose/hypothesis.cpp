#include "hw/diagnose/hypothesis.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cstddef>
#include <string_view>

namespace railyard::hw {
namespace {

/// A run whose ports of both nodes are in the component (`in`) or not.
struct Sides {
  PlaceSet a, b, in_a, in_b;
};

/// Whether ports `from` (those in `in`) send to a port of the other kind among `to`.
bool differs(PlaceSet from, PlaceSet in, PlaceSet to, PlaceSet in_to) {
  return ((from & in) != 0 && (to & ~in_to) != 0) || ((from & ~in) != 0 && (to & in_to) != 0);
}

/// A rank sends to the first rank of the other node: over the rail of that one, if its own node
/// uses that rail.
bool ring_crosses(PlaceSet last, PlaceSet own, PlaceSet in_own, PlaceSet first, PlaceSet in_other,
                  Traffic traffic) {
  const bool uses_rail = traffic == Traffic::by_rail && (own & first) != 0;
  return differs(uses_rail ? first : last, in_own, first, in_other);
}

bool crosses(const Hypothesis& hypothesis, const RunPorts& run) {
  const PlaceSet in_a = hypothesis.nodes[run.node_a] ? hypothesis.places : 0;
  const PlaceSet in_b = hypothesis.nodes[run.node_b] ? hypothesis.places : 0;
  if (hypothesis.places == kEveryPlace) return (in_a ^ in_b) != 0;
  if (run.is_ring)
    return ring_crosses(run.last_a, run.places_a, in_a, run.first_b, in_b, hypothesis.traffic) ||
           ring_crosses(run.last_b, run.places_b, in_b, run.first_a, in_a, hypothesis.traffic);
  if (hypothesis.traffic == Traffic::direct) return differs(run.places_a, in_a, run.places_b, in_b);
  const PlaceSet both = run.places_a & run.places_b;
  return ((in_a ^ in_b) & both) != 0 || differs(run.places_a & ~both, in_a, run.places_b, in_b) ||
         differs(run.places_b & ~both, in_b, run.places_a, in_a);
}

bool uses(const Hypothesis& hypothesis, std::uint32_t node, PlaceSet places) {
  return hypothesis.nodes[node] &&
         (hypothesis.places == kEveryPlace || (hypothesis.places & places) != 0);
}

}  // namespace

bool is_exposed(const Hypothesis& hypothesis, const RunPorts& run) {
  switch (hypothesis.meets) {
    case Meets::use:
      return uses(hypothesis, run.node_a, run.places_a) ||
             uses(hypothesis, run.node_b, run.places_b);
    case Meets::pair: return hypothesis.nodes[run.node_a] && hypothesis.nodes[run.node_b];
    case Meets::crossing: return crosses(hypothesis, run);
  }
  return false;
}

std::string to_text(ComponentKind kind) {
  constexpr std::array<std::string_view, 9> kNames{"node",   "gpu", "nic",    "rail", "leaf",
                                                   "uplink", "cut", "island", "path"};
  return std::string(kNames[static_cast<std::size_t>(kind)]);
}

std::string node_list(const std::vector<std::string>& names, const std::vector<bool>& nodes) {
  constexpr std::size_t kMostNames = 16;
  std::vector<std::string> found;
  for (std::size_t n = 0; n < names.size(); ++n)
    if (nodes[n]) found.push_back(names[n]);
  if (found.size() <= kMostNames) return fmt::format("{}", fmt::join(found, ", "));
  const std::size_t left = found.size() - kMostNames;
  found.resize(kMostNames);
  return fmt::format("{} and {} others", fmt::join(found, ", "), left);
}

std::string place_list(const std::vector<std::string>& names, PlaceSet places) {
  if (places == kEveryPlace) return "";
  std::vector<std::string> found;
  for (std::size_t p = 0; p < names.size(); ++p)
    if ((places >> p & 1) != 0) found.push_back(names[p]);
  return fmt::format("{}", fmt::join(found, "+"));
}

}  // namespace railyard::hw
