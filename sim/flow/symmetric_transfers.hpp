#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/huge_pages.hpp"
#include "core/units.hpp"
#include "sim/flow/link_numbers.hpp"
#include "sim/maxmin/fluid.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/routing/hop.hpp"

namespace railyard::sim {

/// Sorts transfers into sets that look symmetric (equal bytes over the same kinds of links with the
/// same shares), and counts which links each set crosses. Fluid::add_symmetric proves whether they
/// are; if not, for_each() returns the paths again. 4 bytes per hop.
class SymmetricTransfers {
 public:
  /// The cluster must outlive this.
  explicit SymmetricTransfers(const topology::Cluster& cluster) : cluster_(cluster) {}

  /// Adds the next transfer, over hops with shares of wire bytes. Returns false, without adding it,
  /// if the sets are certainly not symmetric.
  [[nodiscard]] bool add(std::span<const topology::Hop> hops, double bytes, Time alpha);
  /// Adds a transfer without bytes.
  void skip() { set_of_.push_back(kNone); }

  /// The common properties of a set's transfers.
  struct Set {
    std::uint64_t key = 0;
    double bytes = 0;
    Time alpha;               ///< the longest
    std::uint32_t first = 0;  ///< number of the first transfer
    std::uint64_t transfers = 0;
    std::vector<double> shares;                      ///< by leg
    std::vector<Bandwidth> bandwidths;               ///< by leg
    std::vector<std::vector<std::uint32_t>> counts;  ///< by leg, by link: transfers
    std::vector<Crossing> crossings;
    std::vector<std::uint32_t> leg_ends;
  };
  [[nodiscard]] const std::vector<Set>& sets() const { return sets_; }
  /// The sets for the engine, with its numbers of links; valid as long as this. Throws
  /// std::logic_error for a link without a number.
  [[nodiscard]] std::vector<SymmetricStreams> stream_sets(const LinkNumbers& numbers);

  /// How many transfers were added or skipped.
  [[nodiscard]] std::size_t size() const { return set_of_.size(); }
  /// Calls visit(number, hops, bytes) for each that was not skipped.
  template <typename Visit>
  void for_each(Visit&& visit) const {
    std::vector<topology::Hop> hops;
    const LinkId* link = links_.data();
    for (std::uint32_t number = 0; number < set_of_.size(); ++number) {
      if (set_of_[number] == kNone) continue;
      const Set& set = sets_[set_of_[number]];
      hops.clear();
      for (const double share : set.shares) hops.push_back({*link++, share});
      visit(number, std::span<const topology::Hop>(hops), set.bytes);
    }
  }

 private:
  static constexpr std::uint8_t kNone = 255;

  [[nodiscard]] Set* find(std::uint64_t key);

  const topology::Cluster& cluster_;
  std::vector<Set> sets_;
  std::size_t last_ = 0;
  LargeVector<std::uint8_t> set_of_;  ///< by transfer
  LargeVector<LinkId> links_;         ///< of all transfers, one after another
};

}  // namespace railyard::sim
