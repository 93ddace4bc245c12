#include "sim/fluid.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/core.h>

#include "sim/progressive_filling.hpp"

namespace railyard::sim {

class Fluid::State {
 public:
  struct Live {
    FillingProblem::Stream shape;
    double left = 0;
    double bytes = 0;
    double rate = 0;
    bool alive = true;
  };
  std::vector<double> capacities;
  FluidOptions options;
  std::vector<Live> streams;
  std::vector<StreamId> completed;
  std::vector<double> carried;
  double now = 0;
  bool dirty = false;
  std::size_t active = 0;
  std::size_t solves = 0;

  void solve() {
    if (!dirty) return;
    dirty = false;
    ++solves;
    FillingProblem problem{capacities, {}};
    std::vector<std::size_t> who;
    for (std::size_t s = 0; s < streams.size(); ++s) {
      if (!streams[s].alive) continue;
      who.push_back(s);
      problem.streams.push_back(streams[s].shape);
    }
    const auto rates = progressive_filling(problem);
    for (std::size_t i = 0; i < who.size(); ++i) streams[who[i]].rate = rates[i];
  }

  void run_for(double seconds) {
    for (auto& stream : streams) {
      if (!stream.alive || seconds <= 0) continue;
      const double sent = std::min(stream.left, stream.rate * seconds);
      stream.left -= sent;
      for (const auto& use : stream.shape.uses) carried[use.link] += use.weight * sent;
    }
    now += seconds;
  }
};

Fluid::Fluid(std::vector<double> capacities, FluidOptions options) : state_(std::make_unique<State>()) {
  state_->carried.assign(capacities.size(), 0.0);
  state_->capacities = std::move(capacities);
  state_->options = options;
}
Fluid::~Fluid() = default;
Fluid::Fluid(Fluid&&) noexcept = default;

double Fluid::now() const { return state_->now; }

StreamId Fluid::add(const Stream& stream) {
  State::Live live;
  for (const auto& hop : stream.hops) live.shape.uses.push_back({hop.link.value(), hop.share});
  live.shape.cap = stream.rate_cap;
  live.left = live.bytes = stream.bytes;
  state_->streams.push_back(std::move(live));
  state_->dirty = true;
  ++state_->active;
  return StreamId(state_->streams.size() - 1);
}

void Fluid::reroute(StreamId stream, std::span<const topology::Hop> hops) {
  auto& uses = state_->streams[stream.index()].shape.uses;
  uses.clear();
  for (const auto& hop : hops) uses.push_back({hop.link.value(), hop.share});
  state_->dirty = true;
}

void Fluid::set_capacity(LinkId link, double bytes_per_second) {
  state_->capacities[link.index()] = bytes_per_second;
  state_->dirty = true;
}

std::span<const StreamId> Fluid::advance(double until) {
  State& state = *state_;
  state.solve();
  state.completed.clear();
  double first = std::numeric_limits<double>::infinity();
  for (const auto& stream : state.streams) {
    if (!stream.alive) continue;
    const bool instant = stream.left <= 0 || std::isinf(stream.rate);
    if (instant) first = 0;
    if (!instant && stream.rate > 0) first = std::min(first, stream.left / stream.rate);
  }
  if (std::isinf(first) && std::isinf(until)) return {};
  if (state.now + first > until) {
    state.run_for(until - state.now);
    state.now = until;
    return {};
  }
  // Completions that differ by rounding alone are one event (1e-12 of the time passed).
  const double slack = std::max(state.options.coalesce, (state.now + first) * 1e-12);
  std::vector<bool> done(state.streams.size());
  for (std::size_t s = 0; s < state.streams.size(); ++s) {
    const auto& stream = state.streams[s];
    done[s] = stream.alive && (stream.left <= 0 || std::isinf(stream.rate) ||
                               (stream.rate > 0 && stream.left / stream.rate <= first + slack));
  }
  state.run_for(first);
  for (std::size_t s = 0; s < state.streams.size(); ++s) {
    if (!done[s]) continue;
    auto& stream = state.streams[s];
    for (const auto& use : stream.shape.uses) state.carried[use.link] += use.weight * stream.left;
    stream.left = 0;
    stream.rate = 0;
    stream.alive = false;
    state.completed.emplace_back(s);
  }
  state.active -= state.completed.size();
  state.dirty = true;
  return state.completed;
}

std::size_t Fluid::active() const { return state_->active; }

double Fluid::rate(StreamId stream) {
  state_->solve();
  return state_->streams[stream.index()].rate;
}

double Fluid::carried(LinkId link) const { return state_->carried[link.index()]; }

LinkId Fluid::bottleneck(StreamId stream) {
  State& state = *state_;
  state.solve();
  const auto& target = state.streams[stream.index()];
  if (!target.alive) return LinkId::none();
  for (const auto& use : target.shape.uses) {
    double load = 0;
    double highest = 0;
    for (const auto& other : state.streams) {
      if (!other.alive) continue;
      for (const auto& u : other.shape.uses) {
        if (u.link != use.link) continue;
        load += u.weight * other.rate;
        highest = std::max(highest, other.rate);
      }
    }
    const bool full = load >= state.capacities[use.link] * (1 - 1e-9);
    if (full && target.rate >= highest * (1 - 1e-9)) return LinkId(use.link);
  }
  return LinkId::none();
}

std::string Fluid::describe() const { return fmt::format("max-min: {} full solves", state_->solves); }

}  // namespace railyard::sim
