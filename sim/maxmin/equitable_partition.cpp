#include "sim/maxmin/equitable_partition.hpp"

#include <algorithm>
#include <numeric>

#include "sim/maxmin/colour.hpp"

namespace railyard::sim {

namespace {

// With fewer streams a refinement is as fast as a sample.
constexpr std::size_t kFewestToSample = 2048;

class Refinement {
 public:
  Refinement(const FlowTable& table, std::span<const double> bytes, std::size_t most)
      : table_(table),
        most_(most),
        stream_(table.live().size()),
        link_(table.link_count()),
        sum_(table.link_count(), 0) {
    const auto live = table.live();
    double last = -1;  // most streams have the same size
    Colour colour = 0;
    for (std::size_t i = 0; i < live.size(); ++i) {
      if (bytes[live[i]] != last) {
        is_uniform_ = i == 0;
        last = bytes[live[i]];
        colour = of_double(last);
      }
      stream_[i] = colour;
    }
    last = -1;
    for (std::size_t link = 0; link < link_.size(); ++link) {
      if (table.capacity[link] != last) {
        last = table.capacity[link];
        colour = of_double(last);
      }
      link_[link] = colour;
    }
  }

  /// Refines until no class splits. Returns false if there would be too many classes.
  bool run() {
    std::uint32_t streams = 0;
    std::uint32_t links = 0;
    if (!is_uniform_ && !count(streams, links)) return false;  // the classes by size alone
    while (true) {
      if (sample_is_diverse()) return false;
      table_.is_weighted() ? sweep<true>() : sweep<false>();
      recolour_links();
      const std::uint32_t streams_before = streams;
      const std::uint32_t links_before = links;
      if (!count(streams, links)) return false;
      if (streams == streams_before && links == links_before) return true;
    }
  }

  [[nodiscard]] Quotient quotient() const;

 private:
  /// The colour of stream i after the next sweep.
  template <bool kWeighted>
  [[nodiscard]] Colour next_colour(std::size_t i) const {
    const Slot slot = table_.live()[i];
    const auto links = table_.links(slot);
    const double* const weights = kWeighted ? table_.weights(slot) : nullptr;
    Colour colour = stream_[i];
    for (std::size_t h = 0; h < links.size(); ++h)
      colour += kWeighted ? mix(link_[links[h]] ^ of_double(weights[h])) : link_[links[h]];
    return mix(colour);
  }

  /// Whether a sample of the streams indicates that the next sweep would find too many classes. If
  /// n streams have at most n/8 classes, a sample of n/16 streams has about 8/10 as many classes as
  /// streams at most.
  [[nodiscard]] bool sample_is_diverse() const {
    const std::size_t count = stream_.size();
    if (count < kFewestToSample) return false;
    const std::size_t size = std::max(kFewestToSample / 4, count / 16);
    std::size_t step = count / 8 * 5 + 1;  // unlikely to match a period in the order of streams
    while (std::gcd(step, count) != 1) ++step;
    std::vector<Colour> colours(size);
    for (std::size_t i = 0, at = 0; i < size; ++i, at = (at + step) % count)
      colours[i] = table_.is_weighted() ? next_colour<true>(at) : next_colour<false>(at);
    std::sort(colours.begin(), colours.end());
    const auto different = std::unique(colours.begin(), colours.end()) - colours.begin();
    return static_cast<std::size_t>(different) * 10 > size * 9;
  }

  /// Combines the colours of streams with those of their links, and sums the new colours of streams
  /// by link. Sums do not depend on the order of their terms.
  template <bool kWeighted>
  void sweep() {
    const auto live = table_.live();
    Colour* const sums = sum_.data();
    for (std::size_t i = 0; i < live.size(); ++i) {
      const auto links = table_.links(live[i]);
      const double* const weights = kWeighted ? table_.weights(live[i]) : nullptr;
      const Colour colour = next_colour<kWeighted>(i);
      stream_[i] = colour;
      for (std::size_t h = 0; h < links.size(); ++h) {
        sums[links[h]] += kWeighted ? mix(colour ^ of_double(weights[h])) : colour;
      }
    }
  }

  void recolour_links() {
    if (used_.empty()) {  // the first sweep: links that streams cross have a sum
      for (LinkIndex link = 0; link < sum_.size(); ++link) {
        if (sum_[link] != 0) used_.push_back(link);
      }
    }
    for (const LinkIndex link : used_) {
      link_[link] = mix(link_[link] + sum_[link]);
      sum_[link] = 0;
    }
  }

  /// Counts the colours. Returns false if streams have too many.
  bool count(std::uint32_t& streams, std::uint32_t& links) const {
    Numbering stream_numbers(most_);
    std::uint32_t ignored = 0;
    for (const Colour colour : stream_) {
      if (!stream_numbers.number(colour, ignored)) return false;
    }
    Numbering link_numbers(used_.size());
    for (const LinkIndex link : used_) link_numbers.number(link_[link], ignored);
    streams = stream_numbers.count();
    links = link_numbers.count();
    return true;
  }

  const FlowTable& table_;
  std::size_t most_;
  LargeVector<Colour> stream_;      // by index into live()
  std::vector<Colour> link_, sum_;  // by link; a sum of 0: not crossed
  std::vector<LinkIndex> used_;
  bool is_uniform_ = true;  ///< all streams have equal bytes
};

Quotient Refinement::quotient() const {
  Quotient result;
  const auto live = table_.live();
  result.class_of_slot.assign(table_.slot_count(), kNoLink);
  std::vector<double> streams;  // by class
  Numbering numbers(most_);
  for (std::size_t i = 0; i < live.size(); ++i) {
    std::uint32_t number = 0;
    numbers.number(stream_[i], number);
    if (number == streams.size()) {
      result.representative.push_back(live[i]);
      streams.push_back(0);
    }
    ++streams[number];
    result.class_of_slot[live[i]] = number;
  }
  number_links(result, table_.capacity, link_, used_);
  result.hops.resize(streams.size());
  for (std::size_t c = 0; c < streams.size(); ++c) {
    const Slot slot = result.representative[c];
    const auto crossed = table_.links(slot);
    const double* const weights = table_.weights(slot);
    for (std::size_t h = 0; h < crossed.size(); ++h) {
      add_class_hop(result, c, result.class_of_link[crossed[h]],
                    streams[c] * (weights == nullptr ? 1.0 : weights[h]));
    }
  }
  share_out(result);
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
