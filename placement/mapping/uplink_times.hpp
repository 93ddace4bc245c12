#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "placement/mapping/tiers.hpp"

namespace railyard::placement {

/// Bytes and squared flow sizes of the trunks of the leaf and pod tiers, in the order of their
/// numbers.
struct UplinkLoads {
  std::vector<double> bytes;    ///< S: sum of the flows that cross
  std::vector<double> squares;  ///< Q: sum of their squares
};

/// How long the busiest of a trunk's m parallel links takes. Spread evenly: S / B, with B the
/// bandwidth of the trunk. Hashed (ECMP), each flow goes to a link at random. By Bennett's
/// inequality a link carries more than 1 + u times its share S / m with a probability of at most
///   exp(-((1 + u) ln(1 + u) - u) S^2 / (m Q)),
/// which for equal flows is the tail of a Poisson variable; u is where that is 1 in the number of
/// links of the tier, and t = min(1 + u, m) S / B (at worst all flows are on one link).
class UplinkTimes {
 public:
  /// `seconds_per_byte` by uplink. With `flows` > 1 each flow is cut into so many that hash apart
  /// (queue pairs).
  UplinkTimes(const Tiers& tiers, std::span<const double> seconds_per_byte, bool hashed, int flows);

  /// Loads of half a byte and less are what rounding leaves of nothing.
  [[nodiscard]] double operator()(std::size_t uplink, const UplinkLoads& loads) const;

 private:
  bool hashed_;
  double parts_;
  std::vector<double> cost_, width_;
  std::vector<double> log_links_;  ///< ln of the links of the trunk's tier
};

}  // namespace railyard::placement
