#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/maxmin/fluid_counts.hpp"
#include "sim/maxmin/stream.hpp"

namespace railyard::sim {

/// The fluid model of a network: streams share links max-min fairly (MaxMinSolver has the
/// equations), and rates change only when a stream starts or ends or a capacity changes. Streams
/// limited by the same full link have equal rates, whatever their weights on it. Deterministic;
/// single-threaded.
///
/// Example: two streams of 10 and 30 bytes on one link of 2 B/s. Both run at 1 B/s until 10 s, when
/// the first ends; the other has 20 bytes left, runs at 2 B/s and ends at 20 s.
class Fluid {
 public:
  /// Capacity in B/s by LinkId.
  explicit Fluid(std::vector<double> capacities, FluidOptions options = {});
  ~Fluid();
  Fluid(Fluid&&) noexcept;

  [[nodiscard]] double now() const;  ///< seconds

  /// Makes room for so many more streams with so many hops in all: saves time and memory where many
  /// start at once.
  void reserve(std::size_t streams, std::size_t hops);
  /// Starts a stream now. One without hops, or without bytes, completes at the next advance, now.
  StreamId add(const Stream& stream);
  /// Starts sets of streams now, each under one number (the first is returned, the others follow).
  /// Returns nothing, and starts nothing, where other streams run, where folding is off, or where
  /// it is not certain that the streams of each set have equal rates at all times: that is proven
  /// by an equitable partition, never assumed (maxmin/symmetric_partition.hpp). The caller then
  /// adds them one by one. Until all have completed no other stream may start and no capacity or
  /// way may change (std::logic_error). A set completes as one; rate() is that of each of its
  /// streams. Throws std::logic_error for a set that contradicts itself.
  std::optional<StreamId> add_symmetric(std::span<const SymmetricStreams> sets);
  /// Gives a stream that has not completed another way (after a failure); what was sent stays sent.
  void reroute(StreamId stream, std::span<const topology::Hop> hops);
  /// A capacity of 0 stops the streams that cross the link.
  void set_capacity(LinkId link, double bytes_per_second);

  /// Advances to the next completions, but not beyond `until` (seconds). Returns what completed, in
  /// id order; empty when `until` came first (or nothing is left that moves: now() is then `until`,
  /// or unchanged if that is infinite). The span is valid until the next call.
  std::span<const StreamId> advance(double until = std::numeric_limits<double>::infinity());

  [[nodiscard]] std::size_t active() const;
  /// Rate in B/s; solves first if something changed. 0 for completed streams.
  [[nodiscard]] double rate(StreamId stream);
  /// Bytes that a link has carried up to now().
  [[nodiscard]] double carried(LinkId link) const;
  /// Which link holds the stream back now; none() for its cap or a completed stream.
  [[nodiscard]] LinkId bottleneck(StreamId stream);
  /// Number of the present solution; solves first if something changed. Rates and bottlenecks
  /// change with it alone.
  [[nodiscard]] std::uint64_t solution();
  /// How it was solved, for provenance; and as text ("max-min: 3 full, 12 local, ...").
  [[nodiscard]] FluidCounts counts() const;
  [[nodiscard]] std::string describe() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace railyard::sim
