#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "placement/mapping/tiers.hpp"

namespace railyard::placement {

/// Bytes and squared flow sizes of the trunks of the leaf and pod tiers, by trunk number.
struct UplinkLoads {
  std::vector<double> bytes;    ///< S: sum of the flows that cross
  std::vector<double> squares;  ///< Q: sum of their squares
};

/// The time of the busiest of the m parallel links of a trunk. Evenly spread: S / B, with B the
/// bandwidth of the trunk. Hashed (ECMP): each flow uses a random link. By Bennett's inequality the
/// probability that a link carries more than 1 + u times its share S / m is at most
///   exp(-((1 + u) ln(1 + u) - u) S^2 / (m Q)),
/// which for equal flows is the tail of a Poisson variable. u is chosen so that this probability is
/// 1 / (number of links of the tier), and t = min(1 + u, m) S / B (in the worst case all flows use
/// one link).
class UplinkTimes {
 public:
  /// `seconds_per_byte` is by uplink. With `flows` > 1 each flow is split into that many parts with
  /// separate hashes (queue pairs).
  UplinkTimes(const Tiers& tiers, std::span<const double> seconds_per_byte, bool hashed, int flows);

  /// Loads up to half a byte count as 0: they are rounding errors.
  [[nodiscard]] double operator()(std::size_t uplink, const UplinkLoads& loads) const;

 private:
  bool hashed_;
  double parts_;
  std::vector<double> cost_, width_;
  std::vector<double> log_links_;  ///< ln of the links of the trunk's tier
};

}  // namespace railyard::placement
