#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "sim/maxmin/progressive_filling.hpp"

namespace railyard::sim {

/// The fluid model written as plainly as possible: every event solves everything again by
/// progressive filling. What class Fluid must equal.
class OracleFluid {
 public:
  explicit OracleFluid(std::vector<double> capacities)
      : carried(capacities.size(), 0.0), capacities_(std::move(capacities)) {}

  std::size_t add(FillingProblem::Stream shape, double bytes) {
    streams_.push_back({std::move(shape), bytes, 0.0, true});
    return streams_.size() - 1;
  }
  void reroute(std::size_t stream, std::vector<FillingProblem::Use> uses) {
    streams_[stream].shape.uses = std::move(uses);
  }
  void set_capacity(std::uint32_t link, double value) { capacities_[link] = value; }

  std::vector<double> solve() {
    FillingProblem problem{capacities_, {}};
    std::vector<std::size_t> who;
    for (std::size_t s = 0; s < streams_.size(); ++s) {
      if (!streams_[s].alive) continue;
      who.push_back(s);
      problem.streams.push_back(streams_[s].shape);
    }
    const auto solved = progressive_filling(problem);
    std::vector<double> rates(streams_.size(), 0.0);
    for (std::size_t i = 0; i < who.size(); ++i) rates[who[i]] = rates_of(who[i], solved[i]);
    return rates;
  }

  /// Completions of the next event (not beyond until), as Fluid::advance.
  std::vector<std::size_t> advance(double until = std::numeric_limits<double>::infinity()) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    solve();
    double first = kInfinity;
    for (const auto& s : streams_) {
      if (s.alive)
        first = std::min(first, s.left <= 0 || std::isinf(s.rate) ? 0
                                : s.rate > 0                      ? s.left / s.rate
                                                                  : kInfinity);
    }
    if (std::isinf(first) && std::isinf(until)) return {};
    std::vector<std::size_t> done;
    const bool beyond = now + first > until;
    const double step = beyond ? until - now : first;
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      auto& s = streams_[i];
      if (!s.alive) continue;
      const bool ends =
          !beyond && (s.left <= 0 || std::isinf(s.rate) ||
                      (s.rate > 0 && s.left / s.rate <= first + (now + first) * 1e-11));
      const double sent = ends ? s.left : std::min(s.left, s.rate * step);
      for (const auto& use : s.shape.uses) carried[use.link] += use.weight * sent;
      s.left -= sent;
      if (!ends) continue;
      s.alive = false;
      done.push_back(i);
    }
    now += step;
    return done;
  }

  double now = 0;
  std::vector<double> carried;

 private:
  struct Live {
    FillingProblem::Stream shape;
    double left, rate;
    bool alive;
  };
  double rates_of(std::size_t stream, double rate) { return streams_[stream].rate = rate; }
  std::vector<double> capacities_;
  std::vector<Live> streams_;
};

}  // namespace railyard::sim
