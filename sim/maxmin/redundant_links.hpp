#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/maxmin/flow_table.hpp"

namespace railyard::sim {

/// Links that cannot saturate before others, so that solvers can ignore them.
///
/// For every stream s on link l, choose a feeder f(s): another link on its path. Then
///
///     load(l) = sum over s of w(s,l)·r(s) = sum over s of w(s,l)/w(s,f(s)) · w(s,f(s))·r(s)
///             <= sum over the different f of C(f) · (the largest w(s,l)/w(s,f) of its streams)
///
/// for all rates within the capacities of the feeders. If this bound is at most C(l), the
/// constraint of l follows from those of its feeders, so l does not affect the max-min fair rates.
/// Examples: a bus behind its port (one feeder); an uplink as wide as the ports below it; a link
/// above the sum of the rate caps of its streams (a cap is also a link, cap_links.hpp).
///
/// Links are removed one by one, and each proof uses only links that are not removed yet; so all
/// removed constraints follow from the remaining ones. A bound equal to the capacity is accepted
/// only if all feeders have smaller numbers: among equally full links the bottleneck is the one
/// with the smallest number, which then does not change.
///
/// Candidates for feeders: the remaining link before l on the path of each stream, the one after
/// it, and on paths that are not very long the narrowest link (the first or the last of equals).
/// Results stay valid when streams leave.
class RedundantLinks {
 public:
  /// For a table without pending streams. O(hops × hops of a path, up to 64).
  explicit RedundantLinks(const FlowTable& table);

  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] bool is_redundant(LinkIndex link) const {
    return link < mask_.size() && mask_[link] != 0;
  }
  /// By link: not 0 if redundant.
  [[nodiscard]] std::span<const std::uint8_t> mask() const { return mask_; }
  /// Whether the proofs hold with an additional stream: its path has a feeder of each redundant
  /// link that it crosses, with at most the same ratio of shares. Links from `caps` on are feeders
  /// only of the streams for which they were found.
  [[nodiscard]] bool covers(const FlowTable& table, Slot slot, LinkIndex caps) const;
  /// Whether the proofs hold after a link's capacity changed.
  [[nodiscard]] bool allows(LinkIndex link, double before, double now) const {
    return is_redundant(link) ? now >= bound_[link] : now <= before;
  }

 private:
  enum class Choice : std::uint8_t { before, after, narrowest_first, narrowest_last };
  struct FeederRatio {
    std::uint64_t key;  ///< redundant link and feeder
    double ratio;       ///< largest share of the redundant link / share of the feeder
  };
  static std::uint64_t key_of(LinkIndex redundant, LinkIndex feeder) {
    return static_cast<std::uint64_t>(redundant) << 32 | feeder;
  }
  bool try_to_spare(const FlowTable& table, LinkIndex link, Choice choice);
  [[nodiscard]] std::size_t feeder_of(const FlowTable& table, Slot slot, std::size_t hop,
                                      Choice choice) const;
  [[nodiscard]] const FeederRatio* find(LinkIndex redundant, LinkIndex feeder) const;

  std::vector<std::uint8_t> mask_;
  std::vector<double> bound_;               ///< by redundant link: the largest possible load
  std::vector<FeederRatio> feeder_ratios_;  ///< by key
  std::size_t count_ = 0;
  std::vector<double> ratio_;       ///< by feeder of the link being tried
  std::vector<LinkIndex> feeders_;  ///< of the link being tried
};

}  // namespace railyard::sim
