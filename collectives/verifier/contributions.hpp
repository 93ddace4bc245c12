#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace railyard::collectives {

/// Ranks first..last have each contributed `times` times.
struct ContributionRun {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  std::uint32_t times = 1;
  friend auto operator<=>(const ContributionRun&, const ContributionRun&) = default;
};

/// Multisets of ranks, each held once and named by a number, so that they are compared and added in
/// constant time once they were seen. A ring's arcs and a tree's branches are a few runs each, so
/// the proof is exact and small.
class Contributions {
 public:
  using SetId = std::uint32_t;
  static constexpr SetId kNothing = 0;

  Contributions();
  /// {rank} once.
  [[nodiscard]] SetId single(std::uint32_t rank);
  /// {0 .. ranks-1}, each once.
  [[nodiscard]] SetId all(std::uint32_t ranks);
  /// The multiset sum.
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
