#include "sim/packet/events/event_sort.hpp"

#include <algorithm>
#include <bit>

namespace railyard::sim::packet {
namespace {

constexpr std::size_t kFew = 24;  // up to this number insertion sort is as fast

// Insertion sort, for short or nearly sorted ranges.
void insertion(Event* first, Event* last) {
  for (Event* at = first + 1; at < last; ++at) {
    const Event event = *at;
    Event* to = at;
    for (; to > first && event < to[-1]; --to) *to = to[-1];
    *to = event;
  }
}

}  // namespace

void EventSort::operator()(std::vector<Event>& events, std::int64_t begin, std::int64_t width) {
  if (events.size() < kFew) {
    if (events.size() > 1) insertion(events.data(), events.data() + events.size());
    return;
  }
  const auto bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(width)));
  const int shift = std::max(bits - 8, 0);
  const auto bin = [&](const Event& e) {
    return static_cast<std::size_t>((e.time - begin) >> shift);
  };
  ends_.fill(0);
  for (const Event& event : events) ++ends_[bin(event) + 1];
  for (std::size_t i = 1; i <= kBins; ++i) ends_[i] += ends_[i - 1];
  scratch_.resize(events.size());
  for (const Event& event : events) scratch_[ends_[bin(event)]++] = event;
  events.swap(scratch_);
  std::size_t first = 0;
  for (std::size_t b = 0; b < kBins; ++b) {
    const std::size_t end = ends_[b];
    if (end - first > kFew)
      std::sort(events.begin() + static_cast<std::ptrdiff_t>(first),
                events.begin() + static_cast<std::ptrdiff_t>(end));
    else if (end - first > 1)
      insertion(events.data() + first, events.data() + end);
    first = end;
  }
}

}  // namespace railyard::sim::packet
