#pragma once

#include <iosfwd>

#include "collectives/schedule/executor.hpp"

namespace railyard::sim {

/// Writes a run's timeline as Chrome trace JSON (ui.perfetto.dev, chrome://tracing reads it), event
/// by event: one track per TimelineEvent::track with spans in microseconds, and a counter in GB/s
/// per "load: ..." track. The process of a track is what stands before " / ".
void write_trace(std::ostream& out, const collectives::Run& run);

}  // namespace railyard::sim
