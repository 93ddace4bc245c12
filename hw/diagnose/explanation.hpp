#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hw/diagnose/hypothesis.hpp"
#include "hw/diagnose/samples.hpp"

namespace railyard::hw {

/// Distance in spreads (Stratum::spread) from which a sample of a sick component counts as slow.
inline constexpr double kSlowDistance = 4;

/// What a sick component does to the exposed runs of one stratum.
struct StratumEffect {
  std::uint32_t stratum = 0;
  double slowdown = 0;                ///< log (time / healthy time), the median of the slow runs
  std::size_t exposed = 0, slow = 0;  ///< runs
  bool is_intermittent = false;       ///< only some of the exposed runs are slow
  double gain = 0;                    ///< log likelihood ratio to healthy runs
};

/// What a hypothesis explains of the runs that nothing has explained yet.
struct Effect {
  std::vector<StratumEffect> strata{};  ///< only those that it makes more likely
  std::size_t exposed = 0, failed = 0;  ///< runs
  double failure_gain = 0;              ///< 0: failures do not depend on the component
  double gain = 0;                      ///< log likelihood ratio over all strata and failures
  double slowdown = 0;                  ///< the largest over strata
};

/// Probabilities that do not depend on the component.
struct Rates {
  double disturbed = 0.02;  ///< a run is slowed by something else that runs at the same time
  double failed = 0.01;     ///< a run fails for another reason
};

/// The runs, and what explains them so far. The model of a sample y = log (time / healthy time):
///
///     healthy:   (1 - e) t4(y / s) / s + e x(y)
///     exposed:   (1 - k) t4((y - d) / t) / t + k healthy(y)
///
/// with s the spread between healthy runs, e = Rates::disturbed, x an exponential density with mean
/// log 2 for y > 0, d and t the slowdown by the component and its spread between runs, k = 0.02.
/// d is integrated over the prior x by Laplace's method; t has a prior of a quarter of d. A
/// component may slow only some of its runs: then each is slow, with density x, with an unknown
/// probability with a uniform prior. A stratum does not count if more than four fifths of its open
/// samples are exposed. Failures are Bernoulli; for exposed runs with a Beta(1, 4) prior.
class Explanation {
 public:
  Explanation(const Samples& samples, const Rates& rates);

  /// Runs (that are not missing) which a component slows if it is sick.
  [[nodiscard]] std::vector<std::uint32_t> exposed_runs(const Hypothesis& hypothesis) const;
  [[nodiscard]] Effect effect(const std::vector<std::uint32_t>& runs) const;
  /// Explains the slow and failed runs among `runs` by a component with this effect.
  void accept(const std::vector<std::uint32_t>& runs, const Effect& effect);

  /// log (likelihood if the run is slow or fails by a component of unknown kind / if not), of
  /// samples without an explanation.
  [[nodiscard]] double weight(std::uint32_t run) const;
  [[nodiscard]] bool is_explained(std::uint32_t sample) const { return is_explained_[sample]; }
  /// The probability that a run is expected to fail with.
  [[nodiscard]] double failure_rate(std::uint32_t run) const { return failure_rate_[run]; }
  /// Whether a sample is slower than healthy ones by more than noise, with a probability of 0.95.
  [[nodiscard]] bool is_slow(std::uint32_t sample) const;
  [[nodiscard]] const Samples& samples() const { return samples_; }

 private:
  [[nodiscard]] double log_healthy(double slowdown, std::uint32_t stratum) const;
  [[nodiscard]] StratumEffect stratum_effect(std::uint32_t stratum,
                                             const std::vector<std::uint32_t>& found) const;
  [[nodiscard]] double slow_gain(const std::vector<std::uint32_t>& slow, double slowdown) const;
  void add_failures(const std::vector<std::uint32_t>& runs, Effect& effect) const;

  const Samples& samples_;
  Rates rates_;
  std::vector<double> log_healthy_;   ///< by sample
  std::vector<bool> is_explained_;    ///< by sample
  std::vector<double> failure_rate_;  ///< by run
  std::vector<double> open_;          ///< samples without an explanation, by stratum
};

}  // namespace railyard::hw
