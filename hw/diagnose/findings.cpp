#include "hw/diagnose/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "hw/diagnose/robust_statistics.hpp"
#include "hw/diagnose/words.hpp"

namespace railyard::hw {
namespace {

std::vector<std::string> names_in(const std::vector<std::string>& names,
                                  const std::vector<bool>& nodes) {
  std::vector<std::string> found;
  for (std::size_t n = 0; n < names.size(); ++n)
    if (nodes[n]) found.push_back(names[n]);
  return found;
}

std::vector<std::string> places_in(const std::vector<std::string>& names, PlaceSet places) {
  std::vector<std::string> found;
  if (places == kEveryPlace) return found;
  for (std::size_t p = 0; p < names.size(); ++p)
    if ((places >> p & 1) != 0) found.push_back(names[p]);
  return found;
}

bool is_slow(const Samples& samples, const Sample& sample) {
  return sample.slowdown > kSlowDistance * samples.strata[sample.stratum].spread;
}

/// The effect at each size, by collective, GPUs and size.
std::vector<SizeEffect> size_effects(const std::vector<std::uint32_t>& runs, const Effect& effect,
                                     const Samples& samples) {
  std::vector<SizeEffect> found;
  for (const StratumEffect& part : effect.strata) {
    const Stratum& stratum = samples.strata[part.stratum];
    for (std::size_t i = 0; i < stratum.sizes.size(); ++i) {
      SizeEffect size{.collective = stratum.collective,
                      .gpus_per_node = stratum.gpus_per_node,
                      .bytes = stratum.sizes[i].bytes};
      std::vector<double> ratios;
      for (const std::uint32_t r : runs)
        for (const std::uint32_t s : samples.of_run[r]) {
          const Sample& sample = samples.samples[s];
          if (sample.stratum != part.stratum || std::isnan(sample.log_times[i])) continue;
          ++size.runs;
          if (part.is_intermittent && !is_slow(samples, sample)) continue;
          ++size.slow;
          ratios.push_back(std::exp(sample.log_times[i] - stratum.sizes[i].log_time));
        }
      size.ratio = median_of(ratios);
      size.low = quantile_of(ratios, 0.1);
      size.high = quantile_of(ratios, 0.9);
      found.push_back(size);
    }
  }
  std::ranges::sort(found, [](const SizeEffect& a, const SizeEffect& b) {
    return std::tie(a.collective, a.gpus_per_node, a.bytes) <
           std::tie(b.collective, b.gpus_per_node, b.bytes);
  });
  return found;
}

/// Runs by what they did.
struct Tally {
  std::size_t runs = 0, measured = 0, slow = 0, failed = 0;

  void add(const Samples& samples, std::uint32_t run) {
    if (samples.status[run] == RunStatus::missing) return;
    ++runs;
    if (samples.status[run] == RunStatus::failed) {
      ++failed;
      return;
    }
    ++measured;
    slow += std::ranges::any_of(
        samples.of_run[run], [&](std::uint32_t s) { return is_slow(samples, samples.samples[s]); });
  }
};

/// "1 GPU: 8 of 8 slow, 1.85x (1.80x to 1.95x)"; a count of GPUs each.
std::string by_gpus(const std::vector<std::uint32_t>& runs, const Effect& effect,
                    const Samples& samples) {
  std::string text;
  for (const StratumEffect& part : effect.strata) {
    const Stratum& stratum = samples.strata[part.stratum];
    std::vector<double> ratios;
    std::size_t measured = 0;
    for (const std::uint32_t r : runs)
      for (const std::uint32_t s : samples.of_run[r]) {
        const Sample& sample = samples.samples[s];
        if (sample.stratum != part.stratum) continue;
        ++measured;
        if (is_slow(samples, sample)) ratios.push_back(std::exp(sample.slowdown));
      }
    if (ratios.empty()) continue;
    text += fmt::format("{}{}{} a node{}: {} of {} slow, {} ({} to {})", text.empty() ? "" : "; ",
                        stratum.collective.empty() ? "" : stratum.collective + ", ",
                        gpus_text(stratum.gpus_per_node), stratum.is_latency ? ", small sizes" : "",
                        ratios.size(), measured, ratio_text(median_of(ratios)),
                        ratio_text(quantile_of(ratios, 0.1)), ratio_text(quantile_of(ratios, 0.9)));
  }
  return text;
}

/// Runs that use ports of an island or group at both ends, and do not cross: healthy ones.
std::string inside_text(const Hypothesis& hypothesis, const Samples& samples) {
  if (hypothesis.meets != Meets::crossing) return "";
  Hypothesis use = hypothesis;
  use.meets = Meets::use;
  Tally inside;
  for (std::uint32_t r = 0; r < samples.ports.size(); ++r)
    if (!is_exposed(hypothesis, samples.ports[r]) && is_exposed(use, samples.ports[r]))
      inside.add(samples, r);
  if (inside.measured == 0) return "";
  return fmt::format(" Among themselves {} of {} runs are healthy.", inside.measured - inside.slow,
                     inside.measured);
}

std::string evidence_of(const Accepted& accepted, const Finding& finding, const Samples& samples) {
  const std::vector<std::uint32_t>& runs = accepted.candidate.runs;
  Tally exposed, others;
  const std::set<std::uint32_t> of_component(runs.begin(), runs.end());
  for (std::uint32_t r = 0; r < samples.ports.size(); ++r)
    (of_component.contains(r) ? exposed : others).add(samples, r);
  std::string text;
  if (!accepted.effect.strata.empty())
    text = fmt::format("{} of the {} measured runs through it are slow, {} of {} other runs ({}).",
                       exposed.slow, exposed.measured, others.slow, others.measured,
                       by_gpus(runs, accepted.effect, samples));
  if (accepted.effect.failure_gain > 0)
    text +=
        fmt::format("{}{} of {} runs through it failed, {} of {} others.", text.empty() ? "" : " ",
                    exposed.failed, exposed.runs, others.failed, others.runs);
  text += inside_text(accepted.candidate.hypothesis, samples);
  const std::string sizes = size_dependence(finding.sizes);
  return sizes.empty() ? text : text + " " + sizes;
}

void set_ratio(Finding& finding, const Accepted& accepted, const Samples& samples) {
  const auto& strata = accepted.effect.strata;
  const auto largest = std::ranges::max_element(strata, {}, &StratumEffect::slowdown);
  if (largest == strata.end()) return;
  std::vector<double> ratios;
  for (const std::uint32_t r : accepted.candidate.runs)
    for (const std::uint32_t s : samples.of_run[r]) {
      const Sample& sample = samples.samples[s];
      if (sample.stratum == largest->stratum &&
          (!largest->is_intermittent || is_slow(samples, sample)))
        ratios.push_back(std::exp(sample.slowdown));
    }
  finding.ratio = median_of(ratios);
  finding.low = quantile_of(ratios, 0.1);
  finding.high = quantile_of(ratios, 0.9);
}

Finding component_finding(const Accepted& accepted, const Samples& samples) {
  const Hypothesis& hypothesis = accepted.candidate.hypothesis;
  Tally tally;
  for (const std::uint32_t r : accepted.candidate.runs) tally.add(samples, r);
  Finding finding{.kind = to_text(hypothesis.kind),
                  .component = hypothesis.name,
                  .is_sick = true,
                  .nodes = names_in(samples.nodes, hypothesis.nodes),
                  .gpus = places_in(samples.places, hypothesis.places),
                  .runs = tally.runs,
                  .slow = tally.slow,
                  .failed = tally.failed,
                  .probability = accepted.probability,
                  .log10_evidence = accepted.effect.gain / std::log(10.0)};
  set_ratio(finding, accepted, samples);
  for (const Hypothesis& rival : accepted.alternatives)
    if (finding.alternatives.size() < 8) finding.alternatives.push_back(rival.name);
  finding.sizes = size_effects(accepted.candidate.runs, accepted.effect, samples);
  finding.evidence = evidence_of(accepted, finding, samples);
  finding.next_test = next_test(accepted, samples);
  return finding;
}

using Pair = std::pair<std::uint32_t, std::uint32_t>;

Pair pair_of(const RunPorts& run) { return std::minmax(run.node_a, run.node_b); }

/// "1, 4 and 8 GPUs": the numbers of GPUs of runs.
std::string gpus_of(const Samples& samples, const std::vector<std::uint32_t>& runs) {
  std::set<int> counts;
  for (const std::uint32_t r : runs) counts.insert(samples.gpus[r]);
  return fmt::format("{} GPU{} a node", fmt::join(counts, ", "),
                     counts.size() == 1 && *counts.begin() == 1 ? "" : "s");
}

Finding pair_finding(const std::string& kind, const Pair& pair, const Samples& samples) {
  const std::string &a = samples.nodes[pair.first], &b = samples.nodes[pair.second];
  Finding finding{.kind = kind, .component = fmt::format("pair {} - {}", a, b), .nodes = {a, b}};
  Tally tally;
  for (const std::uint32_t r : samples.of_node[pair.first])
    if (pair_of(samples.ports[r]) == pair) tally.add(samples, r);
  finding.runs = tally.runs;
  finding.slow = tally.slow;
  finding.failed = tally.failed;
  return finding;
}

bool fluctuates(const Samples& samples, const Sample& sample) {
  constexpr double kLeastDifference = 0.1, kDistance = 8;
  constexpr int kSizes = 2;
  int found = 0;
  const auto& sizes = samples.strata[sample.stratum].sizes;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const double difference = std::abs(sample.in_place[i] - sizes[i].log_in_place);
    found += difference >
             std::max(kLeastDifference, kDistance * std::sqrt(2.0) * sizes[i].repeat_spread);
  }
  return found >= kSizes;
}

void add_fluctuations(const Explanation& explanation, std::vector<Finding>& findings) {
  const Samples& samples = explanation.samples();
  std::map<Pair, std::vector<std::uint32_t>> pairs;
  for (std::uint32_t s = 0; s < samples.samples.size(); ++s)
    if (!explanation.is_explained(s) && fluctuates(samples, samples.samples[s]))
      pairs[pair_of(samples.ports[samples.samples[s].run])].push_back(samples.samples[s].run);
  for (const auto& [pair, runs] : pairs) {
    Finding finding = pair_finding("fluctuation", pair, samples);
    finding.is_sick = runs.size() > 1;
    finding.evidence = fmt::format(
        "The measurements in place and out of place of {} of {} runs ({}) differ by more than "
        "noise "
        "at several sizes. {}",
        runs.size(), finding.runs, gpus_of(samples, runs),
        runs.size() > 1 ? "A bad transceiver or cable does that."
                        : "One run is too little to blame a component.");
    finding.next_test =
        "Repeat the pair with no other job running; if it fluctuates again, read the "
        "error counters of both NICs.";
    findings.push_back(std::move(finding));
  }
}

void add_slow_runs(const Explanation& explanation, double least, std::vector<Finding>& findings) {
  const Samples& samples = explanation.samples();
  std::map<Pair, std::vector<std::uint32_t>> pairs;
  std::map<Pair, double> slowest;
  for (std::uint32_t s = 0; s < samples.samples.size(); ++s) {
    const Sample& sample = samples.samples[s];
    if (explanation.is_explained(s) || sample.slowdown < least || !explanation.is_slow(s)) continue;
    const Pair pair = pair_of(samples.ports[sample.run]);
    pairs[pair].push_back(sample.run);
    slowest[pair] = std::max(slowest[pair], sample.slowdown);
  }
  for (const auto& [pair, runs] : pairs) {
    Finding finding = pair_finding("slow_run", pair, samples);
    finding.ratio = std::exp(slowest[pair]);
    finding.evidence = fmt::format(
        "Slow with {}, not in all runs of the pair or of one of its nodes. Another job at the same "
        "time is enough to explain it.",
        gpus_of(samples, runs));
    finding.next_test =
        fmt::format("Repeat the pair with {} and no other job running.", gpus_of(samples, runs));
    findings.push_back(std::move(finding));
  }
}

void add_failures(const Explanation& explanation, std::vector<Finding>& findings) {
  constexpr double kExpected = 0.1;  // a component makes its runs fail at least so often
  const Samples& samples = explanation.samples();
  std::map<Pair, std::vector<std::uint32_t>> failed, unexpected;
  std::vector<std::uint32_t> missing;
  for (std::uint32_t r = 0; r < samples.ports.size(); ++r) {
    if (samples.status[r] == RunStatus::missing) missing.push_back(r);
    if (samples.status[r] != RunStatus::failed) continue;
    failed[pair_of(samples.ports[r])].push_back(r);
    if (explanation.failure_rate(r) < kExpected) unexpected[pair_of(samples.ports[r])].push_back(r);
  }
  for (const auto& [pair, runs] : unexpected) {
    Finding finding = pair_finding("failed_runs", pair, samples);
    finding.is_sick = true;
    finding.evidence = fmt::format(
        "{} of {} runs failed ({}); no component above explains {} of "
        "them.",
        finding.failed, finding.runs, gpus_of(samples, failed[pair]),
        runs.size() == failed[pair].size() ? "any" : fmt::format("{}", runs.size()));
    finding.next_test = "Read the NCCL error in the log (NCCL_DEBUG=WARN), then repeat the pair.";
    findings.push_back(std::move(finding));
  }
  if (missing.empty()) return;
  Finding finding{.kind = "missing_runs",
                  .component = fmt::format("{} runs", missing.size()),
                  .evidence = "They have no result and no error, for example pair "};
  const RunPorts& first = samples.ports[missing.front()];
  finding.evidence += fmt::format("{} - {}. They count neither as healthy nor as failed.",
                                  samples.nodes[first.node_a], samples.nodes[first.node_b]);
  finding.next_test = "Run them.";
  findings.push_back(std::move(finding));
}

}  // namespace

std::vector<Finding> component_findings(const std::vector<Accepted>& accepted,
                                        const Samples& samples) {
  std::vector<Finding> findings;
  for (const Accepted& one : accepted) findings.push_back(component_finding(one, samples));
  return findings;
}

std::vector<Finding> test_findings(const Explanation& explanation, double least) {
  std::vector<Finding> findings;
  add_failures(explanation, findings);
  add_fluctuations(explanation, findings);
  add_slow_runs(explanation, least, findings);
  return findings;
}

}  // namespace railyard::hw
