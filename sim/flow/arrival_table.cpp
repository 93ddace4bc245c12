#include "sim/flow/arrival_table.hpp"

#include <algorithm>
#include <cstddef>

namespace railyard::sim {

void ArrivalTable::gates(collectives::Participant participant, std::uint64_t first,
                         std::uint64_t end, std::vector<Gate>& out) const {
  const auto& ranges = ranges_[participant];
  const auto begin = static_cast<std::ptrdiff_t>(out.size());
  auto it = std::upper_bound(ranges.begin(), ranges.end(), first,
                             [](std::uint64_t chunk, const Range& r) { return chunk < r.end; });
  for (; it != ranges.end() && it->first < end; ++it)
    if (std::find(out.begin() + begin, out.end(), it->gate) == out.end()) out.push_back(it->gate);
}

void ArrivalTable::cut(collectives::Participant participant, std::uint64_t first,
                       std::uint64_t end) {
  const auto& ranges = ranges_[participant];
  auto it = std::upper_bound(ranges.begin(), ranges.end(), first,
                             [](std::uint64_t chunk, const Range& r) { return chunk < r.end; });
  cut_.clear();
  cut_begin_ = static_cast<std::size_t>(it - ranges.begin());
  std::uint64_t cursor = first;
  for (; it != ranges.end() && it->first < end; ++it) {
    if (it->first < cursor) cut_.push_back({it->first, cursor, it->gate});
    if (cursor < it->first) cut_.push_back({cursor, it->first, kNoGate});
    const std::uint64_t from = std::max(cursor, it->first);
    cursor = std::min(end, it->end);
    cut_.push_back({from, cursor, it->gate});
    if (cursor < it->end) cut_.push_back({cursor, it->end, it->gate});
  }
  if (cursor < end) cut_.push_back({cursor, end, kNoGate});
  cut_end_ = static_cast<std::size_t>(it - ranges.begin());
}

void ArrivalTable::paste(collectives::Participant participant) {
  auto& ranges = ranges_[participant];
  std::size_t kept = 0;
  for (std::size_t i = 1; i < cut_.size(); ++i) {
    if (cut_[kept].gate == cut_[i].gate && cut_[kept].end == cut_[i].first)
      cut_[kept].end = cut_[i].end;
    else
      cut_[++kept] = cut_[i];
  }
  cut_.resize(kept + 1);
  const auto at = [&](std::size_t i) { return ranges.begin() + static_cast<std::ptrdiff_t>(i); };
  const std::size_t common = std::min(cut_end_ - cut_begin_, cut_.size());
  std::copy_n(cut_.begin(), common, at(cut_begin_));
  if (cut_.size() > common)
    ranges.insert(at(cut_begin_ + common), cut_.begin() + static_cast<std::ptrdiff_t>(common),
                  cut_.end());
  else
    ranges.erase(at(cut_begin_ + common), at(cut_end_));
}

}  // namespace railyard::sim
