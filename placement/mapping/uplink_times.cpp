#include "placement/mapping/uplink_times.hpp"

#include <algorithm>
#include <cmath>

namespace railyard::placement {

UplinkTimes::UplinkTimes(const Tiers& tiers, std::span<const double> seconds_per_byte, bool hashed,
                         int flows)
    : hashed_(hashed),
      parts_(flows),
      cost_(seconds_per_byte.begin(), seconds_per_byte.end()),
      width_(tiers.uplink_widths().begin(), tiers.uplink_widths().end()) {
  for (const double m : width_) spread_.push_back(m > 1 ? std::sqrt(2 * m * std::log(m)) : 0.0);
}

double UplinkTimes::operator()(std::size_t uplink, const UplinkLoads& loads) const {
  const double bytes = loads.bytes[uplink];
  if (bytes <= 0.5) return 0;
  if (!hashed_) return bytes * cost_[uplink];
  const double squares = std::max(0.0, loads.squares[uplink]) / parts_;
  const double busiest =
      std::max(bytes + spread_[uplink] * std::sqrt(squares), width_[uplink] * squares / bytes);
  return std::min(busiest, width_[uplink] * bytes) * cost_[uplink];
}

}  // namespace railyard::placement
