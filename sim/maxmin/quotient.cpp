#include "sim/maxmin/quotient.hpp"

#include <algorithm>

namespace railyard::sim {

void number_links(Quotient& quotient, std::span<const double> capacities,
                  std::span<const Colour> colours, std::span<const LinkIndex> used) {
  quotient.class_of_link.assign(capacities.size(), kNoLink);
  quotient.links.assign(used.begin(), used.end());
  Numbering numbers(used.size());
  for (const LinkIndex link : used) {
    std::uint32_t number = 0;
    numbers.number(colours[link], number);
    quotient.class_of_link[link] = number;
    if (number == quotient.capacities.size()) {
      quotient.capacities.push_back(capacities[link]);
      quotient.link_count.push_back(0);
    }
    ++quotient.link_count[number];
  }
}

void add_class_hop(Quotient& quotient, std::size_t stream_class, std::uint32_t link_class,
                   double weight) {
  auto& hops = quotient.hops[stream_class];
  const auto same = std::find_if(hops.begin(), hops.end(), [&](const topology::Hop& hop) {
    return hop.link == LinkId(link_class);
  });
  if (same == hops.end()) {
    hops.push_back({LinkId(link_class), weight});
  } else {
    same->share += weight;
  }
}

void share_out(Quotient& quotient) {
  for (auto& hops : quotient.hops) {
    for (topology::Hop& hop : hops)
      hop.share /= static_cast<double>(quotient.link_count[hop.link.index()]);
  }
}

}  // namespace railyard::sim
