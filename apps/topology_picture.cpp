#include "apps/topology_picture.hpp"

#include <algorithm>
#include <array>

namespace railyard::apps {

int load_class(double utilisation) {
  constexpr std::array<double, 5> kBounds = {0.01, 0.25, 0.5, 0.75, 0.95};
  return static_cast<int>(std::count_if(kBounds.begin(), kBounds.end(), [&](double b) { return utilisation >= b; }));
}

}  // namespace railyard::apps
