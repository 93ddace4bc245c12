#include "hw/diagnose/explanation.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "hw/diagnose/robust_statistics.hpp"

namespace railyard::hw {
namespace {

/// Mean of log (time / healthy time) of what slows runs, before the tests are seen: a factor of 2.
constexpr double kTypicalSlowdown = std::numbers::ln2;
/// An exposed run looks like a healthy one, for a component that slows all its runs.
constexpr double kSpared = 0.02;
/// The slowdown by a component varies by so much of itself between runs, before the tests are seen;
/// that counts as many runs.
constexpr double kPriorVariation = 0.25;
constexpr double kPriorRuns = 2;
/// If more than this share of a stratum's runs use a component, the stratum is not used for it: too
/// few runs are left for comparison.
constexpr double kMostExposed = 0.8;
/// Beta prior of failures by a component: a fifth of its runs.
constexpr double kFailures = 1, kSuccesses = 4;

double log_slow_density(double slowdown) {
  return slowdown > 0 ? -slowdown / kTypicalSlowdown - std::log(kTypicalSlowdown) : -1e3;
}

double log_sum(double a, double b) {
  return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b)));
}

double log_beta(double a, double b) { return std::lgamma(a) + std::lgamma(b) - std::lgamma(a + b); }

}  // namespace

Explanation::Explanation(const Samples& samples, const Rates& rates)
    : samples_(samples),
      rates_(rates),
      is_explained_(samples.samples.size()),
      failure_rate_(samples.ports.size(), rates.failed),
      open_(samples.strata.size()) {
  for (const Sample& sample : samples.samples)
    log_healthy_.push_back(log_healthy(sample.slowdown, sample.stratum));
  for (const auto& of_run : samples.of_run)
    for (const std::uint32_t s : of_run) ++open_[samples.samples[s].stratum];
}

double Explanation::log_healthy(double slowdown, std::uint32_t stratum) const {
  return log_sum(
      std::log1p(-rates_.disturbed) + log_student4(slowdown, samples_.strata[stratum].spread),
      std::log(rates_.disturbed) + log_slow_density(slowdown));
}

std::vector<std::uint32_t> Explanation::exposed_runs(const Hypothesis& hypothesis) const {
  std::vector<std::uint32_t> runs;
  for (std::uint32_t r = 0; r < samples_.ports.size(); ++r)
    if (samples_.status[r] != RunStatus::missing && is_exposed(hypothesis, samples_.ports[r]))
      runs.push_back(r);
  return runs;
}

double Explanation::slow_gain(const std::vector<std::uint32_t>& slow, double slowdown) const {
  const double n = static_cast<double>(slow.size());
  std::vector<double> values;
  for (const std::uint32_t s : slow) values.push_back(samples_.samples[s].slowdown);
  const double noise = samples_.strata[samples_.samples[slow.front()].stratum].spread;
  const double prior = noise * noise + std::pow(kPriorVariation * slowdown, 2);
  const double seen = std::pow(spread_of(values, slowdown), 2);
  const double spread = std::sqrt((kPriorRuns * prior + n * seen) / (kPriorRuns + n));
  double gain = log_slow_density(slowdown) +
                std::log(std::sqrt(2 * std::numbers::pi) * spread / std::sqrt(n));
  for (std::size_t i = 0; i < slow.size(); ++i)
    gain += log_sum(std::log1p(-kSpared) + log_student4(values[i] - slowdown, spread),
                    std::log(kSpared) + log_healthy_[slow[i]]) -
            log_healthy_[slow[i]];
  return gain;
}

StratumEffect Explanation::stratum_effect(std::uint32_t stratum,
                                          const std::vector<std::uint32_t>& found) const {
  const double noise = samples_.strata[stratum].spread;
  std::vector<double> all, of_slow;
  std::vector<std::uint32_t> slow;
  for (const std::uint32_t s : found) {
    const double value = samples_.samples[s].slowdown;
    all.push_back(value);
    if (value <= kSlowDistance * noise) continue;
    slow.push_back(s);
    of_slow.push_back(value);
  }
  StratumEffect effect{.stratum = stratum, .exposed = found.size(), .slow = slow.size()};
  if (const double slowdown = median_of(all); slowdown > noise) {
    effect.slowdown = slowdown;
    effect.gain = slow_gain(found, slowdown);
  }
  if (slow.size() < 2 || slow.size() == found.size()) return effect;
  const double n = static_cast<double>(found.size()), n1 = static_cast<double>(slow.size());
  double gain = log_beta(n1 + 1, n - n1 + 1);
  for (const std::uint32_t s : slow)
    gain += log_slow_density(samples_.samples[s].slowdown) - log_healthy_[s];
  if (gain > effect.gain) {
    effect.gain = gain;
    effect.slowdown = median_of(of_slow);
    effect.is_intermittent = true;
  }
  return effect;
}

void Explanation::add_failures(const std::vector<std::uint32_t>& runs, Effect& effect) const {
  double base = 0;
  for (const std::uint32_t r : runs) {
    const bool has_failed = samples_.status[r] == RunStatus::failed;
    effect.failed += has_failed ? 1 : 0;
    base += has_failed ? std::log(failure_rate_[r]) : std::log1p(-failure_rate_[r]);
  }
  effect.exposed = runs.size();
  if (effect.failed == 0) return;
  const double failed = static_cast<double>(effect.failed);
  const double passed = static_cast<double>(runs.size()) - failed;
  effect.failure_gain = std::max(0.0, log_beta(kFailures + failed, kSuccesses + passed) -
                                          log_beta(kFailures, kSuccesses) - base);
}

Effect Explanation::effect(const std::vector<std::uint32_t>& runs) const {
  std::map<std::uint32_t, std::vector<std::uint32_t>> found;
  for (const std::uint32_t r : runs)
    for (const std::uint32_t s : samples_.of_run[r])
      if (!is_explained_[s]) found[samples_.samples[s].stratum].push_back(s);
  Effect effect;
  for (const auto& [stratum, members] : found) {
    if (static_cast<double>(members.size()) > kMostExposed * open_[stratum]) continue;
    const StratumEffect part = stratum_effect(stratum, members);
    if (part.gain <= 0) continue;
    effect.gain += part.gain;
    effect.slowdown = std::max(effect.slowdown, part.slowdown);
    effect.strata.push_back(part);
  }
  add_failures(runs, effect);
  effect.gain += effect.failure_gain;
  return effect;
}

void Explanation::accept(const std::vector<std::uint32_t>& runs, const Effect& effect) {
  const double rate = (kFailures + static_cast<double>(effect.failed)) /
                      (kFailures + kSuccesses + static_cast<double>(effect.exposed));
  for (const std::uint32_t r : runs) {
    if (effect.failure_gain > 0) failure_rate_[r] = std::max(failure_rate_[r], rate);
    for (const std::uint32_t s : samples_.of_run[r]) {
      const Sample& sample = samples_.samples[s];
      const auto part = std::ranges::find(effect.strata, sample.stratum, &StratumEffect::stratum);
      if (part == effect.strata.end()) continue;
      const double noise = samples_.strata[sample.stratum].spread;
      if (!part->is_intermittent || sample.slowdown > kSlowDistance * noise)
        is_explained_[s] = true;
    }
  }
}

double Explanation::weight(std::uint32_t run) const {
  if (samples_.status[run] == RunStatus::missing) return 0;
  if (samples_.status[run] == RunStatus::failed)
    return std::log(kFailures / (kFailures + kSuccesses)) - std::log(failure_rate_[run]);
  double sum = 0;
  for (const std::uint32_t s : samples_.of_run[run])
    if (!is_explained_[s])
      sum += log_sum(std::log1p(-kSpared) + log_slow_density(samples_.samples[s].slowdown),
                     std::log(kSpared) + log_healthy_[s]) -
             log_healthy_[s];
  return sum;
}

bool Explanation::is_slow(std::uint32_t sample) const {
  const double disturbed =
      std::log(rates_.disturbed) + log_slow_density(samples_.samples[sample].slowdown);
  return disturbed - log_healthy_[sample] > std::log(0.95);
}

}  // namespace railyard::hw
