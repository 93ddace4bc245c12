#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/huge_pages.hpp"
#include "sim/maxmin/flow_table.hpp"

namespace railyard::sim {

/// The finish times of streams, in an array by slot. While solves are local, a heap finds the next
/// completion; after dense solves a scan does. Heap entries are valid while they equal the array,
/// so none is deleted ("lazy deletion").
class CompletionQueue {
 public:
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  void set(Slot slot, double finish) {
    if (slot >= finish_.size()) {
      if (finish == kNever) return;
      finish_.resize(slot + 1, kNever);
    }
    finish_[slot] = finish;
    if (has_heap_ && finish < kNever) push(finish, slot);
  }
  [[nodiscard]] double finish(Slot slot) const {
    return slot < finish_.size() ? finish_[slot] : kNever;
  }
  void remove(Slot slot) {
    if (slot < finish_.size()) finish_[slot] = kNever;
  }
  /// Reserves memory for slots below `slots`.
  void reserve(std::size_t slots) {
    if (slots > finish_.size()) finish_.resize(slots, kNever);
  }
  /// Discards the heap; the next earliest() scans.
  void drop_heap() {
    has_heap_ = false;
    scans_ = 0;
  }
  /// The earliest finish of the live streams; kNever if none will end.
  [[nodiscard]] double earliest(std::span<const Slot> live);
  /// Appends the live streams that finish by `limit`.
  void take_until(double limit, std::span<const Slot> live, std::vector<Slot>& out);

 private:
  struct Entry {
    double finish;
    Slot slot;
  };
  void push(double finish, Slot slot);
  void build_heap(std::span<const Slot> live);
  [[nodiscard]] bool is_valid(const Entry& entry) const {
    return finish_[entry.slot] == entry.finish;
  }

  LargeVector<double> finish_;
  std::vector<Entry> heap_;
  bool has_heap_ = false;
  std::uint32_t scans_ = 0;  ///< since the heap was discarded
};

}  // namespace railyard::sim
