#pragma once

#include <cmath>

#include "core/random.hpp"
#include "placement/capacity/goodput/failure_model.hpp"

namespace railyard::placement {

/// Draws repair times: log-normal with median e^mu and mean e^(mu + sigma^2/2), so sigma^2 = 2
/// ln(mean / median).
struct RepairDraw {
  double median = 0, sigma = 0;
  explicit RepairDraw(const RepairTime& repair)
      : median(repair.median.seconds()),
        sigma(repair.mean && *repair.mean > repair.median && median > 0
                  ? std::sqrt(2 * std::log(repair.mean->seconds() / median))
                  : 0) {}
  double draw(core::RandomStream& random) const {
    return sigma > 0 ? median * std::exp(sigma * random.normal()) : median;
  }
};

}  // namespace railyard::placement
