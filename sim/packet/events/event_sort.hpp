#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/packet/events/event.hpp"

namespace railyard::sim::packet {

/// Sorts the events of one window of time: distributes them over bins of equal width, then sorts by
/// insertion. Linear time if events are spread evenly.
class EventSort {
 public:
  /// Every event must be in [begin, begin + width).
  void operator()(std::vector<Event>& events, std::int64_t begin, std::int64_t width);

 private:
  static constexpr std::size_t kBins = 256;
  std::vector<Event> scratch_;
  std::array<std::uint32_t, kBins + 1> ends_{};
};

}  // namespace railyard::sim::packet
