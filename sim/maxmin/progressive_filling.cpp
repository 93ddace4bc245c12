#include "sim/maxmin/progressive_filling.hpp"

#include <algorithm>
#include <cstddef>

namespace railyard::sim {

std::vector<double> progressive_filling(const FillingProblem& problem) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::size_t links = problem.capacities.size();
  std::vector<double> rates(problem.streams.size(), kInfinity);
  std::vector<bool> frozen(problem.streams.size(), false);
  std::vector<double> left = problem.capacities;
  std::vector<double> weight(links, 0.0);
  std::vector<std::size_t> active(links, 0);
  for (const auto& stream : problem.streams) {
    for (const auto& use : stream.uses) {
      weight[use.link] += use.weight;
      ++active[use.link];
    }
  }
  const auto freeze = [&](std::size_t stream, double rate) {
    frozen[stream] = true;
    rates[stream] = rate;
    for (const auto& use : problem.streams[stream].uses) {
      left[use.link] -= use.weight * rate;
      weight[use.link] -= use.weight;
      --active[use.link];
    }
  };
  while (true) {
    double level = kInfinity;
    for (std::size_t link = 0; link < links; ++link) {
      if (active[link] > 0) level = std::min(level, std::max(left[link], 0.0) / weight[link]);
    }
    for (std::size_t s = 0; s < rates.size(); ++s) {
      if (!frozen[s]) level = std::min(level, problem.streams[s].cap);
    }
    if (level == kInfinity) return rates;
    std::vector<bool> full(links, false);
    for (std::size_t link = 0; link < links; ++link) {
      full[link] =
          active[link] > 0 && std::max(left[link], 0.0) / weight[link] <= level * (1 + 1e-12);
    }
    for (std::size_t s = 0; s < rates.size(); ++s) {
      if (frozen[s]) continue;
      const auto& stream = problem.streams[s];
      const bool held = stream.cap <= level * (1 + 1e-12) ||
                        std::any_of(stream.uses.begin(), stream.uses.end(),
                                    [&](const auto& use) { return full[use.link]; });
      if (held) freeze(s, level);
    }
  }
}

}  // namespace railyard::sim
