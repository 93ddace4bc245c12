#pragma once

#include <string>
#include <vector>

#include "core/units.hpp"

namespace railyard::collectives {

/// A distribution of message sizes, given by points of its cumulative distribution function and
/// linear between them.
///
/// Example: points (0 B, 0 %), (10 KB, 50 %), (1 MB, 100 %): the median is 10 KB, the mean
/// 0.5 * 5 KB + 0.5 * 505 KB = 255 KB.
class SizeDistribution {
 public:
  /// A distribution with a single size.
  explicit SizeDistribution(Bytes bytes);
  /// Reads lines of "BYTES PERCENT", both ascending and ending at 100 percent; # begins a comment.
  /// This is the format of the traffic generator of HPCC's simulator. Throws InputError with the
  /// line.
  [[nodiscard]] static SizeDistribution parse(const std::string& text, const std::string& file);

  /// The smallest size that at least the fraction `share` of the messages do not exceed; at least 1
  /// byte.
  [[nodiscard]] Bytes quantile(double share) const;
  [[nodiscard]] double mean() const;  ///< mean size in bytes

 private:
  struct Point {
    double bytes, share;
  };
  SizeDistribution() = default;
  std::vector<Point> points_;
};

}  // namespace railyard::collectives
