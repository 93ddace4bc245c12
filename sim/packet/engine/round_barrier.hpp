#pragma once

#include <atomic>
#include <cstdint>

namespace railyard::sim::packet {

/// Where threads wait for each other, again and again. They look some microseconds for the last one
/// before they sleep: rounds of small networks are that short.
class RoundBarrier {
 public:
  explicit RoundBarrier(std::uint32_t threads) : threads_(threads) {}

  /// Returns when all threads have called it. What they wrote before is visible to each of them.
  void wait() {
    const std::uint32_t round = round_.load(std::memory_order_relaxed);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
      arrived_.store(0, std::memory_order_relaxed);
      round_.fetch_add(1, std::memory_order_release);
      round_.notify_all();
      return;
    }
    for (int look = 0; look < kLooks; ++look)
      if (round_.load(std::memory_order_acquire) != round) return;
    while (round_.load(std::memory_order_acquire) == round)
      round_.wait(round, std::memory_order_acquire);
  }

 private:
  static constexpr int kLooks = 4000;
  const std::uint32_t threads_;
  alignas(64) std::atomic<std::uint32_t> arrived_{0};
  alignas(64) std::atomic<std::uint32_t> round_{0};
};

}  // namespace railyard::sim::packet
