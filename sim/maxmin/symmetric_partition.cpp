#include "sim/maxmin/symmetric_partition.hpp"

#include <fmt/core.h>

#include <stdexcept>

namespace railyard::sim {

namespace {

class AlikeRefinement {
 public:
  AlikeRefinement(std::span<const SymmetricStreams> sets, std::span<const double> weights,
                  std::span<const double> capacities)
      : sets_(sets), weights_(weights), capacities_(capacities), sum_(capacities.size(), 0) {
    for (const SymmetricStreams& set : sets) set_.push_back(of_double(set.bytes));
    for (const double capacity : capacities) link_.push_back(of_double(capacity));
    std::vector<bool> seen(capacities.size(), false);
    for (const SymmetricStreams& set : sets) {
      for (const Crossing& crossing : set.crossings) {
        if (seen[crossing.link.index()]) continue;
        seen[crossing.link.index()] = true;
        used_.push_back(crossing.link.value());
      }
    }
  }

  /// False if the links of a leg differ.
  bool run() {
    std::uint32_t sets = 0;
    std::uint32_t links = 0;
    while (true) {
      if (!sweep()) return false;
      const std::uint32_t sets_before = sets;
      const std::uint32_t links_before = links;
      sets = count(set_);
      links = count_links();
      if (sets == sets_before && links == links_before) break;
    }
    return sweep();  // one more sweep of the legs, with the final colours
  }

  [[nodiscard]] Quotient quotient() const;

 private:
  /// The colour of a crossing's link, combined with the weight if weights differ.
  [[nodiscard]] Colour seen_from(std::size_t crossing, LinkId link) const {
    const Colour colour = link_[link.index()];
    return weights_.empty() ? colour : mix(colour ^ of_double(weights_[crossing]));
  }

  bool sweep() {
    std::size_t first = 0;  // index of the set's first crossing among all crossings
    for (std::size_t s = 0; s < sets_.size(); ++s) {
      if (!recolour(s, first)) return false;
      const auto crossings = sets_[s].crossings;
      for (std::size_t i = 0; i < crossings.size(); ++i) {
        const Colour seen =
            weights_.empty() ? set_[s] : mix(set_[s] ^ of_double(weights_[first + i]));
        sum_[crossings[i].link.index()] += seen * crossings[i].streams;
      }
      first += crossings.size();
    }
    for (const LinkIndex link : used_) {
      link_[link] = mix(link_[link] + sum_[link]);
      sum_[link] = 0;
    }
    return true;
  }

  bool recolour(std::size_t set, std::size_t first) {
    const SymmetricStreams& alike = sets_[set];
    Colour colour = set_[set];
    std::size_t i = 0;
    for (const std::uint32_t end : alike.leg_ends) {
      const Colour leg = seen_from(first + i, alike.crossings[i].link);
      for (++i; i < end; ++i) {
        if (seen_from(first + i, alike.crossings[i].link) != leg) return false;
      }
      colour += leg;
    }
    set_[set] = mix(colour);
    return true;
  }

  [[nodiscard]] std::uint32_t count(std::span<const Colour> colours) const {
    Numbering numbers(colours.size());
    std::uint32_t ignored = 0;
    for (const Colour colour : colours) numbers.number(colour, ignored);
    return numbers.count();
  }
  [[nodiscard]] std::uint32_t count_links() const {
    Numbering numbers(used_.size());
    std::uint32_t ignored = 0;
    for (const LinkIndex link : used_) numbers.number(link_[link], ignored);
    return numbers.count();
  }

  std::span<const SymmetricStreams> sets_;
  std::span<const double> weights_;
  std::span<const double> capacities_;
  std::vector<Colour> set_;         // by set
  std::vector<Colour> link_, sum_;  // by link
  std::vector<LinkIndex> used_;
};

Quotient AlikeRefinement::quotient() const {
  Quotient result;
  Numbering numbers(sets_.size());
  number_links(result, capacities_, link_, used_);
  std::size_t first = 0;
  for (std::size_t s = 0; s < sets_.size(); ++s) {
    const SymmetricStreams& set = sets_[s];
    std::uint32_t number = 0;
    numbers.number(set_[s], number);
    if (number == result.representative.size()) {
      result.representative.push_back(static_cast<Slot>(s));
      result.hops.emplace_back();
    }
    result.class_of_slot.push_back(number);
    std::size_t i = 0;
    for (const std::uint32_t end : set.leg_ends) {
      const double weight = weights_.empty() ? 1.0 : weights_[first + i];
      add_class_hop(result, number, result.class_of_link[set.crossings[i].link.index()],
                    weight * static_cast<double>(set.streams));
      i = end;
    }
    first += set.crossings.size();
  }
  share_out(result);
  return result;
}

/// Throws std::logic_error for an inconsistent set, which is a mistake of the caller.
void check(const SymmetricStreams& set) {
  std::size_t i = 0;
  for (const std::uint32_t end : set.leg_ends) {
    std::uint64_t streams = 0;
    if (end <= i || end > set.crossings.size()) throw std::logic_error("a leg without links");
    for (; i < end; ++i) streams += set.crossings[i].streams;
    if (streams != set.streams)
      throw std::logic_error(
          fmt::format("{} of {} streams cross the links of a leg", streams, set.streams));
  }
  if (i != set.crossings.size()) throw std::logic_error("crossings of no leg");
}

}  // namespace

std::optional<Quotient> symmetric_partition(std::span<const SymmetricStreams> sets,
                                            std::span<const double> weights,
                                            std::span<const double> capacities) {
  for (const SymmetricStreams& set : sets) check(set);
  AlikeRefinement refinement(sets, weights, capacities);
  if (!refinement.run()) return std::nullopt;
  return refinement.quotient();
}

}  // namespace railyard::sim
