#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <new>
#include <sys/mman.h>
#include <vector>

namespace railyard {

/// Allocator for arrays of many megabytes. It requests huge pages of 2 MiB (madvise(2),
/// MADV_HUGEPAGE); if the kernel has none, ordinary pages are used. The first write to the array
/// then causes one page fault per 2 MiB instead of 512. These faults would be most of the run time
/// of a small simulation with many streams. The last part of an array, if it fills less than half
/// of a huge page, uses small pages.
template <typename T>
class HugePages {
 public:
  using value_type = T;

  HugePages() = default;
  template <typename U>
  HugePages(const HugePages<U>&) noexcept {}  // NOLINT: containers rebind their allocator

  [[nodiscard]] T* allocate(std::size_t count) {
    if (count > std::numeric_limits<std::size_t>::max() / 2 / sizeof(T))
      throw std::bad_array_new_length();
    const std::size_t bytes = count * sizeof(T);
    if (bytes < kLeast) return static_cast<T*>(::operator new(bytes));
    const std::size_t whole = bytes / kHuge * kHuge;
    const std::size_t huge = bytes - whole > kHuge / 2 ? whole + kHuge : whole;
    void* memory = nullptr;
    if (posix_memalign(&memory, kHuge, std::max(bytes, huge)) != 0) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
    (void)madvise(memory, huge, MADV_HUGEPAGE);
#endif
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) noexcept {
    if (count * sizeof(T) < kLeast) {
      ::operator delete(memory);
    } else {
      std::free(memory);
    }
  }
  friend bool operator==(const HugePages&, const HugePages&) { return true; }

 private:
  static constexpr std::size_t kHuge = std::size_t{2} << 20;
  static constexpr std::size_t kLeast = kHuge / 8 * 7;  // from this size on, at most 1/7 is wasted
};

/// A vector that may become large.
template <typename T>
using LargeVector = std::vector<T, HugePages<T>>;

/// Reserves room for `more` elements. The capacity at least doubles when it grows, so that repeated
/// calls take amortised constant time per element.
template <typename T>
void make_room(LargeVector<T>& vector, std::size_t more) {
  const std::size_t wanted = vector.size() + more;
  if (wanted > vector.capacity())
    vector.reserve(wanted > 2 * vector.capacity() ? wanted : 2 * vector.capacity());
}

}  // namespace railyard
