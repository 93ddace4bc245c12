#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace railyard::sim {

/// A class of streams or links, as a hash of its properties. The probability that two different
/// classes collide is below n²/2^64 (5e-6 for ten million streams).
using Colour = std::uint64_t;

/// Finaliser of SplitMix64 (Steele, Lea, Flood 2014): every input bit reaches every output bit.
[[nodiscard]] constexpr Colour mix(Colour x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

[[nodiscard]] inline Colour of_double(double value) {
  return mix(std::bit_cast<std::uint64_t>(value) + 0x9e3779b97f4a7c15ULL);
}

/// Numbers colours 0, 1, ... in order of first appearance (open addressing).
class Numbering {
 public:
  /// Numbers at most `most` colours.
  explicit Numbering(std::size_t most) : most_(most), slots_(64, Entry{0, kFree}) {}
  /// Sets `out` to the number of a colour. False if there would be more than `most` colours.
  bool number(Colour colour, std::uint32_t& out) {
    if (colour == last_ && count_ > 0) {  // most colours equal the previous one
      out = last_number_;
      return true;
    }
    Entry* entry = &find(colour);
    if (entry->number == kFree) {
      if (count_ == most_) return false;
      if (count_ * std::size_t{2} >= slots_.size()) {
        grow();
        entry = &find(colour);
      }
      *entry = {colour, count_++};
    }
    out = last_number_ = entry->number;
    last_ = colour;
    return true;
  }
  [[nodiscard]] std::uint32_t count() const { return count_; }

 private:
  struct Entry {
    Colour colour;
    std::uint32_t number;
  };
  static constexpr std::uint32_t kFree = ~std::uint32_t{0};

  Entry& find(Colour colour) {
    std::size_t at = colour & (slots_.size() - 1);
    while (slots_[at].number != kFree && slots_[at].colour != colour)
      at = (at + 1) & (slots_.size() - 1);
    return slots_[at];
  }
  void grow() {
    std::vector<Entry> old(slots_.size() * 4, Entry{0, kFree});
    old.swap(slots_);
    for (const Entry& entry : old) {
      if (entry.number != kFree) find(entry.colour) = entry;
    }
  }

  std::size_t most_;
  std::vector<Entry> slots_;
  std::uint32_t count_ = 0;
  Colour last_ = 0;
  std::uint32_t last_number_ = 0;
};

}  // namespace railyard::sim
