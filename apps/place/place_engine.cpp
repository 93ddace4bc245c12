#include "apps/place/place_engine.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "apps/cli/setting.hpp"
#include "apps/place/interruptible.hpp"
#include "apps/sim/engine.hpp"

namespace railyard::apps {
namespace {

/// What the dimensions of a strategy cost each other; empty where nothing is slowed.
std::string contention_of(std::span<const placement::Slowdown> slowdowns) {
  std::string text;
  for (const placement::Slowdown& slow : slowdowns)
    text += fmt::format("{} {} {:.2f} times as long", text.empty() ? "" : ",", slow.dimension,
                        slow.factor);
  return text.empty() ? text
                      : "what runs at the same time shares links; in the first it takes" + text;
}

std::vector<topology::Degradation> taken_by_others(const Question& q) {
  if (q.occupancy.jobs.empty() && q.sent.empty()) return {};
  return background_of(q, placement::Tiers(q.cluster)).taken();
}

/// What is broken by the flags, and what other jobs take.
std::vector<topology::TimedFault> faults_of(const PlaceFlags& flags, const Question& q,
                                            const std::vector<topology::Degradation>& taken) {
  std::vector<topology::TimedFault> faults = faults_of(q.cluster, flags.fabric);
  if (!taken.empty()) faults.push_back({.at = Time(), .faults = {.failed = {}, .degraded = taken}});
  return faults;
}

/// Nodes inside which something is not as it was built.
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

}  // namespace

PlaceEngine::PlaceEngine(const PlaceFlags& flags, const Question& q)
    : PlaceEngine(flags, q, taken_by_others(q)) {}

PlaceEngine::PlaceEngine(const PlaceFlags& flags, const Question& q,
                         std::vector<topology::Degradation> taken)
    : others_(text_of_taken(q, taken)),
      analytic_(make_engine(q.cluster, {.fidelity = "analytic", .routing = q.routing})),
      executor_(make_engine(q.cluster, {.fidelity = flags.fidelity,
                                        .routing = q.routing,
                                        .faults = faults_of(flags, q, taken)})),
      chooser_(q.cluster, *analytic_, {}),
      engine_{.cluster = q.cluster,
              .executor = *executor_,
              .schedule =
                  [this](const std::shared_ptr<const collectives::Group>& group,
                         const collectives::Collective& collective) {
                    return chooser_.chosen_schedule(
                        {.group = group, .collective = collective, .protocol = {}, .channels = {}});
                  },
              .odd_nodes = odd_nodes(q.cluster, faults_of(flags, q, taken))} {}

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

void note_runs(const RunsSummary& summary, const PlaceEngine& engine, Provenance& provenance,
               Context& context) {
  for (const std::string& why : summary.refused) note(provenance, context, "not simulated: " + why);
  note(provenance, context,
       fmt::format("{} simulated ({}), all groups at once{}", summary.ran, engine.name(),
                   was_interrupted() ? "; stopped before the end" : ""));
  if (!engine.others().empty()) note(provenance, context, engine.others());
  if (const std::string slower = contention_of(summary.slowdowns); !slower.empty())
    note(provenance, context, slower);
}

}  // namespace railyard::apps
