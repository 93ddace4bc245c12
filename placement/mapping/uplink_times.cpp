#include "placement/mapping/uplink_times.hpp"

#include <algorithm>
#include <cmath>

namespace railyard::placement {

namespace {

/// Solves (1 + u) ln(1 + u) - u = x for u. Newton's method starts at Bernstein's upper bound; after
/// two steps the error is below 1e-3.
double excess(double x) {
  double u = x / 3 + std::sqrt(x * x / 9 + 2 * x);
  for (int step = 0; step < 2 && u > 1e-9; ++step) {
    const double slope = std::log1p(u);
    u -= ((1 + u) * slope - u - x) / slope;
  }
  return u;
}

}  // namespace

UplinkTimes::UplinkTimes(const Tiers& tiers, std::span<const double> seconds_per_byte, bool hashed,
                         int flows)
    : hashed_(hashed),
      parts_(flows),
      cost_(seconds_per_byte.begin(), seconds_per_byte.end()),
      width_(tiers.uplink_widths().begin(), tiers.uplink_widths().end()) {
  const std::size_t leaves = 2 * tiers.leaf_count();
  double leaf_links = 0, pod_links = 0;
  for (std::size_t i = 0; i < width_.size(); ++i)
    (i < leaves ? leaf_links : pod_links) += width_[i];
  for (std::size_t i = 0; i < width_.size(); ++i) {
    const double links = (i < leaves ? leaf_links : pod_links) / 2;  // links of one direction
    log_links_.push_back(std::log(std::max(1.0, links)));
  }
}

double UplinkTimes::operator()(std::size_t uplink, const UplinkLoads& loads) const {
  const double bytes = loads.bytes[uplink];
  if (bytes <= 0.5) return 0;
  if (!hashed_) return bytes * cost_[uplink];
  const double squares = std::max(0.0, loads.squares[uplink]) / parts_;
  const double width = width_[uplink];
  const double over = excess(log_links_[uplink] * width * squares / (bytes * bytes));
  return std::min(1 + over, std::max(1.0, width)) * bytes * cost_[uplink];
}

}  // namespace railyard::placement
