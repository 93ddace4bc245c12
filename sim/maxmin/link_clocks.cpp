#include "sim/maxmin/link_clocks.hpp"

#include <algorithm>

namespace railyard::sim {

namespace {
constexpr double kEnded = -1;
constexpr auto kLater = [](const auto& a, const auto& b) {
  return a.finish != b.finish ? a.finish > b.finish : a.slot > b.slot;
};
}  // namespace

void LinkClocks::grow() {
  clock_.resize(table_.link_count(), 0.0);
  next_.resize(table_.link_count(), kNever);
  heap_.resize(table_.link_count());
}

void LinkClocks::start(Slot slot, double left) {
  const LinkIndex link = table_.state[slot].bottleneck;
  if (slot >= finish_.size()) finish_.resize(slot + 1, kEnded);
  finish_[slot] = clock_[link] + left;
  push(link, {finish_[slot], slot});
}

void LinkClocks::move(Slot slot, LinkIndex from, LinkIndex to) {
  const double left = std::max(0.0, finish_[slot] - clock_[from]);
  finish_[slot] = clock_[to] + left;
  push(to, {finish_[slot], slot});
  drop_stale(from);
}

void LinkClocks::end(Slot slot) {
  finish_[slot] = kEnded;
  drop_stale(table_.state[slot].bottleneck);
}

double LinkClocks::left(Slot slot) const {
  return std::max(0.0, finish_[slot] - clock_[table_.state[slot].bottleneck]);
}

void LinkClocks::push(LinkIndex link, Entry entry) {
  auto& heap = heap_[link];
  heap.push_back(entry);
  std::push_heap(heap.begin(), heap.end(), kLater);
  drop_stale(link);
}

void LinkClocks::drop_stale(LinkIndex link) {
  auto& heap = heap_[link];
  while (!heap.empty() && !is_valid(link, heap.front())) {
    std::pop_heap(heap.begin(), heap.end(), kLater);
    heap.pop_back();
  }
  next_[link] = heap.empty() ? kNever : heap.front().finish;
}

double LinkClocks::seconds_to(LinkIndex link, double level) const {
  const double left = next_[link] - clock_[link];
  if (left <= 0) return 0;
  return level > 0 ? left / level : kNever;
}

void LinkClocks::advance(std::span<const LinkIndex> links, std::span<const double> levels,
                         double seconds) {
  for (const LinkIndex link : links) {
    if (levels[link] < kNever) clock_[link] += levels[link] * seconds;
  }
}

double LinkClocks::next(std::span<const LinkIndex> links, std::span<const double> levels) const {
  double first = kNever;
  for (const LinkIndex link : links) {
    if (levels[link] < kNever) first = std::min(first, seconds_to(link, levels[link]));
  }
  return first;
}

CoalescingError LinkClocks::take_until(std::span<const LinkIndex> links,
                                       std::span<const double> levels, double first, double seconds,
                                       std::vector<Slot>& out) {
  CoalescingError early;
  for (const LinkIndex link : links) {
    if (!(levels[link] < kNever)) continue;
    while (next_[link] < kNever) {
      const double wait = seconds_to(link, levels[link]);
      if (wait > seconds) break;
      early.add_stream(wait - first, levels[link]);
      out.push_back(heap_[link].front().slot);
      end(out.back());
    }
  }
  return early;
}

}  // namespace railyard::sim
