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

  /// Reserves memory for additional streams with `hops` hops in total. Saves time and memory if
  /// many streams start together.
  void reserve(std::size_t streams, std::size_t hops);
  /// Starts a stream now. A stream without hops or bytes completes at now(), in the next advance().
  StreamId add(const Stream& stream);
  /// Starts sets of streams now, each with one id (consecutive; the first is returned). Returns
  /// nothing, and starts nothing, if other streams run, if folding is off, or if an equitable
  /// partition (maxmin/symmetric_partition.hpp) does not prove that the streams of each set always
  /// have equal rates. The caller then adds them one by one. Until all have completed, no other
  /// stream may start and no capacity or path may change (std::logic_error). A set completes as
  /// one; rate() is that of each of its streams. Throws std::logic_error for an inconsistent set.
  std::optional<StreamId> add_symmetric(std::span<const SymmetricStreams> sets);
  /// Moves an active stream to another path (after a failure). Bytes already sent count.
  void reroute(StreamId stream, std::span<const topology::Hop> hops);
  /// Changes the capacity of a link. 0 stops the streams that cross it.
  void set_capacity(LinkId link, double bytes_per_second);

  /// Advances to the next completions, but not beyond `until` (seconds). Returns the completed
  /// streams in id order; empty if there is no completion by `until`. If no stream moves, now()
  /// becomes `until`, or does not change if `until` is infinite. The span is valid until the next
  /// call.
  std::span<const StreamId> advance(double until = std::numeric_limits<double>::infinity());

  [[nodiscard]] std::size_t active() const;
  /// The rate in B/s; 0 for completed streams. Solves first if something changed.
  [[nodiscard]] double rate(StreamId stream);
  /// Bytes that a link has carried up to now().
  [[nodiscard]] double carried(LinkId link) const;
  /// The bottleneck link of a stream; none() if its cap limits it, or if it has completed.
  [[nodiscard]] LinkId bottleneck(StreamId stream);
  /// The number of the current solution. Rates and bottlenecks change only together with it. Solves
  /// first if something changed.
  [[nodiscard]] std::uint64_t solution();
  /// Counts of the solution methods, for provenance; and as text ("max-min: 3 full, 12 local,
  /// ...").
  [[nodiscard]] FluidCounts counts() const;
  [[nodiscard]] std::string describe() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace railyard::sim
