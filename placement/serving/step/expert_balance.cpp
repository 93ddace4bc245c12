#include "placement/serving/step/expert_balance.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>

namespace railyard::placement::serving {
namespace {

double mean_of(std::span<const double> loads, int ranks) {
  return std::accumulate(loads.begin(), loads.end(), 0.0) / ranks;
}

std::size_t places_of(std::size_t experts, int ranks) {
  const auto count = static_cast<std::size_t>(ranks);
  return (experts + count - 1) / count;
}

/// Loads of all copies in descending order; each copy has an equal share of its expert's load.
std::vector<double> copies_of(std::span<const double> loads, int redundant) {
  std::vector<int> copies(loads.size(), 1);
  for (int i = 0; i < redundant; ++i) {
    std::size_t fullest = 0;
    for (std::size_t e = 1; e < loads.size(); ++e)
      if (loads[e] / copies[e] > loads[fullest] / copies[fullest]) fullest = e;
    ++copies[fullest];
  }
  std::vector<double> all;
  for (std::size_t e = 0; e < loads.size(); ++e)
    all.insert(all.end(), static_cast<std::size_t>(copies[e]), loads[e] / copies[e]);
  std::ranges::sort(all, std::greater<>());
  return all;
}

}  // namespace

std::vector<double> expert_popularity(int experts, double skew) {
  std::vector<double> loads;
  double below = 0;
  for (int i = 1; i <= experts; ++i) {
    const double up_to = experts * std::pow(static_cast<double>(i) / experts, 1 - skew);
    loads.push_back(up_to - below);
    below = up_to;
  }
  return loads;
}

double balanced_load(std::span<const double> loads, int ranks, int redundant) {
  const std::vector<double> copies = copies_of(loads, redundant);
  const std::size_t places = places_of(copies.size(), ranks);
  std::vector<double> rank_loads(static_cast<std::size_t>(ranks), 0.0);
  std::vector<std::size_t> filled(rank_loads.size(), 0);
  for (const double load : copies) {
    std::size_t least = rank_loads.size();
    for (std::size_t r = 0; r < rank_loads.size(); ++r)
      if (filled[r] < places && (least == rank_loads.size() || rank_loads[r] < rank_loads[least]))
        least = r;
    rank_loads[least] += load;
    ++filled[least];
  }
  return *std::ranges::max_element(rank_loads) / mean_of(loads, ranks);
}

double unbalanced_load(std::span<const double> loads, int ranks) {
  constexpr int kPlacements = 64;
  std::vector<double> placed(loads.begin(), loads.end());
  const std::size_t places = places_of(placed.size(), ranks);
  std::mt19937_64 random(1);
  double sum = 0;
  for (int i = 0; i < kPlacements; ++i) {
    for (std::size_t e = placed.size() - 1; e > 0; --e)
      std::swap(placed[e], placed[random() % (e + 1)]);
    double most = 0;
    for (std::size_t first = 0; first < placed.size(); first += places) {
      const auto begin = placed.begin() + static_cast<std::ptrdiff_t>(first);
      const auto count = std::min(places, placed.size() - first);
      most =
          std::max(most, std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(count), 0.0));
    }
    sum += most;
  }
  return sum / kPlacements / mean_of(loads, ranks);
}

}  // namespace railyard::placement::serving
