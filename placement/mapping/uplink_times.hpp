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
/// bandwidth of the trunk. Hashed (ECMP), each flow b goes to a link at random, whose load has mean
/// S/m and variance about Q/m, and the most of m normal variables lies some sqrt(2 ln m) deviations
/// above:
///   t = max(S + sqrt(2 m ln m Q), m Q / S) / B, at most m S / B.
/// The second term is the mean flow (by bytes) alone on a link; the last, all flows on one link.
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
  std::vector<double> cost_, width_, spread_;
};

}  // namespace railyard::placement
