#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "hw/diagnose/diagnose.hpp"
#include "tests/hw/diagnose/made_cluster.hpp"

// How often `diagnose` finds faults of made clusters, and how often it reports what is not there.
// RAILYARD_DIAGNOSE_SEEDS=300 hw_tests --gtest_filter='DiagnoseDetection.*' makes the numbers of
// results/diagnose.md.

namespace railyard::hw::testing {
namespace {

int seed_count() {
  const char* text = std::getenv("RAILYARD_DIAGNOSE_SEEDS");
  return text == nullptr ? 8 : std::max(1, std::atoi(text));
}

/// The kind of a finding that names a fault.
std::string kind_of(Fault fault) {
  switch (fault) {
    case Fault::slow_gpu: return "gpu";
    case Fault::slow_nic: return "nic";
    case Fault::slow_leaf: return "cut";
    case Fault::slow_island: return "island";
    case Fault::slow_pair: return "path";
    default: return "node";
  }
}

bool is_component(const Finding& finding) { return finding.probability.has_value(); }

std::vector<std::string> others_of(const MadeCluster& cluster,
                                   const std::vector<std::string>& nodes) {
  std::vector<std::string> found;
  for (int n = 0; n < cluster.nodes; ++n) {
    std::string name = fmt::format("n{:02}", n + 1);
    if (std::ranges::find(nodes, name) == nodes.end()) found.push_back(std::move(name));
  }
  return found;
}

/// Whether a finding names the fault: its kind, nodes and GPUs.
bool names(const Finding& finding, const MadeCluster& cluster, const MadeFault& fault) {
  const bool is_same_cut =
      cluster.fault == Fault::slow_leaf && finding.nodes == others_of(cluster, fault.nodes);
  return finding.kind == kind_of(cluster.fault) && finding.gpus == fault.gpus &&
         (finding.nodes == fault.nodes || is_same_cut);
}

/// The name of a fault as a finding lists it among alternatives.
std::string component_of(const MadeFault& fault) {
  if (fault.gpus.empty()) return "node " + fault.nodes.front();
  return fmt::format("GPU{} {} of {}", fault.gpus.size() == 1 ? "" : "s",
                     fmt::join(fault.gpus, "+"), fault.nodes.front());
}

/// Seeds by what was reported: the fault, another component of which the fault is named as an
/// alternative, a component that has nothing to do with it.
struct Count {
  int seeds = 0, found = 0, alternative = 0, false_alarms = 0;
};

Count count(MadeCluster cluster, int seeds) {
  Count counted{.seeds = seeds};
  for (int seed = 1; seed <= seeds; ++seed) {
    cluster.seed = static_cast<std::uint64_t>(seed);
    const MadeTests made = make_tests(cluster);
    const Diagnosis diagnosis = diagnose(made.runs, {});
    bool is_found = false, is_alternative = false, is_false = false;
    for (const Finding& finding : diagnosis.findings) {
      if (!is_component(finding)) continue;
      const bool is_named = names(finding, cluster, made.fault);
      const bool is_other = !is_named && cluster.fault != Fault::none &&
                            std::ranges::count(finding.alternatives, component_of(made.fault)) > 0;
      is_found = is_found || is_named;
      is_alternative = is_alternative || is_other;
      is_false = is_false || (!is_named && !is_other);
    }
    counted.found += is_found ? 1 : 0;
    counted.alternative += is_alternative ? 1 : 0;
    counted.false_alarms += is_false ? 1 : 0;
  }
  fmt::print("| {} | {} | {} | {:.2f} | {:.1f} % | {} | {} | {} | {} |\n", to_text(cluster.fault),
             cluster.nodes, fmt::join(cluster.counts, "+"), cluster.factor, 100 * cluster.noise,
             counted.seeds, counted.found, counted.alternative, counted.false_alarms);
  return counted;
}

TEST(DiagnoseDetection, HealthyClustersRaiseNoAlarm) {
  const int seeds = 4 * seed_count();
  const Count healthy = count({}, seeds);
  EXPECT_LE(healthy.false_alarms, seeds / 50);
  const Count noisy = count({.noise = 0.03, .repeat = 0.02, .disturbed = 0.03}, seeds);
  EXPECT_LE(noisy.false_alarms, seeds / 50);
  const Count small = count({.nodes = 5}, seeds);
  EXPECT_LE(small.false_alarms, seeds / 50);
}

TEST(DiagnoseDetection, EachFaultIsNamed) {
  const int seeds = seed_count();
  for (const Fault fault : {Fault::slow_node, Fault::slow_gpu, Fault::slow_nic, Fault::slow_leaf,
                            Fault::slow_island, Fault::slow_pair, Fault::failing_node}) {
    const Count counted = count({.fault = fault}, seeds);
    EXPECT_GE(counted.found + counted.alternative, seeds * 9 / 10) << to_text(fault);
    EXPECT_GE(counted.found, seeds / 2) << to_text(fault);
    EXPECT_LE(counted.false_alarms, std::max(1, seeds / 10)) << to_text(fault);
  }
}

TEST(DiagnoseDetection, SmallSlowdownsAndNoiseAreCounted) {
  const int seeds = seed_count();
  for (const double factor : {1.06, 1.1}) {
    const Count counted = count({.fault = Fault::slow_node, .factor = factor}, seeds);
    EXPECT_GE(counted.found, seeds * 9 / 10) << factor;
  }
  const Count noisy = count(
      {.noise = 0.03, .repeat = 0.02, .disturbed = 0.03, .fault = Fault::slow_node, .factor = 1.2},
      seeds);
  EXPECT_GE(noisy.found, seeds * 9 / 10);
  // With all GPUs only, a slow GPU, NIC and node expose the same runs.
  const Count all_gpus = count({.counts = {8}, .fault = Fault::slow_node}, seeds);
  EXPECT_GE(all_gpus.found, seeds * 9 / 10);
}

}  // namespace
}  // namespace railyard::hw::testing
