#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/packet/events/event.hpp"

namespace railyard::sim::packet {

/// Sorts events of one window of time: distribution over bins of equal width, then insertion.
/// Linear for events that spread evenly.
class EventSort {
 public:
  /// Every event lies in [begin, begin + width).
  void operator()(std::vector<Event>& events, std::int64_t begin, std::int64_t width);

 private:
  static constexpr std::size_t kBins = 256;
  std::vector<Event> scratch_;
  std::array<std::uint32_t, kBins + 1> ends_{};
};

}  // namespace railyard::sim::packet
