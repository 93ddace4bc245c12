#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collectives/schedule/schedule.hpp"

namespace railyard::sim {

/// The transfers of some loops of a channel, numbered in schedule order (loops, iterations, steps,
/// position) without being stored. The loops must outlive it.
class TransferSequence {
 public:
  explicit TransferSequence(std::span<const collectives::Loop> loops);

  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// The transfer with that number, in O(log loops + steps of a loop).
  [[nodiscard]] collectives::Transfer operator[](std::uint64_t number) const;

  /// Calls visit(step, iteration, number of the step's first transfer) for every step, in order.
  template <class Visit>
  void for_each_step(Visit&& visit) const {
    std::uint64_t number = 0;
    for (const auto& loop : loops_)
      for (std::uint64_t k = 0; k < loop.repeat; ++k)
        for (const auto& step : loop.steps) {
          visit(step, k, number);
          number += step.size();
        }
  }

 private:
  std::span<const collectives::Loop> loops_;
  std::vector<std::uint64_t> first_;      ///< number of each loop's first transfer
  std::vector<std::uint64_t> body_size_;  ///< transfers of one iteration
  std::uint64_t size_ = 0;
};

}  // namespace railyard::sim
