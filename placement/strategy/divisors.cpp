#include "placement/strategy/divisors.hpp"

#include <algorithm>

namespace railyard::placement {

std::vector<int> divisors(int whole, int most) {
  std::vector<int> found;
  for (int d = 1; d <= std::min(whole, most); ++d)
    if (whole % d == 0) found.push_back(d);
  return found;
}

}  // namespace railyard::placement
