#include "apps/place/place_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "apps/place/interruptible.hpp"
#include "apps/sim/engine.hpp"
#include "collectives/nccl/choice/chooser.hpp"
#include "collectives/nccl/timing/fitted_pace.hpp"
#include "placement/jobs/bandwidth_left.hpp"
#include "topology/cluster/read_timings.hpp"

namespace railyard::apps {
namespace {

using collectives::nccl::FittedPace;
using collectives::nccl::FittedTime;
using placement::PlaceProblem;

/// How much concurrent collectives slow each other; empty where none is slowed.
std::string text_of_contention(std::span<const placement::Slowdown> slowdowns) {
  std::string text;
  for (const placement::Slowdown& slow : slowdowns)
    text += fmt::format("{} {} collectives by {:.2f}x", text.empty() ? "" : ",", slow.dimension,
                        slow.factor);
  return text.empty() ? text : "contention slows" + text + " in the best strategy";
}

/// How much of a link other jobs use at most; empty where they use none that the job could cross.
std::string text_of_others(const PlaceProblem& problem) {
  const auto used = placement::links_used_by_others(problem);
  const auto busiest = placement::busiest_shared_link(problem, used);
  if (!busiest) return {};
  return fmt::format("other jobs use up to {:.0f} % of a link ({}); the simulation has the rest",
                     100 * (1 - busiest->factor), problem.cluster.name(busiest->link));
}

/// The problem's faults, and the links of which other jobs use a part.
std::vector<topology::TimedFault> all_faults(const PlaceProblem& problem) {
  std::vector<topology::TimedFault> faults = problem.faults;
  auto used = placement::links_used_by_others(problem);
  if (!used.empty())
    faults.push_back({.at = Time(), .faults = {.failed = {}, .degraded = std::move(used)}});
  return faults;
}

/// Nodes with links that are not as their shape has them.
std::set<NodeId> odd_nodes(const topology::Cluster& cluster,
                           const std::vector<topology::TimedFault>& faults) {
  std::set<NodeId> odd;
  const auto add = [&](LinkId id) {
    const topology::Link& link = cluster.link(id);
    const NodeId node = cluster.device(link.from).node;
    if (!node.is_none() && node == cluster.device(link.to).node) odd.insert(node);
  };
  for (const topology::TimedFault& fault : faults) {
    std::ranges::for_each(fault.faults.failed, add);
    std::ranges::for_each(fault.faults.degraded, add, &topology::Degradation::link);
  }
  return odd;
}

/// An engine and what it runs on.
class PlaceEngine {
 public:
  PlaceEngine(const PlaceProblem& problem, const EngineOptions& options)
      : analytic_(
            make_engine(problem.cluster, {.fidelity = "analytic", .routing = problem.routing})),
        executor_(make_engine(problem.cluster, options)),
        chooser_(problem.cluster, *analytic_, {}),
        engine_{
            .cluster = problem.cluster,
            .executor = *executor_,
            .schedule =
                [this](const std::shared_ptr<const collectives::Group>& group,
                       const collectives::Collective& collective) {
                  return chooser_.chosen_schedule(
                      {.group = group, .collective = collective, .protocol = {}, .channels = {}});
                },
            .odd_nodes = odd_nodes(problem.cluster, options.faults)} {}
  PlaceEngine(const PlaceEngine&) = delete;
  PlaceEngine& operator=(const PlaceEngine&) = delete;
  [[nodiscard]] const placement::Engine& engine() const { return engine_; }

 private:
  std::unique_ptr<collectives::Executor> analytic_, executor_;
  collectives::nccl::Chooser chooser_;
  placement::Engine engine_;
};

}  // namespace

placement::EngineFactory engines_of(std::string fidelity) {
  return [fidelity = std::move(fidelity)](const PlaceProblem& problem) {
    const auto owner =
        std::make_shared<PlaceEngine>(problem, EngineOptions{.fidelity = fidelity,
                                                             .routing = problem.routing,
                                                             .faults = all_faults(problem)});
    return std::shared_ptr<const placement::Engine>(owner, &owner->engine());
  };
}

placement::EngineFactory engines_of_collectives_alone(std::string cluster) {
  return [cluster = std::move(cluster)](const PlaceProblem& problem) {
    const auto timing = std::make_shared<FittedPace>(
        problem.cluster, FittedTime::Options{.timings = topology::read_timings(cluster)}, Time());
    const auto owner = std::make_shared<PlaceEngine>(
        problem,
        EngineOptions{
            .fidelity = "analytic", .routing = problem.routing, .timing = timing, .loads = false});
    return std::shared_ptr<const placement::Engine>(owner, &owner->engine());
  };
}

RunsSummary summary_of(std::span<const placement::Verified> found) {
  RunsSummary summary{.slowdowns = found.front().slowdowns};
  for (const placement::Verified& one : found) {
    if (!one.why_not.empty()) summary.refused.insert(one.why_not);
    summary.ran += one.simulated ? 1 : 0;
  }
  return summary;
}

void note(Provenance& provenance, Context& context, std::string text) {
  print_note(context, text);
  provenance.notes.push_back(std::move(text));
}

void note_runs(const RunsSummary& summary, const placement::Engine& engine,
               const PlaceProblem& problem, Provenance& provenance, Context& context) {
  for (const std::string& why : summary.refused) note(provenance, context, "not simulated: " + why);
  note(provenance, context,
       fmt::format("{} simulated ({}), concurrent collectives together{}", summary.ran,
                   engine.executor.name(), was_interrupted() ? "; stopped before the end" : ""));
  for (std::string text : {text_of_others(problem), text_of_contention(summary.slowdowns)})
    if (!text.empty()) note(provenance, context, std::move(text));
}

}  // namespace railyard::apps
