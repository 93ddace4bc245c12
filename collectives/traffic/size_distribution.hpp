#pragma once

#include <string>
#include <vector>

#include "core/units.hpp"

namespace railyard::collectives {

/// Sizes of messages by their cumulative distribution, linear between its points.
///
/// Example: points (0 B, 0 %), (10 KB, 50 %), (1 MB, 100 %): the median is 10 KB, the mean
/// 0.5 * 5 KB + 0.5 * 505 KB = 255 KB.
class SizeDistribution {
 public:
  /// Always the same size.
  explicit SizeDistribution(Bytes bytes);
  /// Lines of "BYTES PERCENT", both ascending, the last with 100; # begins a comment (the format of
  /// the traffic generator of HPCC's simulator). Throws InputError with the line.
  [[nodiscard]] static SizeDistribution parse(const std::string& text, const std::string& file);

  /// The size below which `share` of the messages are, at least 1 byte.
  [[nodiscard]] Bytes quantile(double share) const;
  [[nodiscard]] double mean() const;  ///< bytes

 private:
  struct Point {
    double bytes, share;
  };
  SizeDistribution() = default;
  std::vector<Point> points_;
};

}  // namespace railyard::collectives
