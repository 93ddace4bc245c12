#pragma once

#include <iosfwd>
#include <span>

#include "collectives/schedule/executor.hpp"
#include "collectives/workload/workload_result.hpp"

namespace railyard::sim {

/// Writes a run's timeline as Chrome trace JSON (ui.perfetto.dev, chrome://tracing reads it), event
/// by event: one track per TimelineEvent::track with spans in microseconds, and a counter in GB/s
/// per "load: ..." track. The process of a track is what stands before " / ".
void write_trace(std::ostream& out, const collectives::Run& run);

/// The same for events and arrows between tracks (flow events of the format).
void write_trace(std::ostream& out, std::span<const collectives::TimelineEvent> events,
                 std::span<const collectives::TimelineArrow> arrows);

}  // namespace railyard::sim
