#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/maxmin/flow_table.hpp"

namespace railyard::sim {

/// Links that cannot fill up before others do, so that no solver need look at them.
///
/// Let every stream s on link l be fed by another link f(s) that it crosses. Then
///
///     load(l) = sum over s of w(s,l)·r(s) = sum over s of w(s,l)/w(s,f(s)) · w(s,f(s))·r(s)
///             <= sum over the different f of C(f) · (the largest w(s,l)/w(s,f) of its streams)
///
/// for any rates that respect the capacities of the feeders. Where that bound is at most C(l), the
/// constraint on l follows from those on its feeders: without l the feasible rates are the same
/// ones, and so is the one max-min fair among them. A rate cap is a link of its own
/// (cap_links.hpp), so sums of caps are such a bound too, and so are a bus behind its port (one
/// feeder), and a switch's uplink that is as wide as the ports below it.
///
/// Links are left out one by one, and each proof uses links only that are still there: undone from
/// the last to the first, each constraint follows from those that remain. A bound that equals the
/// capacity counts where all feeders have smaller numbers: filling names the smallest of equally
/// full links as the one that holds a stream, which then does not change.
///
/// Tried as feeders: the kept link before l on the way of each stream, the one after it, and, of
/// ways that are not very long, the narrowest (the first or the last of equals). What is found
/// stays true while streams leave.
class RedundantLinks {
 public:
  /// Of a table none of whose streams is pending. O(hops × hops of a way, up to 64).
  explicit RedundantLinks(const FlowTable& table);

  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] bool is_redundant(LinkIndex link) const {
    return link < mask_.size() && mask_[link] != 0;
  }
  /// By link: not 0 for the redundant ones.
  [[nodiscard]] std::span<const std::uint8_t> mask() const { return mask_; }
  /// Whether the proofs hold with another stream: one of the feeders of each redundant link that it
  /// crosses is on its way, with no larger a share of the redundant link. Links from `caps` on are
  /// no feeders of other streams than those they were found for.
  [[nodiscard]] bool covers(const FlowTable& table, Slot slot, LinkIndex caps) const;
  /// Whether the proofs hold after a link's capacity changed.
  [[nodiscard]] bool allows(LinkIndex link, double before, double now) const {
    return is_redundant(link) ? now >= bound_[link] : now <= before;
  }

 private:
  enum class Choice : std::uint8_t { before, after, narrowest_first, narrowest_last };
  struct Feeding {
    std::uint64_t key;  ///< redundant link and feeder
    double ratio;       ///< the largest share of the redundant link for one of the feeder
  };
  static std::uint64_t key_of(LinkIndex redundant, LinkIndex feeder) {
    return static_cast<std::uint64_t>(redundant) << 32 | feeder;
  }
  bool try_to_spare(const FlowTable& table, LinkIndex link, Choice choice);
  [[nodiscard]] std::size_t feeder_of(const FlowTable& table, Slot slot, std::size_t hop,
                                      Choice choice) const;
  [[nodiscard]] const Feeding* find(LinkIndex redundant, LinkIndex feeder) const;

  std::vector<std::uint8_t> mask_;
  std::vector<double> bound_;      ///< by link: the most that a redundant one can carry
  std::vector<Feeding> feedings_;  ///< by key
  std::size_t count_ = 0;
  std::vector<double> ratio_;       ///< by link, of the link that is being tried
  std::vector<LinkIndex> feeders_;  ///< of that link
};

}  // namespace railyard::sim
