#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "hw/diagnose/candidates.hpp"
#include "hw/diagnose/cluster_view.hpp"
#include "hw/diagnose/explanation.hpp"

namespace railyard::hw {

/// log of the odds that a component needs to be accepted: 20 to 1, "strong" evidence (Kass and
/// Raftery, JASA 90, 1995).
inline constexpr double kLeastLogOdds = 2.995732273553991;

/// A hypothesis that was accepted.
struct Accepted {
  Candidate candidate{};
  Effect effect{};
  double score = 0;  ///< log of the posterior odds, given the others
  double probability = 0;
  std::vector<Hypothesis> alternatives{};  ///< down to a twentieth of its odds, best first
};

/// Components that explain slow and failed runs. `least` is the smallest log slowdown of interest.
[[nodiscard]] std::vector<Accepted> find_components(const Samples& samples, const Rates& rates,
                                                    const ClusterView& view, double least);

/// Sets probabilities and alternatives, each with the others held; removes those that the others
/// explain.
void compare_alternatives(std::vector<Accepted>& accepted, const Samples& samples,
                          const Rates& rates, const ClusterView& view, double least);

/// The runs, explained by components.
[[nodiscard]] Explanation explained_by(const std::vector<Accepted>& accepted,
                                       const Samples& samples, const Rates& rates);

}  // namespace railyard::hw
