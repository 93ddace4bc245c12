#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace railyard::sim::packet {

/// A growing first-in first-out ring buffer.
template <class T>
class Ring {
 public:
  [[nodiscard]] bool empty() const { return head_ == tail_; }
  [[nodiscard]] std::size_t size() const { return tail_ - head_; }
  [[nodiscard]] const T& front() const { return items_[head_ & mask()]; }
  [[nodiscard]] const T& back() const { return items_[(tail_ - 1) & mask()]; }
  /// Index 0 is the front.
  [[nodiscard]] const T& operator[](std::size_t i) const { return items_[(head_ + i) & mask()]; }
  [[nodiscard]] T& operator[](std::size_t i) { return items_[(head_ + i) & mask()]; }
  /// The number of items that were ever removed.
  [[nodiscard]] std::size_t popped() const { return head_; }
  /// The number of items that were ever added.
  [[nodiscard]] std::size_t pushed() const { return tail_; }
  void pop() { ++head_; }
  void push(const T& item) {
    if (tail_ - head_ == items_.size()) grow();
    items_[tail_++ & mask()] = item;
  }

 private:
  [[nodiscard]] std::size_t mask() const { return items_.size() - 1; }
  void grow() {
    std::vector<T> larger(std::max<std::size_t>(items_.size() * 2, 4));
    for (std::size_t i = head_; i != tail_; ++i)
      larger[i & (larger.size() - 1)] = items_[i & mask()];
    items_.swap(larger);
  }

  std::vector<T> items_;
  std::size_t head_ = 0, tail_ = 0;
};

}  // namespace railyard::sim::packet
