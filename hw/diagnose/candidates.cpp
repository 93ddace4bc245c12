#include "hw/diagnose/candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace railyard::hw {
namespace {

constexpr double kKinds = 9;  // of ComponentKind

/// A group of GPUs that is guessed is less likely than one of its GPUs by this factor.
constexpr std::size_t kGuessed = 4;

std::vector<bool> only(std::size_t count, std::uint32_t node) {
  std::vector<bool> nodes(count);
  nodes[node] = true;
  return nodes;
}

/// Adds candidates of one kind with their common prior; those without runs are left out.
class Adder {
 public:
  Adder(const Explanation& explanation, std::vector<Candidate>& out)
      : explanation_(explanation), out_(out) {}

  /// `count`: of the candidates that share the prior, if these are not all.
  void add(std::vector<Hypothesis> hypotheses, std::size_t count = 0) {
    const std::size_t sharing = count == 0 ? hypotheses.size() : count;
    const double prior = -std::log(kKinds * static_cast<double>(sharing));
    for (Hypothesis& hypothesis : hypotheses) {
      hypothesis.log_prior = prior;
      auto runs = explanation_.exposed_runs(hypothesis);
      if (!runs.empty())
        out_.push_back({.hypothesis = std::move(hypothesis), .runs = std::move(runs)});
    }
  }

 private:
  const Explanation& explanation_;
  std::vector<Candidate>& out_;
};

std::vector<Hypothesis> node_hypotheses(const Samples& samples) {
  std::vector<Hypothesis> found;
  for (std::uint32_t n = 0; n < samples.nodes.size(); ++n)
    found.push_back({.kind = ComponentKind::node,
                     .name = "node " + samples.nodes[n],
                     .nodes = only(samples.nodes.size(), n)});
  return found;
}

std::vector<Hypothesis> part_hypotheses(const Samples& samples, ComponentKind kind,
                                        const std::vector<PlaceGroup>& groups) {
  std::vector<Hypothesis> found;
  for (std::uint32_t n = 0; n < samples.nodes.size(); ++n)
    for (const PlaceGroup& group : groups)
      found.push_back({.kind = kind,
                       .name = group.name + " of " + samples.nodes[n],
                       .nodes = only(samples.nodes.size(), n),
                       .places = group.places});
  return found;
}

std::vector<PlaceGroup> single_places(const Samples& samples) {
  std::vector<PlaceGroup> groups;
  for (std::size_t p = 0; p < samples.places.size(); ++p)
    groups.push_back({.name = "GPU " + samples.places[p], .places = PlaceSet{1} << p});
  return groups;
}

std::vector<Hypothesis> rail_hypotheses(const Samples& samples, const ClusterView& view) {
  std::vector<Hypothesis> found;
  const std::vector<bool> all(samples.nodes.size(), true);
  std::vector<PlaceGroup> groups = single_places(samples);
  groups.insert(groups.end(), view.groups.begin(), view.groups.end());
  for (const PlaceGroup& group : groups)
    found.push_back({.kind = ComponentKind::rail,
                     .name = group.name + " of every node",
                     .nodes = all,
                     .places = group.places});
  return found;
}

std::vector<Hypothesis> leaf_hypotheses(const ClusterView& view, ComponentKind kind) {
  std::vector<Hypothesis> found;
  for (const LeafGroup& leaf : view.leaves) {
    const bool is_uplink = kind == ComponentKind::uplink;
    found.push_back({.kind = kind,
                     .name = is_uplink ? "uplinks of " + leaf.name : leaf.name,
                     .nodes = leaf.nodes,
                     .places = leaf.places,
                     .meets = is_uplink ? Meets::crossing : Meets::use});
  }
  return found;
}

std::vector<Hypothesis> pair_hypotheses(const Samples& samples) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (const RunPorts& run : samples.ports) pairs.insert(std::minmax(run.node_a, run.node_b));
  std::vector<Hypothesis> found;
  for (const auto& [a, b] : pairs) {
    std::vector<bool> nodes(samples.nodes.size());
    nodes[a] = nodes[b] = true;
    found.push_back({.kind = ComponentKind::path,
                     .name = fmt::format("path {} - {}", samples.nodes[a], samples.nodes[b]),
                     .nodes = std::move(nodes),
                     .meets = Meets::pair});
  }
  return found;
}

double log_choices(double n, double k) {
  return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
}

/// Searches sets of nodes for one set of places.
class NodeSetSearch {
 public:
  NodeSetSearch(const Explanation& explanation, const std::vector<double>& weights)
      : samples_(explanation.samples()), weights_(weights) {}

  /// The set that an ascent from `hypothesis`.nodes ends at.
  void ascend(Hypothesis& hypothesis) const {
    constexpr int kMostSweeps = 20;
    bool has_changed = true;
    for (int sweep = 0; has_changed && sweep < kMostSweeps; ++sweep) {
      has_changed = false;
      for (std::uint32_t n = 0; n < samples_.nodes.size(); ++n)
        has_changed = flip_if_better(hypothesis, n) || has_changed;
    }
  }

  [[nodiscard]] double log_prior(const Hypothesis& hypothesis) const {
    const double n = static_cast<double>(hypothesis.nodes.size());
    const double k = static_cast<double>(std::ranges::count(hypothesis.nodes, true));
    return -std::log(n) - log_choices(n, k);
  }

 private:
  [[nodiscard]] double sum_of(const Hypothesis& hypothesis, std::uint32_t node) const {
    double sum = 0;
    for (const std::uint32_t r : samples_.of_node[node])
      if (weights_[r] != 0 && is_exposed(hypothesis, samples_.ports[r])) sum += weights_[r];
    return sum + log_prior(hypothesis);
  }

  bool flip_if_better(Hypothesis& hypothesis, std::uint32_t node) const {
    const double before = sum_of(hypothesis, node);
    hypothesis.nodes[node] = !hypothesis.nodes[node];
    if (sum_of(hypothesis, node) > before + 1e-9) return true;
    hypothesis.nodes[node] = !hypothesis.nodes[node];
    return false;
  }

  const Samples& samples_;
  const std::vector<double>& weights_;
};

/// Where ascents begin: the nodes with most slow runs, alone and with the nodes that they are not
/// slow with.
std::vector<std::vector<bool>> starts_of(const Explanation& explanation,
                                         const std::vector<double>& weights) {
  constexpr std::size_t kMostNodes = 12;
  const Samples& samples = explanation.samples();
  std::vector<std::pair<double, std::uint32_t>> order;
  for (std::uint32_t n = 0; n < samples.nodes.size(); ++n) {
    double slow = 0;
    for (const std::uint32_t r : samples.of_node[n]) slow -= std::max(weights[r], 0.0);
    order.emplace_back(slow, n);
  }
  std::ranges::sort(order);
  order.resize(std::min(order.size(), kMostNodes));
  std::vector<std::vector<bool>> starts;
  for (const auto& [slow, n] : order) {
    if (slow == 0) break;
    starts.push_back(only(samples.nodes.size(), n));
    std::vector<double> with(samples.nodes.size());
    for (const std::uint32_t r : samples.of_node[n]) {
      const RunPorts& run = samples.ports[r];
      with[run.node_a == n ? run.node_b : run.node_a] += weights[r];
    }
    with[n] = -1;
    std::vector<bool> near(samples.nodes.size());
    for (std::size_t m = 0; m < with.size(); ++m) near[m] = with[m] < 0;
    starts.push_back(std::move(near));
  }
  return starts;
}

/// Whether a set is told apart from single nodes: two sick nodes expose the same runs as a cut
/// around them, but for the pair that they form.
bool is_group(const Hypothesis& hypothesis) {
  const auto inside = static_cast<std::size_t>(std::ranges::count(hypothesis.nodes, true));
  const std::size_t all = hypothesis.nodes.size(), least = all < 8 ? 2 : 3;
  if (hypothesis.places != kEveryPlace && inside == all) return true;
  return inside >= least && all - inside >= (hypothesis.places == kEveryPlace ? least : 0);
}

/// A name and a smaller set for a cut.
void describe(Hypothesis& hypothesis, const Samples& samples) {
  const auto count = static_cast<std::size_t>(std::ranges::count(hypothesis.nodes, true));
  if (hypothesis.places == kEveryPlace) {
    if (2 * count > hypothesis.nodes.size()) hypothesis.nodes.flip();
    hypothesis.name =
        "path between " + node_list(samples.nodes, hypothesis.nodes) + " and the other nodes";
    return;
  }
  const bool is_every = count == hypothesis.nodes.size();
  hypothesis.name = fmt::format(
      "path between GPU {} of {} and all other GPUs", place_list(samples.places, hypothesis.places),
      is_every ? "every node" : node_list(samples.nodes, hypothesis.nodes));
}

}  // namespace

std::vector<Candidate> single_candidates(const Explanation& explanation, const ClusterView& view) {
  const Samples& samples = explanation.samples();
  std::vector<Candidate> found;
  Adder adder(explanation, found);
  adder.add(node_hypotheses(samples));
  adder.add(part_hypotheses(samples, ComponentKind::gpu, single_places(samples)));
  const std::size_t parts = samples.nodes.size() * samples.places.size();
  adder.add(part_hypotheses(samples, ComponentKind::nic, view.groups),
            view.is_known ? 0 : kGuessed * parts);
  adder.add(rail_hypotheses(samples, view));
  adder.add(leaf_hypotheses(view, ComponentKind::leaf));
  adder.add(leaf_hypotheses(view, ComponentKind::uplink));
  adder.add(pair_hypotheses(samples));
  return found;
}

std::vector<Candidate> node_set_candidates(const Explanation& explanation,
                                           const ClusterView& view) {
  const Samples& samples = explanation.samples();
  std::vector<double> weights(samples.ports.size());
  for (std::uint32_t r = 0; r < weights.size(); ++r) weights[r] = explanation.weight(r);
  const NodeSetSearch search(explanation, weights);
  const auto starts = starts_of(explanation, weights);
  std::vector<PlaceGroup> groups = single_places(samples);
  groups.insert(groups.end(), view.groups.begin(), view.groups.end());
  const double island_prior = -std::log(kKinds * 2 * static_cast<double>(groups.size()));
  groups.push_back({.name = "", .places = kEveryPlace});
  std::vector<Candidate> found;
  for (const PlaceGroup& group : groups)
    for (const Traffic traffic : {Traffic::by_rail, Traffic::direct}) {
      const bool is_cut = group.places == kEveryPlace;
      if (is_cut && traffic == Traffic::direct) continue;
      std::set<std::vector<bool>> ends;
      for (const std::vector<bool>& start : starts) {
        Hypothesis hypothesis{.kind = is_cut ? ComponentKind::cut : ComponentKind::island,
                              .nodes = start,
                              .places = group.places,
                              .meets = Meets::crossing,
                              .traffic = traffic};
        search.ascend(hypothesis);
        if (!is_group(hypothesis)) continue;
        describe(hypothesis, samples);
        if (!ends.insert(hypothesis.nodes).second) continue;
        hypothesis.log_prior =
            (is_cut ? -std::log(kKinds) : island_prior) + search.log_prior(hypothesis);
        auto runs = explanation.exposed_runs(hypothesis);
        if (!runs.empty())
          found.push_back({.hypothesis = std::move(hypothesis), .runs = std::move(runs)});
      }
    }
  return found;
}

}  // namespace railyard::hw
