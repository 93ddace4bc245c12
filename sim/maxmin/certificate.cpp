#include "sim/maxmin/certificate.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

namespace railyard::sim {

std::string check_certificate(const FlowTable& table) {
  constexpr double kTolerance = 1e-8;
  std::vector<double> load(table.link_count(), 0.0);
  std::vector<double> fastest(table.link_count(), 0.0);
  for (const Slot slot : table.live()) {
    const double rate = table.state[slot].rate;
    const auto links = table.all_links(slot);
    const double* const weights = table.weights(slot);
    for (std::size_t i = 0; i < links.size(); ++i) {
      load[links[i]] += (weights != nullptr ? weights[i] : 1.0) * rate;
      fastest[links[i]] = std::max(fastest[links[i]], rate);
    }
  }
  for (std::size_t link = 0; link < load.size(); ++link) {
    if (load[link] > table.capacity[link] * (1 + kTolerance)) {
      return fmt::format("link {} carries {} of {} B/s", link, load[link], table.capacity[link]);
    }
  }
  for (const Slot slot : table.live()) {
    const double rate = table.state[slot].rate;
    const auto links = table.links(slot);
    if (links.empty()) continue;
    const bool held = std::any_of(links.begin(), links.end(), [&](LinkIndex link) {
      return load[link] >= table.capacity[link] * (1 - kTolerance) &&
             rate >= fastest[link] * (1 - kTolerance);
    });
    if (!held) return fmt::format("stream {} at {} B/s is held by no link", slot, rate);
  }
  return {};
}

}  // namespace railyard::sim
