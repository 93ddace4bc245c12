#include "hw/diagnose/diagnose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "hw/diagnose/explanation.hpp"
#include "hw/diagnose/findings.hpp"
#include "hw/diagnose/robust_statistics.hpp"
#include "hw/diagnose/samples.hpp"
#include "hw/diagnose/search.hpp"
#include "hw/diagnose/words.hpp"

namespace railyard::hw {
namespace {

/// Rates from the runs that components do not explain, with priors that count as 100 runs.
Rates rates_of(const Explanation& explanation) {
  constexpr double kPriorRuns = 100;
  const Rates prior;
  const Samples& samples = explanation.samples();
  double slow = 0, measured = 0, failed = 0, runs = 0;
  for (std::uint32_t s = 0; s < samples.samples.size(); ++s) {
    if (explanation.is_explained(s)) continue;
    ++measured;
    slow += explanation.is_slow(s) ? 1 : 0;
  }
  for (std::uint32_t r = 0; r < samples.ports.size(); ++r) {
    if (samples.status[r] == RunStatus::missing || explanation.failure_rate(r) > 0.1) continue;
    ++runs;
    failed += samples.status[r] == RunStatus::failed ? 1 : 0;
  }
  return {.disturbed = (kPriorRuns * prior.disturbed + slow) / (kPriorRuns + measured),
          .failed = (kPriorRuns * prior.failed + failed) / (kPriorRuns + runs)};
}

/// The samples without those that components explain or that are slow.
Samples healthy_part(const Explanation& explanation) {
  Samples samples = explanation.samples();
  for (auto& of_run : samples.of_run)
    std::erase_if(of_run, [&](std::uint32_t s) {
      return explanation.is_explained(s) || explanation.is_slow(s);
    });
  return samples;
}

/// Whether a node would be found if all its runs took `slowdown` (log) longer.
bool is_visible(const Samples& healthy, const Rates& rates, const Candidate& node,
                double slowdown) {
  Samples slowed = healthy;
  for (const std::uint32_t r : node.runs)
    for (const std::uint32_t s : slowed.of_run[r]) slowed.samples[s].slowdown += slowdown;
  const Effect effect = Explanation(slowed, rates).effect(node.runs);
  return effect.slowdown > 0 && effect.gain + node.hypothesis.log_prior >= kLeastLogOdds;
}

/// The largest over (at most 16) nodes of the smallest slowdown that is visible, from `least`, in
/// steps of a tenth. A node with all runs slow or failed does not count.
std::optional<double> visible_slowdown(const Explanation& explanation, const Rates& rates,
                                       const ClusterView& view, double least) {
  constexpr std::size_t kMostNodes = 16;
  constexpr double kLargest = 3;  // a factor of 20
  const Samples healthy = healthy_part(explanation);
  std::vector<Candidate> nodes;
  for (Candidate& candidate : single_candidates(explanation, view)) {
    const bool is_measured = std::ranges::any_of(
        candidate.runs, [&](std::uint32_t r) { return !healthy.of_run[r].empty(); });
    if (candidate.hypothesis.kind == ComponentKind::node && is_measured)
      nodes.push_back(std::move(candidate));
  }
  if (healthy.nodes.size() < 3 || nodes.empty()) return std::nullopt;
  double visible = least;
  const std::size_t step = (nodes.size() + kMostNodes - 1) / kMostNodes;
  for (std::size_t n = 0; n < nodes.size(); n += step)
    while (!is_visible(healthy, rates, nodes[n], visible)) {
      visible *= 1.1;
      if (visible > kLargest) return std::nullopt;
    }
  return std::expm1(visible);
}

std::vector<Baseline> baselines_of(const Samples& samples) {
  std::vector<Baseline> found;
  for (std::size_t g = 0; g < samples.strata.size(); ++g) {
    const Stratum& stratum = samples.strata[g];
    for (std::size_t i = 0; i < stratum.sizes.size(); ++i) {
      const SizeBaseline& size = stratum.sizes[i];
      const double seconds = std::exp(size.log_time);
      Baseline baseline{.collective = stratum.collective,
                        .gpus_per_node = stratum.gpus_per_node,
                        .bytes = size.bytes,
                        .time = Time::from_seconds(seconds),
                        .busbw_GBps = size.bus_GB / seconds,
                        .spread_pct = 100 * size.spread,
                        .repeat_pct = 100 * size.repeat_spread};
      for (const Sample& sample : samples.samples)
        baseline.runs += sample.stratum == g && !std::isnan(sample.log_times[i]) ? 1 : 0;
      found.push_back(std::move(baseline));
    }
  }
  std::ranges::sort(found, [](const Baseline& a, const Baseline& b) {
    return std::tie(a.collective, a.gpus_per_node, a.bytes) <
           std::tie(b.collective, b.gpus_per_node, b.bytes);
  });
  return found;
}

/// Sets predicted times.
void predict(const DiagnoseOptions& options, std::vector<Baseline>& baselines) {
  if (!options.expected) return;
  std::vector<ExpectedTest> tests;
  for (const Baseline& one : baselines)
    tests.push_back({one.collective, one.gpus_per_node, one.bytes});
  const auto times = options.expected(tests);
  for (std::size_t i = 0; i < baselines.size(); ++i) baselines[i].expected = times[i];
}

/// A finding if the healthy times at the largest size of each collective and number of GPUs are
/// longer than predicted: comparing tests with each other cannot show what slows all of them.
std::optional<Finding> common_slowness(const std::vector<Baseline>& baselines) {
  // Ranges of predictions between nodes are narrower for large sizes: results/validation.md.
  constexpr double kBeyondRange = 1.3;
  std::vector<double> ratios;
  for (std::size_t i = 0; i < baselines.size(); ++i) {
    const Baseline& one = baselines[i];
    const bool is_last = i + 1 == baselines.size() ||
                         baselines[i + 1].collective != one.collective ||
                         baselines[i + 1].gpus_per_node != one.gpus_per_node;
    if (is_last && one.expected) ratios.push_back(one.time.seconds() / one.expected->seconds());
  }
  const double ratio = median_of(ratios);
  if (ratios.empty() || ratio < kBeyondRange) return std::nullopt;
  const auto [low, high] = std::ranges::minmax(ratios);
  return Finding{.kind = "cluster",
                 .component = "every pair of nodes",
                 .is_sick = true,
                 .ratio = ratio,
                 .low = low,
                 .high = high,
                 .evidence = fmt::format("Healthy runs of the largest sizes take {} the time that "
                                         "is predicted for the cluster.",
                                         ratio_text(ratio)),
                 .next_test =
                     "Check that the cluster file describes these nodes (number and rate "
                     "of NICs), then that GPUDirect RDMA and all NICs are in use "
                     "(NCCL_DEBUG=INFO)."};
}

void describe(const Samples& samples, Diagnosis& diagnosis) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (const RunPorts& run : samples.ports) pairs.insert(std::minmax(run.node_a, run.node_b));
  diagnosis.nodes = samples.nodes.size();
  diagnosis.pairs = pairs.size();
  diagnosis.runs = samples.ports.size();
}

}  // namespace

bool has_sick(const Diagnosis& diagnosis) {
  return std::ranges::any_of(diagnosis.findings, &Finding::is_sick);
}

Diagnosis diagnose(std::span<const PairRun> runs, const DiagnoseOptions& options) {
  constexpr int kRounds = 3;
  Samples samples = sample_runs(runs);
  ClusterView view;
  if (options.view)
    view = options.view(samples.nodes, samples.places);
  else
    view.groups = assumed_groups(samples.places);
  const double least = std::log1p(options.least_slowdown);
  Rates rates;
  std::vector<Accepted> accepted;
  for (int round = 0; round < kRounds; ++round) {
    accepted = find_components(samples, rates, view, least);
    const Explanation explanation = explained_by(accepted, samples, rates);
    rates = rates_of(explanation);
    if (round + 1 == kRounds) break;
    std::vector<bool> is_slow(samples.samples.size());
    for (std::uint32_t s = 0; s < is_slow.size(); ++s)
      is_slow[s] = explanation.is_explained(s) || explanation.is_slow(s);
    recentre(samples, is_slow);
  }
  compare_alternatives(accepted, samples, rates, view, least);
  const Explanation explanation = explained_by(accepted, samples, rates);
  Diagnosis diagnosis;
  describe(samples, diagnosis);
  diagnosis.findings = component_findings(accepted, samples);
  for (Finding& finding : test_findings(explanation, least))
    diagnosis.findings.push_back(std::move(finding));
  diagnosis.baselines = baselines_of(samples);
  predict(options, diagnosis.baselines);
  if (auto common = common_slowness(diagnosis.baselines))
    diagnosis.findings.push_back(std::move(*common));
  std::ranges::stable_sort(diagnosis.findings, std::greater<>(), &Finding::is_sick);
  diagnosis.visible_slowdown = visible_slowdown(explanation, rates, view, least);
  return diagnosis;
}

}  // namespace railyard::hw
