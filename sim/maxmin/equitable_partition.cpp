#include "sim/maxmin/equitable_partition.hpp"

#include <algorithm>
#include <bit>

namespace railyard::sim {

namespace {

using Colour = std::uint64_t;

/// Finaliser of SplitMix64 (Steele, Lea, Flood 2014): every input bit reaches every output bit.
constexpr Colour mix(Colour x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

Colour of_double(double value) {
  return mix(std::bit_cast<std::uint64_t>(value) + 0x9e3779b97f4a7c15ULL);
}

/// Numbers colours 0, 1, ... in order of first appearance (open addressing).
class Numbering {
 public:
  /// Room for `most` colours.
  explicit Numbering(std::size_t most)
      : most_(most), slots_(std::bit_ceil(most * 2 + 2), Entry{0, kFree}) {}
  /// False once there are more colours than fit.
  bool number(Colour colour, std::uint32_t& out) {
    std::size_t at = colour & (slots_.size() - 1);
    while (slots_[at].number != kFree && slots_[at].colour != colour)
      at = (at + 1) & (slots_.size() - 1);
    if (slots_[at].number == kFree) {
      if (count_ == most_) return false;
      slots_[at] = {colour, count_++};
    }
    out = slots_[at].number;
    return true;
  }
  [[nodiscard]] std::uint32_t count() const { return count_; }

 private:
  struct Entry {
    Colour colour;
    std::uint32_t number;
  };
  static constexpr std::uint32_t kFree = ~std::uint32_t{0};
  std::size_t most_;
  std::vector<Entry> slots_;
  std::uint32_t count_ = 0;
};

class Refinement {
 public:
  Refinement(const FlowTable& table, std::span<const double> bytes, std::size_t most)
      : table_(table),
        most_(most),
        stream_(table.live().size()),
        link_(table.link_count(), 0),
        sum_(table.link_count(), 0) {
    const auto live = table.live();
    double last_bytes = -1;  // most are equal
    double last_cap = -1;
    Colour colour = 0;
    for (std::size_t i = 0; i < live.size(); ++i) {
      if (bytes[live[i]] != last_bytes || table.cap(live[i]) != last_cap) {
        last_bytes = bytes[live[i]];
        last_cap = table.cap(live[i]);
        colour = mix(of_double(last_bytes) + of_double(last_cap));
      }
      stream_[i] = colour;
      for (const LinkIndex link : table.links(live[i])) {
        if (link_[link] != 0) continue;
        link_[link] = of_double(table.capacity[link]) | 1U;
        used_.push_back(link);
      }
    }
  }

  /// False if there would be too many classes.
  bool run() {
    std::uint32_t streams = 0;
    std::uint32_t links = 0;
    while (true) {
      sweep();
      Numbering stream_numbers(most_);
      std::uint32_t ignored = 0;
      for (const Colour colour : stream_) {
        if (!stream_numbers.number(colour, ignored)) return false;
      }
      Numbering link_numbers(used_.size());
      for (const LinkIndex link : used_) link_numbers.number(link_[link], ignored);
      if (stream_numbers.count() == streams && link_numbers.count() == links) return true;
      streams = stream_numbers.count();
      links = link_numbers.count();
    }
  }

  [[nodiscard]] Quotient quotient() const;

 private:
  /// Streams take in their links' colours, then links their streams' new ones. Sums do not depend
  /// on the order of what is summed.
  void sweep() {
    const auto live = table_.live();
    for (std::size_t i = 0; i < live.size(); ++i) {
      const auto links = table_.links(live[i]);
      const double* const weights = table_.weights(live[i]);
      Colour sum = stream_[i];
      for (std::size_t h = 0; h < links.size(); ++h) {
        sum += weights == nullptr ? link_[links[h]] : mix(link_[links[h]] ^ of_double(weights[h]));
      }
      stream_[i] = mix(sum);
      for (std::size_t h = 0; h < links.size(); ++h) {
        sum_[links[h]] += weights == nullptr ? stream_[i] : mix(stream_[i] ^ of_double(weights[h]));
      }
    }
    for (const LinkIndex link : used_) {
      link_[link] = mix(link_[link] + sum_[link]);
      sum_[link] = 0;
    }
  }

  const FlowTable& table_;
  std::size_t most_;
  LargeVector<Colour> stream_;      // by index into live()
  std::vector<Colour> link_, sum_;  // by link; 0: not crossed
  std::vector<LinkIndex> used_;
};

Quotient Refinement::quotient() const {
  Quotient result;
  const auto live = table_.live();
  result.class_of_slot.assign(table_.slot_count(), kUnheld);
  Numbering streams(most_);
  for (std::size_t i = 0; i < live.size(); ++i) {
    std::uint32_t number = 0;
    streams.number(stream_[i], number);
    if (number == result.representative.size()) result.representative.push_back(live[i]);
    result.class_of_slot[live[i]] = number;
  }
  result.class_of_link.assign(table_.link_count(), kUnheld);
  std::vector<std::uint8_t> stands_for(table_.link_count(), 0);
  Numbering links(used_.size());
  for (const LinkIndex link : used_) {
    std::uint32_t number = 0;
    links.number(link_[link], number);
    result.class_of_link[link] = number;
    if (number < result.capacities.size()) continue;
    stands_for[link] = 1;
    result.capacities.push_back(table_.capacity[link]);
  }
  result.hops.resize(result.representative.size());
  for (const Slot slot : live) {
    const auto crossed = table_.links(slot);
    const double* const weights = table_.weights(slot);
    auto& hops = result.hops[result.class_of_slot[slot]];
    for (std::size_t h = 0; h < crossed.size(); ++h) {
      if (stands_for[crossed[h]] == 0) continue;
      const LinkId link(result.class_of_link[crossed[h]]);
      const double weight = weights == nullptr ? 1.0 : weights[h];
      const auto same =
          std::find_if(hops.begin(), hops.end(), [&](const auto& hop) { return hop.link == link; });
      if (same == hops.end()) {
        hops.push_back({link, weight});
      } else {
        same->share += weight;
      }
    }
  }
  result.links = used_;
  return result;
}

}  // namespace

std::optional<Quotient> equitable_partition(const FlowTable& table,
                                            std::span<const double> bytes_by_slot,
                                            std::size_t most) {
  Refinement refinement(table, bytes_by_slot, most);
  if (!refinement.run()) return std::nullopt;
  return refinement.quotient();
}

}  // namespace railyard::sim
