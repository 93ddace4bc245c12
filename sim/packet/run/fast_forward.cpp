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

/// For each loop of a channel: the number of places between the piece that its first iteration
/// sends and the piece that the iteration before it delivered. 0: the loop passes on the pieces of
/// the loop before.
std::vector<std::int64_t> turns_between(const Channel& channel) {
  std::vector<std::int64_t> turns;
  std::int64_t passed = 0;
  for (const Loop& loop : channel.loops) {
    const RingPattern& ring = *ring_of(loop);
    const auto length =
        static_cast<std::int64_t>(ring.ring_size == 0 ? ring.order.size() : ring.ring_size);
    if (turns.empty()) passed = ring.offset;
    turns.push_back((((ring.offset - passed) % length) + length) % length);
    passed = ring.offset + ring.shift * static_cast<std::int64_t>(loop.repeat);
  }
  return turns;
}

// A loop begins with the piece at which the loop before it ends: offset + shift * repeat.
Channel shorten(Channel channel, const FastForward& fast) {
  const std::vector<std::int64_t> turns = turns_between(channel);
  std::int64_t passed = 0;
  for (std::size_t l = 0; l < channel.loops.size(); ++l) {
    Loop& loop = channel.loops[l];
    auto& ring = std::get<RingPattern>(loop.steps.front().pattern);
    if (l > 0) ring.offset = passed + turns[l];
    loop.repeat = fast.iterations;
    passed = ring.offset + ring.shift * static_cast<std::int64_t>(loop.repeat);
    if (fast.sample != nullptr) ring = thinned(ring, *fast.sample);
  }
  return channel;
}

constexpr std::size_t kParts = Extrapolated::kParts;
/// The last simulated iterations, which are not measured because no transfers follow them.
constexpr std::size_t kDrain = 2;

/// The number of iterations of a part; 0 if too few are simulated.
std::size_t part_length(std::size_t simulated, std::size_t period) {
  const std::size_t left = simulated - std::max<std::size_t>(simulated / 4, 1) - kDrain;
  return left / kParts / period * period;
}

/// The places in the order of their rings, one ring after the other, and the index at which each
/// ring begins.
struct RingOrder {
  std::vector<std::uint32_t> places;
  std::vector<std::size_t> begins;  ///< the last entry is the number of places

  explicit RingOrder(const collectives::Step& step) {
    std::unordered_map<collectives::Participant, std::uint32_t> sends;
    const auto size = static_cast<std::uint32_t>(step.size());
    for (std::uint32_t place = 0; place < size; ++place) sends[step.at(place, 0).source] = place;
    std::vector<bool> is_known(size);
    for (std::uint32_t first = 0; first < size; ++first) {
      if (is_known[first]) continue;
      begins.push_back(places.size());
      for (std::uint32_t place = first; !is_known[place];
           place = sends.at(step.at(place, 0).destination)) {
        is_known[place] = true;
        places.push_back(place);
      }
    }
    begins.push_back(places.size());
  }
};

/// Measured times of the transfers of rings, and the ends that follow from them. Places count in
/// the order of the rings (RingOrder).
class RingTimes {
 public:
  RingTimes(std::span<const SimulatedTransfer> transfers, const FastForward& fast,
            const collectives::Step& step)
      : transfers_(transfers),
        simulated_(fast.sample != nullptr ? fast.sample->places() : step.size()),
        order_(step),
        end_(transfers.size() / simulated_ - kDrain),
        part_(part_length(end_ + kDrain, fast.period)),
        first_(end_ - kParts * part_),
        period_(fast.period) {
    before_.resize(places());
    for (std::size_t ring = 0; ring + 1 < order_.begins.size(); ++ring) {
      const auto first = static_cast<std::uint32_t>(order_.begins[ring]);
      const auto last = static_cast<std::uint32_t>(order_.begins[ring + 1] - 1);
      for (std::uint32_t p = first + 1; p <= last; ++p) before_[p] = p - 1;
      before_[first] = last;
    }
    if (fast.sample != nullptr)
      for (std::uint32_t& place : order_.places) place = fast.sample->place(place);
    for (std::size_t turn = 0; turn < period_; ++turn)
      for (std::size_t p = 0; p < places(); ++p) is_busy_.push_back(is_busy(p, turn));
  }

  /// The time at which `total` iterations end. The iterations that were not simulated take the mean
  /// times of all parts, or of one part.
  [[nodiscard]] Time finish(std::uint64_t total) const { return finish(total, first_, end_); }
  [[nodiscard]] Time finish(std::uint64_t total, std::size_t part) const {
    return finish(total, first_ + part * part_, first_ + (part + 1) * part_);
  }

 private:
  /// Mean times by place in one iteration of a period, ps: a and b of FastForward.
  struct Hops {
    std::vector<double> alone, behind;
  };

  [[nodiscard]] std::size_t places() const { return order_.places.size(); }
  [[nodiscard]] const SimulatedTransfer& at(std::size_t iteration, std::size_t place) const {
    return transfers_[iteration * simulated_ + order_.places[place]];
  }
  // Whether each transfer of a place was posted before the previous one had ended.
  [[nodiscard]] bool is_busy(std::size_t place, std::size_t turn) const {
    for (std::size_t i = first_ + turn; i < end_; i += period_)
      if (at(i, place).posted >= at(i - 1, place).end) return false;
    return true;
  }

  // By iteration of a period: the means over the iterations [from, to).
  [[nodiscard]] std::vector<Hops> mean_hops(std::size_t from, std::size_t to) const {
    std::vector<Hops> hops(period_);
    for (Hops& turn : hops) {
      turn.alone.resize(places());
      turn.behind.resize(places());
    }
    const double share = static_cast<double>(period_) / static_cast<double>(to - from);
    for (std::size_t i = from; i < to; ++i) {
      Hops& turn = hops[(i - from) % period_];
      for (std::size_t p = 0; p < places(); ++p) {
        const SimulatedTransfer& one = at(i, p);
        const bool busy = is_busy_[(i - from) % period_ * places() + p];
        const Time ready = at(i - 1, before_[p]).end;
        const Time a = (busy ? one.posted + one.alone : one.end) - ready;
        const Time b = busy ? one.end - at(i - 1, p).end : one.service;
        turn.alone[p] += share * static_cast<double>(a.picoseconds());
        turn.behind[p] += share * static_cast<double>(b.picoseconds());
      }
    }
    return hops;
  }

  // `from` lies a whole number of periods before end_, so the next iteration has turn 0.
  [[nodiscard]] Time finish(std::uint64_t total, std::size_t from, std::size_t to) const {
    const std::vector<Hops> hops = mean_hops(from, to);
    std::vector<double> ends(places()), next(places());
    for (std::size_t p = 0; p < places(); ++p)
      ends[p] = static_cast<double>(at(end_ - 1, p).end.picoseconds());
    std::size_t turn = 0;
    for (std::uint64_t i = end_; i < total; ++i) {
      advance(hops[turn], ends, next);
      ends.swap(next);
      if (++turn == period_) turn = 0;
    }
    return Time::picoseconds(std::llround(*std::max_element(ends.begin(), ends.end())));
  }

  // Computes the ends of the next iteration of all places.
  void advance(const Hops& hops, const std::vector<double>& ends, std::vector<double>& next) const {
    const double* const alone = hops.alone.data();
    const double* const behind = hops.behind.data();
    const double* const end = ends.data();
    double* const result = next.data();
    for (std::size_t ring = 0; ring + 1 < order_.begins.size(); ++ring) {
      const std::size_t first = order_.begins[ring], last = order_.begins[ring + 1];
      result[first] = std::max(end[last - 1] + alone[first], end[first] + behind[first]);
      for (std::size_t p = first + 1; p < last; ++p)
        result[p] = std::max(end[p - 1] + alone[p], end[p] + behind[p]);
    }
  }

  std::span<const SimulatedTransfer> transfers_;
  std::size_t simulated_;  ///< places
  RingOrder order_;        ///< with the simulated place of each
  std::vector<std::uint32_t> before_;
  std::vector<bool> is_busy_;
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
    parts.channels.push_back(shorten(channel, fast));
  }
  if (parts.channels.empty()) return std::nullopt;
  return collectives::Schedule(std::move(parts));
}

std::optional<RingSample> sample_of(const topology::Cluster& cluster, const PacketOptions& options,
                                    const RingNodes& nodes, const FastForward& fast) {
  std::size_t loops = 0;
  for (const Channel& channel : fast.whole->channels())
    loops = std::max(loops, channel.loops.size());
  // With each iteration a transfer depends on one place more.
  const std::uint64_t reach = (fast.iterations * loops + nodes.per_node() - 1) / nodes.per_node();
  const auto passes_on = [](const Channel& channel) {
    return std::ranges::all_of(turns_between(channel), [](std::int64_t turn) { return turn == 0; });
  };
  if (2 * reach > nodes.size() || !std::ranges::all_of(fast.whole->channels(), passes_on))
    return std::nullopt;
  const auto depth = static_cast<std::uint32_t>(reach);
  const std::vector<std::uint64_t> forms = nodes.forms(depth);
  for (const std::uint32_t turn : {1U, 2U}) {
    std::optional<RingSample> sample =
        choose_nodes(forms, {.per_node = nodes.per_node(), .reach = depth, .turn = turn});
    if (!sample) continue;
    const auto rings =
        shortened({.whole = fast.whole, .iterations = fast.iterations, .sample = &*sample});
    const auto sampled = rings ? RingNodes::of(cluster, options, *rings) : std::nullopt;
    if (!sampled || !has_forms(sampled->forms(depth), forms, *sample)) continue;
    sample->links = links_of(cluster, nodes, *sampled, *sample);
    sample->hops = static_cast<double>(nodes.hops()) / static_cast<double>(sampled->hops());
    return sample;
  }
  return std::nullopt;
}

Extrapolated extrapolated(const FastForward& fast, std::size_t channel,
                          std::span<const SimulatedTransfer> transfers) {
  const std::vector<Loop>& loops = fast.whole->channels()[channel].loops;
  std::uint64_t total = 0;
  for (const Loop& loop : loops) total += loop.repeat;
  const RingTimes ring(transfers, fast, loops.front().steps.front());
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
  // The error of f for e = 1 (least) and e = 1/2 (most), see Extrapolation.
  const double least = (of_parts - mean) / (kParts - 1);
  const double most = (of_parts - mean) / (std::sqrt(static_cast<double>(kParts)) - 1);
  const double half = (last.seconds() - mean) / 2;
  return {.finish = Time::from_seconds(mean + half - (least + most) / 2),
          .uncertainty = Time::from_seconds(2 * error + std::abs(most - least) / 2 + half)};
}

}  // namespace railyard::sim::packet
