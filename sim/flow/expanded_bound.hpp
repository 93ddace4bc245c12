#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "collectives/schedule/executor.hpp"
#include "collectives/schedule/schedule.hpp"

namespace railyard::sim {

/// An upper bound on the time of a schedule whose transfers are simulated one by one, relative to
/// its streams.
///
/// A pipeline forwards a chunk when its last byte has arrived. The longest chain of waits through k
/// chunks over H hops has k + H - 1 transfers. Each carries 1/k of a connection's bytes, at least
/// at its share of the most loaded link, so it takes at most T/k. A stream sends all its bytes in
/// T. So
///
///     expanded <= launch + alphas + (k + H - 1) T/k,    factor = (k + H - 1) / k
///
/// Example: a broadcast along 8 GPUs (H = 7) in two chunks takes up to (2 + 7 - 1) / 2 = 4 times as
/// long. In rings every transfer waits for at most one of the same connection: factor 1.
struct ExpandedBound {
  std::uint64_t chunks = 1;  ///< k
  std::uint64_t hops = 1;    ///< H
  [[nodiscard]] double factor() const {
    return static_cast<double>(chunks + hops - 1) / static_cast<double>(chunks);
  }
};

/// The largest bound of the pipelines of a schedule. Reads the transfers of one iteration.
[[nodiscard]] ExpandedBound expanded_bound(const collectives::Schedule& schedule);

/// Whether a schedule has rings or pipelines, which are simulated as streams by default.
[[nodiscard]] bool has_streams(const collectives::Schedule& schedule);

/// A note on the task whose two results differ most: how long it takes as streams, and why; "" if
/// no task has streams. Results are by task, of the same tasks.
[[nodiscard]] std::string compare_with_streams(std::span<const collectives::Task> tasks,
                                               const collectives::Run& expanded,
                                               const collectives::Run& streams);

}  // namespace railyard::sim
