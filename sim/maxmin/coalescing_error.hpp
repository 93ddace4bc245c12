#pragma once

#include <algorithm>

namespace railyard::sim {

/// The error of merged completions (FluidOptions::coalesce). A stream that ends early, with the
/// batch of another stream, leaves bytes unsent; the run is exact for streams shortened by these
/// bytes. Each stream is short by at most `bytes`, and ends at most `seconds` before it would have
/// ended at its last rate.
struct CoalescingError {
  double seconds = 0;  ///< largest of all streams
  double bytes = 0;    ///< largest of all streams
  /// Sum over batches of the largest value: the bound for a chain of batches.
  double total_seconds = 0;

  void add_batch(const CoalescingError& batch) {
    seconds = std::max(seconds, batch.seconds);
    bytes = std::max(bytes, batch.bytes);
    total_seconds += batch.seconds;
  }
  /// Adds a stream to a batch; it would have continued for `left` seconds at `rate`.
  void add_stream(double left, double rate) {
    if (!(left > 0) || !(rate > 0)) return;
    seconds = std::max(seconds, left);
    bytes = std::max(bytes, left * rate);
  }
  /// Adds the error of a run that follows this one.
  void append(const CoalescingError& other) {
    seconds = std::max(seconds, other.seconds);
    bytes = std::max(bytes, other.bytes);
    total_seconds += other.total_seconds;
  }
  /// Adds the error of an independent run.
  void put_beside(const CoalescingError& other) {
    seconds = std::max(seconds, other.seconds);
    bytes = std::max(bytes, other.bytes);
    total_seconds = std::max(total_seconds, other.total_seconds);
  }
};

}  // namespace railyard::sim
