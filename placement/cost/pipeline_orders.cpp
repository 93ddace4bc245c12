#include "placement/cost/pipeline_orders.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <utility>

namespace railyard::placement {
namespace {

using Slots = std::vector<PipelineSlot>;

/// Megatron-LM's order of (micro-batch, chunk of the rank): `ranks` micro-batches pass the first
/// chunk, then the next chunk, and so on.
std::vector<std::pair<int, int>> interleaved_order(const Pipeline& p) {
  std::vector<std::pair<int, int>> order;
  for (int first = 0; first < p.micro_batches; first += p.ranks)
    for (int v = 0; v < p.interleave; ++v)
      for (int i = first; i < std::min(first + p.ranks, p.micro_batches); ++i)
        order.emplace_back(i, v);
  return order;
}

/// Number of forward passes before a rank's first backward pass.
int warm_up(const Pipeline& p, int rank, int passes) {
  if (p.schedule == PipelineSchedule::gpipe) return passes;
  const int deep = p.interleave > 1 ? 2 * (p.ranks - rank - 1) + (p.interleave - 1) * p.ranks
                                    : p.ranks - rank - 1;
  return std::min(deep, passes);
}

Slots one_way(const Pipeline& p, int rank) {
  const auto order = interleaved_order(p);
  const auto passes = static_cast<int>(order.size());
  const bool split = p.schedule == PipelineSchedule::zero_bubble;
  Slots slots;
  const auto forward = [&](int i) {
    const auto [micro_batch, v] = order[static_cast<std::size_t>(i)];
    slots.push_back({.work = {rank + v * p.ranks, micro_batch, 'F'}});
  };
  const auto backward = [&](int i) {
    const auto [micro_batch, v] = order[static_cast<std::size_t>(i)];
    const int chunk = rank + (p.interleave - 1 - v) * p.ranks;
    slots.push_back({.work = {chunk, micro_batch, 'B', split}});
  };
  int weights = 0;
  const auto weight = [&] { slots.push_back({.work = {rank, weights++, 'W'}}); };
  const int warm = warm_up(p, rank, passes);
  for (int i = 0; i < warm; ++i) forward(i);
  for (int i = 0; i < passes; ++i) {
    if (warm + i < passes) forward(warm + i);
    backward(i);
    if (split && i >= rank) weight();
  }
  while (split && weights < passes) weight();
  return slots;
}

/// The order of one rank with DualPipe. Micro-batches enter at both ends; kNear is the direction
/// from the end that is nearer to this rank, kFar the other.
class DualOrder {
 public:
  DualOrder(const Pipeline& p, int rank)
      : p_(p), rank_(rank), depth_(std::min(rank, p.ranks - 1 - rank)), half_(p.ranks / 2) {}

  Slots make() {
    const int inner = half_ - depth_ - 1;
    repeat(2 * inner, [&](int) { alone(forward(kNear)); });
    repeat(depth_ + 1, [&](int) {
      alone(forward(kNear));
      alone(forward(kFar));
    });
    repeat(inner, [&](int) {
      alone(backward(kFar, true));
      weight();
      alone(forward(kFar));
    });
    repeat(p_.micro_batches / 2 - p_.ranks + depth_ + 1, [&](int i) { steady(i == 0); });
    repeat(inner, [&](int) {
      alone(backward(kFar, false));
      both(forward(kFar), backward(kNear, false));
    });
    // The second half of these leaves weight gradients to separate passes.
    const int late = depth_ + 1;
    repeat(2 * late, [&](int i) { alone(backward(i % 2 == 0 ? kFar : kNear, i >= late)); });
    repeat(inner, [&](int) {
      weight();
      alone(backward(kNear, true));
    });
    while (!waiting_.empty()) weight();
    return std::move(slots_);
  }

 private:
  enum Way : std::size_t { kNear = 0, kFar = 1 };

  template <typename F>
  static void repeat(int times, F&& f) {
    for (int i = 0; i < times; ++i) f(i);
  }

  /// A forward pass of one direction together with a backward pass of the other, for both
  /// directions. The two ranks in the middle have no backward pass yet when they begin.
  void steady(bool first) {
    if (first && depth_ == half_ - 1) {
      alone(forward(kNear));
      alone(backward(kFar, false));
    } else {
      both(forward(kNear), backward(kFar, false));
    }
    both(forward(kFar), backward(kNear, false));
  }

  /// A pass of the i-th micro-batch of a direction, on this rank's chunk for that direction.
  [[nodiscard]] PipelineWork work(Way way, int i, char kind, bool split) const {
    const bool from_first = (way == kNear) == (rank_ < half_);
    return {.chunk = from_first ? rank_ : p_.ranks - 1 - rank_,
            .micro_batch = i + (from_first ? 0 : p_.micro_batches / 2),
            .kind = kind,
            .split = split};
  }
  PipelineWork forward(Way way) { return work(way, forwards_[way]++, 'F', false); }
  PipelineWork backward(Way way, bool split) {
    PipelineWork backward = work(way, backwards_[way]++, 'B', split);
    if (split) waiting_.push_back({backward.chunk, backward.micro_batch, 'W'});
    return backward;
  }
  void alone(const PipelineWork& one) { slots_.push_back({.work = one}); }
  void both(const PipelineWork& one, const PipelineWork& other) {
    slots_.push_back({.work = one, .beside = other});
  }
  void weight() {
    slots_.push_back({.work = waiting_.front()});
    waiting_.pop_front();
  }

  const Pipeline& p_;
  int rank_, depth_, half_;
  std::array<int, 2> forwards_{}, backwards_{};
  std::deque<PipelineWork> waiting_{};  ///< passes of weight gradients that were put off
  Slots slots_{};
};

}  // namespace

std::vector<PipelineSlot> rank_order(const Pipeline& p, int rank) {
  return p.schedule == PipelineSchedule::dualpipe ? DualOrder(p, rank).make() : one_way(p, rank);
}

}  // namespace railyard::placement
