#pragma once

#include <cstddef>
#include <iosfwd>
#include <span>

#include "collectives/schedule/executor.hpp"
#include "collectives/workload/workload_result.hpp"

namespace railyard::sim {

/// Writes a run's timeline as Chrome trace JSON (for ui.perfetto.dev and chrome://tracing), event
/// by event: one track per TimelineEvent::track with spans in microseconds, and a counter in GB/s
/// per "load: ..." track. The process of a track is the text before " / ".
///
/// If there are more than `most` spans, the longest are written. "otherData" contains the number of
/// the others, which is returned. Viewers need some 100 bytes per span: half a million make 60 MB.
inline constexpr std::size_t kMostSpans = 500'000;
std::size_t write_trace(std::ostream& out, const collectives::Run& run,
                        std::size_t most = kMostSpans);

/// The same for events and arrows between tracks (flow events of the format).
std::size_t write_trace(std::ostream& out, std::span<const collectives::TimelineEvent> events,
                        std::span<const collectives::TimelineArrow> arrows,
                        std::size_t most = kMostSpans);

}  // namespace railyard::sim
