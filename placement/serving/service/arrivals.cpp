#include "placement/serving/service/arrivals.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "topology/routing/flow_hash.hpp"

namespace railyard::placement::serving {
namespace {

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(topology::mix(seed)) {}
  /// In (0, 1).
  double uniform() {
    state_ += 0x9e3779b97f4a7c15U;
    return (static_cast<double>(topology::mix(state_) >> 11) + 0.5) * 0x1p-53;
  }
  /// Standard normal, by Box and Muller.
  double normal() {
    return std::sqrt(-2 * std::log(uniform())) * std::cos(2 * std::numbers::pi * uniform());
  }
  /// Gamma of a shape and mean 1, by Marsaglia and Tsang (ACM TOMS 26, 2000).
  double gamma(double shape) {
    if (shape < 1) {
      const double raised = gamma(shape + 1) * (shape + 1);
      return raised * std::pow(uniform(), 1 / shape) / shape;
    }
    const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
    while (true) {
      const double x = normal(), v = std::pow(1 + c * x, 3);
      if (v > 0 && std::log(uniform()) < 0.5 * x * x + d - d * v + d * std::log(v))
        return d * v / shape;
    }
  }

 private:
  std::uint64_t state_;
};

/// Gap between two arrivals, with mean 1 and coefficient of variation `cv`.
double gap(double cv, Random& random) {
  if (cv == 0) return 1;
  return cv == 1 ? -std::log(random.uniform()) : random.gamma(1 / (cv * cv));
}

/// A request whose lengths are drawn from [1 - spread, 1] of the longest.
Request drawn_request(const ArrivalSpec& spec, Random& random) {
  const auto length = [&](int most) {
    const double share = spec.spread > 0 ? 1 - spec.spread * random.uniform() : 1;
    return std::max(1, static_cast<int>(std::lround(most * share)));
  };
  const int input = length(spec.input);
  return {.input = input, .output = length(spec.output)};
}

}  // namespace

std::vector<Request> random_arrivals(const ArrivalSpec& spec) {
  Random random(spec.seed);
  std::vector<Request> requests;
  requests.reserve(static_cast<std::size_t>(spec.requests));
  double now = 0;
  for (int i = 0; i < spec.requests; ++i) {
    requests.push_back(drawn_request(spec, random));
    requests.back().arrival = now;
    now += gap(spec.cv, random) / spec.rate;
  }
  return requests;
}

void draw_arrivals(std::vector<Request>& requests, const ArrivalSpec& spec) {
  Random random(spec.seed);
  double now = 0;
  for (Request& request : requests) {
    request.arrival = now;
    now += gap(spec.cv, random) / spec.rate;
  }
}

std::vector<Request> changing_arrivals(const std::vector<RateWindow>& windows,
                                       const ArrivalSpec& spec) {
  Random random(spec.seed);
  std::vector<Request> requests;
  // Time to the next arrival, in units of the mean gap.
  double left = gap(windows.front().cv, random);
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const RateWindow& window = windows[i];
    const bool is_last = i + 1 == windows.size();
    const double before = i > 0 ? windows[i].start - windows[i - 1].start : 600;
    const double end = is_last ? window.start + before : windows[i + 1].start;
    double now = window.start;
    while (window.rate > 0 && now + left / window.rate < end) {
      now += left / window.rate;
      left = gap(window.cv, random);
      requests.push_back(drawn_request(spec, random));
      requests.back().arrival = now;
    }
    left -= (end - now) * window.rate;
  }
  return requests;
}

double largest_cached_share(const std::vector<Request>& requests) {
  std::set<std::uint32_t> seen;
  double cached = 0, all = 0;
  for (const Request& r : requests) {
    all += r.input;
    double hit = 0;
    const std::size_t whole =
        std::min(r.prefix.size(), static_cast<std::size_t>(r.input) / kPrefixTokens);
    while (hit < static_cast<double>(whole) &&
           seen.contains(r.prefix[static_cast<std::size_t>(hit)]))
      ++hit;
    cached += std::min(hit * kPrefixTokens, r.input - 1.0);
    seen.insert(r.prefix.begin(), r.prefix.begin() + static_cast<std::ptrdiff_t>(whole));
  }
  return all > 0 ? cached / all : 0;
}

}  // namespace railyard::placement::serving
