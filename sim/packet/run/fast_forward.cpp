#include "sim/packet/run/fast_forward.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <unordered_map>
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

constexpr std::size_t kParts = Extrapolated::kParts;
/// Simulated iterations at the end that nothing follows.
constexpr std::size_t kDrain = 2;

/// Iterations of a part where so many are simulated.
std::size_t part_length(std::size_t simulated, std::size_t period) {
  const std::size_t left = simulated - std::max<std::size_t>(simulated / 4, 1) - kDrain;
  return left / kParts / period * period;
}

/// By place: the one whose transfers those of the place wait for.
std::vector<std::size_t> places_before(const collectives::Step& step) {
  std::vector<std::size_t> sends_to(step.size()), before(step.size());
  std::unordered_map<collectives::Participant, std::size_t> receives;
  for (std::size_t place = 0; place < step.size(); ++place)
    receives[step.at(static_cast<std::uint32_t>(place), 0).destination] = place;
  for (std::size_t place = 0; place < step.size(); ++place)
    before[place] = receives.at(step.at(static_cast<std::uint32_t>(place), 0).source);
  return before;
}

/// The transfers of a ring that were simulated, and what follows from them.
class RingTimes {
 public:
  RingTimes(std::span<const SimulatedTransfer> transfers, const collectives::Step& step,
            std::size_t period)
      : transfers_(transfers),
        before_(places_before(step)),
        end_(transfers.size() / step.size() - kDrain),
        part_(part_length(end_ + kDrain, period)),
        first_(end_ - kParts * part_),
        period_(period) {}

  /// When `total` iterations end, those that are left with the mean times of all parts, or of one.
  [[nodiscard]] Time finish(std::uint64_t total) const { return finish(total, first_, end_); }
  [[nodiscard]] Time finish(std::uint64_t total, std::size_t part) const {
    return finish(total, first_ + part * part_, first_ + (part + 1) * part_);
  }

 private:
  /// Times of a place in one iteration of a period, ps.
  struct Hop {
    double alone = 0, behind = 0;
  };

  [[nodiscard]] const SimulatedTransfer& at(std::size_t iteration, std::size_t place) const {
    return transfers_[iteration * before_.size() + place];
  }
  // Whether all transfers of a place were posted before the one before them had ended.
  [[nodiscard]] bool is_busy(std::size_t place) const {
    for (std::size_t i = first_; i < end_; ++i)
      if (at(i, place).posted >= at(i - 1, place).end) return false;
    return true;
  }

  // By iteration of a period and place, the means over [from, to).
  [[nodiscard]] std::vector<Hop> mean_hops(std::size_t from, std::size_t to) const {
    const std::size_t places = before_.size();
    std::vector<Hop> hops(period_ * places);
    const double share = static_cast<double>(period_) / static_cast<double>(to - from);
    for (std::size_t p = 0; p < places; ++p) {
      const bool busy = is_busy(p);
      for (std::size_t i = from; i < to; ++i) {
        const SimulatedTransfer& one = at(i, p);
        const Time ready = at(i - 1, before_[p]).end;
        const Time a = (busy ? one.posted + one.alone : one.end) - ready;
        const Time b = busy ? one.end - at(i - 1, p).end : one.service;
        Hop& hop = hops[(i - from) % period_ * places + p];
        hop.alone += share * static_cast<double>(a.picoseconds());
        hop.behind += share * static_cast<double>(b.picoseconds());
      }
    }
    return hops;
  }

  // `from` is whole periods before end_, so turn 0 is the next one.
  [[nodiscard]] Time finish(std::uint64_t total, std::size_t from, std::size_t to) const {
    const std::size_t places = before_.size();
    const std::vector<Hop> hops = mean_hops(from, to);
    std::vector<double> ends(places), next(places);
    for (std::size_t p = 0; p < places; ++p)
      ends[p] = static_cast<double>(at(end_ - 1, p).end.picoseconds());
    std::size_t turn = 0;
    for (std::uint64_t i = end_; i < total; ++i) {
      const Hop* hop = &hops[turn * places];
      for (std::size_t p = 0; p < places; ++p)
        next[p] = std::max(ends[before_[p]] + hop[p].alone, ends[p] + hop[p].behind);
      ends.swap(next);
      if (++turn == period_) turn = 0;
    }
    return Time::picoseconds(std::llround(*std::max_element(ends.begin(), ends.end())));
  }

  std::span<const SimulatedTransfer> transfers_;
  std::vector<std::size_t> before_;
  std::size_t end_, part_, first_, period_;  ///< iterations; those from first_ to end_ give times
};

}  // namespace

void UncertaintyTrend::add(std::uint64_t iterations, double bound) {
  if (count_++ > 0) {
    const double growth = static_cast<double>(iterations) / static_cast<double>(iterations_);
    power_ = std::clamp(std::log(bound_ / bound) / std::log(growth), 0.5, 1.0);
  }
  iterations_ = iterations;
  bound_ = bound;
}

std::uint64_t UncertaintyTrend::enough() const {
  constexpr double kNever = 1e18;
  const double times = std::pow(bound_ / FastForward::kBound, 1 / power_);
  return static_cast<std::uint64_t>(
      std::min(kNever, std::ceil(static_cast<double>(iterations_) * std::max(2.0, times))));
}

std::uint64_t UncertaintyTrend::next() const { return count_ == 1 ? 2 * iterations_ : enough(); }

std::size_t period_of(const topology::Cluster& cluster, const collectives::Schedule& schedule) {
  std::size_t period = 1;
  const auto node = [&](collectives::Participant participant) {
    return cluster.device(schedule.device(cluster, participant)).node;
  };
  for (const Channel& channel : schedule.channels()) {
    if (channel.loops.empty() || ring_of(channel.loops.front()) == nullptr) return 1;
    const collectives::Step& step = channel.loops.front().steps.front();
    std::size_t leaving = 0;
    for (std::uint32_t place = 0; place < step.size(); ++place) {
      const collectives::Transfer transfer = step.at(place, 0);
      if (node(transfer.source) != node(transfer.destination)) ++leaving;
    }
    if (leaving > 0) period = std::max(period, step.size() / leaving);
  }
  return period;
}

std::uint64_t first_iterations(const FastForward& fast) {
  std::uint64_t iterations = FastForward::kFirst;
  for (const Channel& channel : fast.whole->channels())
    while (part_length(iterations * channel.loops.size(), fast.period) == 0) ++iterations;
  return iterations;
}

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
                          std::span<const SimulatedTransfer> transfers) {
  const std::vector<Loop>& loops = fast.whole->channels()[channel].loops;
  std::uint64_t total = 0;
  for (const Loop& loop : loops) total += loop.repeat;
  const RingTimes ring(transfers, loops.front().steps.front(), fast.period);
  Extrapolated result{.finish = ring.finish(total), .parts = {}};
  for (std::size_t part = 0; part < kParts; ++part) result.parts[part] = ring.finish(total, part);
  return result;
}

Extrapolation combined(std::span<const Extrapolated> channels) {
  const auto count = static_cast<double>(channels.size());
  Time last;
  double mean = 0;
  std::array<double, kParts> parts{};
  for (const Extrapolated& channel : channels) {
    last = std::max(last, channel.finish);
    mean += channel.finish.seconds() / count;
    for (std::size_t p = 0; p < kParts; ++p) parts[p] += channel.parts[p].seconds() / count;
  }
  double of_parts = 0, squares = 0;
  for (const double part : parts) of_parts += part / kParts;
  for (const double part : parts) squares += (part - of_parts) * (part - of_parts);
  const double error = std::sqrt(squares / (kParts - 1) / kParts);
  const double bias = (of_parts - mean) / (kParts - 1);
  return {.finish = Time::from_seconds(last.seconds() - bias),
          .uncertainty = Time::from_seconds(2 * error + std::abs(bias) + (last.seconds() - mean))};
}

}  // namespace railyard::sim::packet
