#include "sim/packet/fast_forward.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <variant>

namespace railyard::sim::packet {
namespace {

using collectives::Channel;
using collectives::Coupling;
using collectives::Loop;
using collectives::RingPattern;

const RingPattern* ring_of(const Loop& loop) {
  if (loop.coupling != Coupling::ring || loop.steps.size() != 1) return nullptr;
  return std::get_if<RingPattern>(&loop.steps.front().pattern);
}

bool is_same_order(const collectives::RankOrder& a, const collectives::RankOrder& b) {
  if (a.size() != b.size()) return false;
  for (std::uint32_t place = 0; place < a.size(); ++place)
    if (a[place] != b[place]) return false;
  return true;
}

bool is_same_ring(const RingPattern& a, const RingPattern& b) {
  return is_same_order(a.order, b.order) && a.shift == b.shift && a.ring_size == b.ring_size &&
         a.ring_stride == b.ring_stride && a.chunks == b.chunks &&
         a.pieces_are_ranks == b.pieces_are_ranks;
}

bool is_steady(const Channel& channel, std::uint64_t iterations) {
  const auto is_long = [&](const Loop& loop) {
    return loop.repeat > FastForward::kLeast * iterations;
  };
  if (!std::all_of(channel.loops.begin(), channel.loops.end(), is_long)) return false;
  const RingPattern* first = channel.loops.empty() ? nullptr : ring_of(channel.loops.front());
  return first != nullptr &&
         std::all_of(channel.loops.begin(), channel.loops.end(), [&](const Loop& loop) {
           return ring_of(loop) != nullptr && is_same_ring(*ring_of(loop), *first);
         });
}

// A loop passes on what the last iteration of the loop before brought. Where that one ends after
// fewer iterations, this one begins with the piece that it ends with: offset + shift * (fewer).
Channel shorten(Channel channel, std::uint64_t iterations) {
  std::int64_t left_out = 0;
  for (Loop& loop : channel.loops) {
    if (auto* ring = std::get_if<RingPattern>(&loop.steps.front().pattern)) {
      const auto length =
          static_cast<std::int64_t>(ring->ring_size == 0 ? ring->order.size() : ring->ring_size);
      ring->offset -= ring->shift * (left_out % length);
    }
    left_out += static_cast<std::int64_t>(loop.repeat - iterations);
    loop.repeat = iterations;
  }
  return channel;
}

/// Of all places over `period` iterations.
struct Growth {
  std::size_t period = 0;
  Time least, most;
  [[nodiscard]] double spread() const {
    return (most - least).seconds() / static_cast<double>(period);
  }
};

/// When the transfers of some iterations of a loop ended.
struct Ends {
  std::span<const Time> all;
  std::size_t places;
  [[nodiscard]] std::size_t iterations() const { return all.size() / places; }
  [[nodiscard]] std::span<const Time> of(std::size_t iteration) const {
    return all.subspan(iteration * places, places);
  }
  [[nodiscard]] Time latest(std::size_t iteration) const {
    return *std::max_element(of(iteration).begin(), of(iteration).end());
  }
};

Growth growth_between(std::span<const Time> before, std::span<const Time> after,
                      std::size_t period) {
  Growth growth{.period = period, .least = Time::never(), .most = {}};
  for (std::size_t place = 0; place < after.size(); ++place) {
    growth.least = std::min(growth.least, after[place] - before[place]);
    growth.most = std::max(growth.most, after[place] - before[place]);
  }
  return growth;
}

// How much later `left` more iterations end than iteration `last`. With n whole periods among them
// and q iterations beyond: last - p + q, and n + 1 periods more.
Extrapolated growth_of(const Ends& ends, std::size_t last, std::uint64_t left) {
  Growth best;
  for (std::size_t p = 1; p <= last; ++p) {
    const Growth one = growth_between(ends.of(last - p), ends.of(last), p);
    if (best.period == 0 || one.spread() < best.spread()) best = one;
  }
  const std::size_t in_phase = last - best.period + left % best.period;
  const auto periods = static_cast<double>(left / best.period + 1);
  const double grown = periods * (best.least + best.most).seconds() / 2;
  return {.finish = ends.latest(in_phase) + Time::from_seconds(grown) - ends.latest(last),
          .uncertainty = Time::from_seconds(periods * (best.most - best.least).seconds() / 2)};
}

}  // namespace

void Tries::add(std::uint64_t iterations, double bound) {
  if (count_++ > 0) {
    const double growth = static_cast<double>(iterations) / static_cast<double>(iterations_);
    power_ = std::clamp(std::log(bound_ / bound) / std::log(growth), 0.0, 1.0);
  }
  iterations_ = iterations;
  bound_ = bound;
}

std::uint64_t Tries::enough() const {
  constexpr double kNever = 1e18;
  const double times = std::pow(bound_ / FastForward::kBound, 1 / power_);
  return static_cast<std::uint64_t>(
      std::min(kNever, std::ceil(static_cast<double>(iterations_) * std::max(2.0, times))));
}

std::uint64_t Tries::next() const { return count_ == 1 ? 2 * iterations_ : enough(); }

std::optional<collectives::Schedule> shortened(const FastForward& fast) {
  const collectives::Schedule& whole = *fast.whole;
  collectives::Schedule::Parts parts;
  parts.algorithm = whole.algorithm();
  parts.protocol = whole.protocol();
  parts.collective = whole.collective();
  parts.group = {std::shared_ptr<const collectives::Group>(), &whole.group()};
  parts.reducers.assign(whole.reducers().begin(), whole.reducers().end());
  for (const Channel& channel : whole.channels()) {
    if (!is_steady(channel, fast.iterations)) return std::nullopt;
    parts.channels.push_back(shorten(channel, fast.iterations));
  }
  if (parts.channels.empty()) return std::nullopt;
  return collectives::Schedule(std::move(parts));
}

Extrapolated extrapolated(const FastForward& fast, std::size_t channel,
                          std::span<const Time> ends) {
  Extrapolated result{.finish = *std::max_element(ends.begin(), ends.end()), .uncertainty = {}};
  std::size_t begin = 0;
  for (const Loop& loop : fast.whole->channels()[channel].loops) {
    const std::size_t places = loop.steps.front().size();
    const Ends of_loop{ends.subspan(begin, fast.iterations * places), places};
    // Up to the last iteration but one: nothing follows the last one that would share its links.
    const Extrapolated more =
        growth_of(of_loop, of_loop.iterations() - 2, loop.repeat - fast.iterations);
    result.finish += more.finish;
    result.uncertainty += more.uncertainty;
    begin += fast.iterations * places;
  }
  return result;
}

}  // namespace railyard::sim::packet
