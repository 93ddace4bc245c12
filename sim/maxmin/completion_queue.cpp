#include "sim/maxmin/completion_queue.hpp"

#include <algorithm>

namespace railyard::sim {

namespace {
// Building a heap costs about as much as this many scans.
constexpr std::uint32_t kScansBeforeHeap = 4;
constexpr auto kLater = [](const auto& a, const auto& b) {
  return a.finish != b.finish ? a.finish > b.finish : a.slot > b.slot;
};
}  // namespace

void CompletionQueue::push(double finish, Slot slot) {
  heap_.push_back({finish, slot});
  std::push_heap(heap_.begin(), heap_.end(), kLater);
}

void CompletionQueue::build_heap(std::span<const Slot> live) {
  heap_.clear();
  for (const Slot slot : live) {
    if (finish(slot) < kNever) heap_.push_back({finish(slot), slot});
  }
  std::make_heap(heap_.begin(), heap_.end(), kLater);
  has_heap_ = true;
}

double CompletionQueue::earliest(std::span<const Slot> live) {
  if (has_heap_ && heap_.size() > 4 * live.size() + 64) build_heap(live);  // most entries are stale
  if (!has_heap_ && scans_ >= kScansBeforeHeap) build_heap(live);
  if (has_heap_) {
    while (!heap_.empty() && !is_valid(heap_.front())) {
      std::pop_heap(heap_.begin(), heap_.end(), kLater);
      heap_.pop_back();
    }
    return heap_.empty() ? kNever : heap_.front().finish;
  }
  ++scans_;
  double first = kNever;
  for (const Slot slot : live) first = std::min(first, finish(slot));
  return first;
}

void CompletionQueue::take_until(double limit, std::span<const Slot> live, std::vector<Slot>& out) {
  if (!has_heap_) {
    for (const Slot slot : live) {
      if (finish(slot) <= limit) out.push_back(slot);
    }
    return;
  }
  while (!heap_.empty() && heap_.front().finish <= limit) {
    const Entry entry = heap_.front();
    std::pop_heap(heap_.begin(), heap_.end(), kLater);
    heap_.pop_back();
    if (!is_valid(entry)) continue;
    out.push_back(entry.slot);
    finish_[entry.slot] = kNever;  // so that a second entry with the same time is not a second
                                   // completion
  }
}

}  // namespace railyard::sim
