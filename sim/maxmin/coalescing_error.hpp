#pragma once

#include <algorithm>

namespace railyard::sim {

/// What merging completions (FluidOptions::coalesce) took off. A stream that
/// ends with the batch of an earlier one leaves bytes unsent; the run is the
/// exact one of streams that are so much shorter. That bounds the error
/// whatever the rates do: each stream is at most `bytes` short, and ends at
/// most `seconds` before it would have ended at the rate that it had.
struct CoalescingError {
  double seconds = 0;  ///< the most of any stream
  double bytes = 0;    ///< the most of any stream
  double total_seconds =
      0;  ///< the most of each batch, summed: the end of the longest chain of them

  void add_batch(const CoalescingError& batch) {
    seconds = std::max(seconds, batch.seconds);
    bytes = std::max(bytes, batch.bytes);
    total_seconds += batch.seconds;
  }
  /// Of one batch: a stream that would have gone on for `left` seconds at
  /// `rate`.
  void add_stream(double left, double rate) {
    if (!(left > 0) || !(rate > 0)) return;
    seconds = std::max(seconds, left);
    bytes = std::max(bytes, left * rate);
  }
  /// Of runs one after the other.
  void append(const CoalescingError& other) {
    seconds = std::max(seconds, other.seconds);
    bytes = std::max(bytes, other.bytes);
    total_seconds += other.total_seconds;
  }
  /// Of runs that have nothing to do with each other.
  void put_beside(const CoalescingError& other) {
    seconds = std::max(seconds, other.seconds);
    bytes = std::max(bytes, other.bytes);
    total_seconds = std::max(total_seconds, other.total_seconds);
  }
};

}  // namespace railyard::sim
