#pragma once

#include <cstddef>
#include <cstdlib>
#include <limits>
#include <new>
#include <sys/mman.h>
#include <vector>

namespace railyard {

/// Allocator for arrays of many megabytes: from 2 MiB on they begin on a 2 MiB boundary and the
/// kernel is asked to back their whole multiples of it by huge pages (madvise(2), MADV_HUGEPAGE;
/// where it cannot, nothing changes). An array that is filled once then costs one page fault per 2
/// MiB instead of 512, which is most of the cost of small simulations with many streams.
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
    if (bytes < kHuge) return static_cast<T*>(::operator new(bytes));
    void* memory = nullptr;
    if (posix_memalign(&memory, kHuge, bytes) != 0) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
    (void)madvise(memory, bytes / kHuge * kHuge, MADV_HUGEPAGE);
#endif
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) noexcept {
    if (count * sizeof(T) < kHuge) {
      ::operator delete(memory);
    } else {
      std::free(memory);
    }
  }
  friend bool operator==(const HugePages&, const HugePages&) { return true; }

 private:
  static constexpr std::size_t kHuge = std::size_t{2} << 20;
};

/// A vector that may become large.
template <typename T>
using LargeVector = std::vector<T, HugePages<T>>;

/// Makes room for `more` elements; at least doubles what there was, so that repeated calls stay
/// cheap.
template <typename T>
void make_room(LargeVector<T>& vector, std::size_t more) {
  const std::size_t wanted = vector.size() + more;
  if (wanted > vector.capacity())
    vector.reserve(wanted > 2 * vector.capacity() ? wanted : 2 * vector.capacity());
}

}  // namespace railyard
