#include "hw/diagnose/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

#include "core/size_text.hpp"

namespace railyard::hw {
namespace {

/// A test with one GPU a node that exposes one of two hypotheses only.
struct TellingTest {
  RunPorts ports;
  bool exposes_first = false;
};

/// Nodes to test: one of each hypothesis and one of neither, if there is one.
std::vector<std::uint32_t> telling_nodes(const Hypothesis& a, const Hypothesis& b) {
  std::vector<std::uint32_t> nodes;
  for (const bool in_a : {true, false})
    for (const bool in_b : {true, false}) {
      int left = 2;
      for (std::uint32_t n = 0; n < a.nodes.size() && left > 0; ++n)
        if (a.nodes[n] == in_a && b.nodes[n] == in_b) {
          nodes.push_back(n);
          --left;
        }
    }
  return nodes;
}

std::optional<TellingTest> telling_test(const Hypothesis& a, const Hypothesis& b,
                                        std::size_t places) {
  const std::vector<std::uint32_t> nodes = telling_nodes(a, b);
  for (const std::uint32_t n : nodes)
    for (const std::uint32_t m : nodes) {
      if (n == m) continue;
      for (std::size_t p = 0; p < places; ++p)
        for (std::size_t q = 0; q < places; ++q) {
          const PlaceSet at_n = PlaceSet{1} << p, at_m = PlaceSet{1} << q;
          const RunPorts ports{.node_a = n,
                               .node_b = m,
                               .places_a = at_n,
                               .places_b = at_m,
                               .first_a = at_n,
                               .last_a = at_n,
                               .first_b = at_m,
                               .last_b = at_m};
          const bool first = is_exposed(a, ports);
          if (first != is_exposed(b, ports)) return TellingTest{ports, first};
        }
    }
  return std::nullopt;
}

std::string first_node(const Samples& samples, const Hypothesis& hypothesis, bool inside) {
  for (std::size_t n = 0; n < samples.nodes.size(); ++n)
    if (hypothesis.nodes[n] == inside) return samples.nodes[n];
  return "another node";
}

std::string confirming_test(const Hypothesis& hypothesis, const Samples& samples) {
  const std::string inside = first_node(samples, hypothesis, true);
  const std::string outside = first_node(samples, hypothesis, false);
  const std::string places = place_list(samples.places, hypothesis.places);
  switch (hypothesis.kind) {
    case ComponentKind::node:
      return fmt::format(
          "Run the collective inside {} alone: slow there means GPUs or NVLink, "
          "healthy means NICs, cables or their switch ports.",
          inside);
    case ComponentKind::gpu:
      return fmt::format(
          "Run 'railyard gpu' on {} and read the error counters of the NIC next to "
          "GPU {}; then exchange its cable with a neighbour's and repeat 1 GPU "
          "tests.",
          inside, places);
    case ComponentKind::nic:
      return fmt::format(
          "Read rate, width and error counters of the NICs next to GPUs {} of {}; "
          "then run 1 GPU tests with {} for each of them.",
          places, inside, outside);
    case ComponentKind::rail:
      return fmt::format(
          "Run 1 GPU tests with GPU {} in both nodes and in one node only: slow in "
          "both cases means the switch of that rail.",
          places);
    case ComponentKind::leaf: return "Move one node to another leaf switch and repeat its tests.";
    case ComponentKind::uplink:
      return "Read rate and error counters of the uplinks, and repeat with all but one shut.";
    case ComponentKind::cut:
      return fmt::format(
          "Run 1 GPU tests between {} and {} for each GPU: they show which rails are "
          "slow. Then read the counters of the switch ports that join the groups.",
          inside, outside);
    case ComponentKind::island:
      return fmt::format(
          "Run 1 GPU tests of GPU {} of {}: with GPU {} of another of these nodes "
          "(expected healthy) and with other GPUs (expected slow). Then compare "
          "switch, cable and settings (VLAN, MTU, PFC) of that NIC with the others.",
          places, inside, places);
    case ComponentKind::path:
      return "Repeat the pair with no other job running, and trace the route between the two "
             "nodes.";
  }
  return "";
}

}  // namespace

std::string ratio_text(double ratio) {
  return ratio < 9.95 ? fmt::format("{:.2f}x", ratio) : fmt::format("{:.0f}x", ratio);
}

std::string gpus_text(int count) { return fmt::format("{} GPU{}", count, count == 1 ? "" : "s"); }

std::string size_dependence(std::span<const SizeEffect> sizes) {
  const SizeEffect* first = nullptr;
  const SizeEffect* last = nullptr;
  for (const SizeEffect& size : sizes) {
    if (size.slow == 0 || size.ratio < 1.02) continue;
    if (first == nullptr ||
        (first->gpus_per_node == size.gpus_per_node && first->collective == size.collective)) {
      if (first == nullptr) first = &size;
      last = &size;
    }
  }
  if (first == last) return "";
  const double from = std::log(first->ratio), to = std::log(last->ratio);
  const std::string range =
      fmt::format("{} at {} and {} at {} ({} per node)", ratio_text(first->ratio),
                  core::size_text(first->bytes.count()), ratio_text(last->ratio),
                  core::size_text(last->bytes.count()), gpus_text(first->gpus_per_node));
  if (to > 1.5 * from)
    return fmt::format(
        "The slowdown grows with the size, {}: congestion, packet loss or "
        "throttling rather than a link of lower rate.",
        range);
  if (to < from / 1.5)
    return fmt::format(
        "The slowdown shrinks with the size, {}: more latency rather than less "
        "bandwidth.",
        range);
  return fmt::format(
      "The slowdown is similar at all sizes, {}: less bandwidth, such as a link of "
      "lower rate or width.",
      range);
}

std::string next_test(const Accepted& accepted, const Samples& samples) {
  const Hypothesis& hypothesis = accepted.candidate.hypothesis;
  for (const Hypothesis& rival : accepted.alternatives) {
    const auto test = telling_test(hypothesis, rival, samples.places.size());
    if (!test) continue;
    const RunPorts& ports = test->ports;
    return fmt::format(
        "Test 1 GPU per node: GPU {} of {} with GPU {} of {}. If this run is slow, the cause is "
        "{}; if it is healthy, the cause is {}.",
        place_list(samples.places, ports.places_a), samples.nodes[ports.node_a],
        place_list(samples.places, ports.places_b), samples.nodes[ports.node_b],
        test->exposes_first ? hypothesis.name : rival.name,
        test->exposes_first ? rival.name : hypothesis.name);
  }
  return confirming_test(hypothesis, samples);
}

}  // namespace railyard::hw
