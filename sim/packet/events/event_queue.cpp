#include "sim/packet/events/event_queue.hpp"

#include <bit>
#include <limits>

namespace railyard::sim::packet {
namespace {

constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();
constexpr int kNarrowest = 2, kWidest = 30;         // 4 ps to 1 ms
constexpr std::uint64_t kAdaptEvery = 1024;         // buckets
constexpr std::uint64_t kFewest = 64, kMost = 512;  // events per bucket
constexpr int kBins = 256;

}  // namespace

EventQueue::EventQueue() : buckets_(kBuckets), counts_(kBins + 1) {}

std::int64_t EventQueue::next_occupied() const {
  const std::size_t first = static_cast<std::size_t>(present_ + 1) & kMask;
  for (std::size_t step = 0; step <= kWords; ++step) {
    const std::size_t word = (first / 64 + step) % kWords;
    std::uint64_t bits = occupied_[word];
    if (step == 0) bits &= ~std::uint64_t{0} << (first % 64);
    if (step == kWords) bits &= (std::uint64_t{1} << (first % 64)) - 1;
    if (bits == 0) continue;
    const std::size_t slot = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
    return present_ + 1 + static_cast<std::int64_t>((slot - first) & kMask);
  }
  return kNone;
}

void EventQueue::take_from_far() {
  while (!far_.empty() && (far_.top().time >> width_log_) < present_ + kBuckets) {
    const Event event = far_.top();
    far_.pop();
    put(event.time >> width_log_, event);
  }
}

void EventQueue::open_next_bucket() {
  if (++opened_ % kAdaptEvery == 0) adapt();
  if (!near_.empty()) return;
  const std::int64_t far = far_.empty() ? kNone : far_.top().time >> width_log_;
  present_ = std::min(next_occupied(), far);
  take_from_far();
  const std::size_t slot = static_cast<std::size_t>(present_) & kMask;
  sorted_.clear();
  sorted_.swap(buckets_[slot]);
  occupied_[slot / 64] &= ~(std::uint64_t{1} << (slot % 64));
  at_ = 0;
  loaded_ += sorted_.size();
  sort_bucket();
}

// Distribution over bins of equal width, then insertion: linear for events that spread evenly.
void EventQueue::sort_bucket() {
  if (sorted_.size() < 24) {
    std::sort(sorted_.begin(), sorted_.end());
    return;
  }
  const int shift = std::max(width_log_ - 8, 0);
  const std::int64_t begin = present_ << width_log_;
  const auto bin = [&](const Event& e) {
    return static_cast<std::size_t>((e.time - begin) >> shift);
  };
  std::fill(counts_.begin(), counts_.end(), 0U);
  for (const Event& event : sorted_) ++counts_[bin(event) + 1];
  for (std::size_t i = 1; i < counts_.size(); ++i) counts_[i] += counts_[i - 1];
  scratch_.resize(sorted_.size());
  for (const Event& event : sorted_) scratch_[counts_[bin(event)]++] = event;
  sorted_.swap(scratch_);
  std::size_t begin_of_bin = 0;
  for (std::size_t b = 0; b < kBins; ++b) {
    const std::size_t end = counts_[b];
    if (end - begin_of_bin > 1)
      std::sort(sorted_.begin() + static_cast<std::ptrdiff_t>(begin_of_bin),
                sorted_.begin() + static_cast<std::ptrdiff_t>(end));
    begin_of_bin = end;
  }
}

// Too many events in a bucket, or many events pushed into the present one: narrower. Too few:
// wider.
void EventQueue::adapt() {
  const std::uint64_t per_bucket = loaded_ / kAdaptEvery;
  const bool many_late = late_ * 16 > loaded_;
  if ((per_bucket > kMost || (many_late && late_ > kAdaptEvery)) && width_log_ > kNarrowest)
    change_width(width_log_ - 1);
  else if (per_bucket < kFewest && late_ * 64 < loaded_ && width_log_ < kWidest)
    change_width(width_log_ + 1);
  late_ = loaded_ = 0;
}

void EventQueue::change_width(int width_log) {
  std::vector<Event> all;
  all.reserve(size_);
  for (auto& bucket : buckets_) {
    all.insert(all.end(), bucket.begin(), bucket.end());
    bucket.clear();
  }
  occupied_.fill(0);
  // The present bucket is empty here; its end, in buckets of the new width, is the new present.
  const std::int64_t end = (present_ + 1) << width_log_;
  width_log_ = width_log;
  present_ = (end >> width_log_) - 1;
  size_ -= all.size();
  const std::uint64_t late = late_;
  for (const Event& event : all) push(event);
  late_ = late;
  take_from_far();
}

}  // namespace railyard::sim::packet
