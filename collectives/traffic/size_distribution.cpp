#include "collectives/traffic/size_distribution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "core/diagnostic.hpp"

namespace railyard::collectives {

SizeDistribution::SizeDistribution(Bytes bytes)
    : points_{{static_cast<double>(bytes.count()), 0}, {static_cast<double>(bytes.count()), 1}} {}

SizeDistribution SizeDistribution::parse(const std::string& text, const std::string& file) {
  SizeDistribution made;
  std::istringstream stream(text);
  int number = 0;
  const auto fail = [&](const std::string& message) {
    throw InputError(file, fmt::format("line {}", number), message,
                     "a line is 'BYTES PERCENT', both ascending, the last with 100");
  };
  for (std::string line; std::getline(stream, line);) {
    ++number;
    line.erase(std::min(line.find('#'), line.size()));
    std::istringstream words(line);
    double bytes = 0, percent = 0;
    std::string rest;
    if (!(words >> std::ws) || words.eof()) continue;
    if (!(words >> bytes >> percent) || (words >> rest)) fail("needs two numbers");
    if (bytes < 0 || percent < 0 || percent > 100) fail("a number is out of range");
    if (!made.points_.empty() &&
        (bytes < made.points_.back().bytes || percent < 100 * made.points_.back().share))
      fail("is below the line before");
    made.points_.push_back({bytes, percent / 100});
  }
  if (made.points_.empty() || made.points_.back().share < 1) fail("the last line has no 100");
  if (made.points_.front().share > 0)
    made.points_.insert(made.points_.begin(), {made.points_.front().bytes, 0});
  return made;
}

Bytes SizeDistribution::quantile(double share) const {
  const auto above = std::upper_bound(points_.begin(), points_.end(), share,
                                      [](double s, const Point& point) { return s < point.share; });
  double bytes = points_.back().bytes;
  if (above != points_.end()) {
    const Point& low = *std::prev(above);
    bytes =
        low.bytes + (above->bytes - low.bytes) * (share - low.share) / (above->share - low.share);
  }
  return Bytes(std::max<std::int64_t>(1, std::llround(bytes)));
}

double SizeDistribution::mean() const {
  double sum = 0;
  for (std::size_t i = 1; i < points_.size(); ++i)
    sum +=
        (points_[i].share - points_[i - 1].share) * (points_[i].bytes + points_[i - 1].bytes) / 2;
  return sum;
}

}  // namespace railyard::collectives
