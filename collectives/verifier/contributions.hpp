#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace railyard::collectives {

/// The ranks first..last, each of which has contributed `times` times.
struct ContributionRun {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  std::uint32_t times = 1;
  friend auto operator<=>(const ContributionRun&, const ContributionRun&) = default;
};

/// Multisets of contributing ranks. Each distinct multiset is stored once and identified by a
/// number, so that two are compared, and added for a second time, in constant time. A multiset is a
/// list of runs of consecutive ranks: a ring's arcs and a tree's branches have only a few runs.
///
/// Example: the sum of {0, 1} and {1, 2} is the runs 0 (once), 1 (twice), 2 (once): "0 1x2 2".
class Contributions {
 public:
  using SetId = std::uint32_t;
  static constexpr SetId kNothing = 0;

  Contributions();
  /// The multiset that contains `rank` once.
  [[nodiscard]] SetId single(std::uint32_t rank);
  /// The multiset that contains each of 0 .. ranks-1 once.
  [[nodiscard]] SetId all(std::uint32_t ranks);
  /// The multiset sum: multiplicities add up.
  [[nodiscard]] SetId sum(SetId a, SetId b);
  /// "nothing", "0-3 7", "0-3 5x2".
  [[nodiscard]] std::string to_text(SetId set) const;

 private:
  using Runs = std::vector<ContributionRun>;
  SetId intern(Runs runs);
  std::map<Runs, SetId> ids_;
  std::vector<const Runs*> sets_;
  std::map<std::pair<SetId, SetId>, SetId> sums_;
};

}  // namespace railyard::collectives
