#include "apps/place/place_engine.hpp"

#include <fmt/format.h>

#include "apps/engine.hpp"
#include "apps/place/interruptible.hpp"
#include "apps/setting.hpp"

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

}  // namespace

PlaceEngine::PlaceEngine(const PlaceFlags& flags, const Question& q)
    : analytic_(make_engine(q.cluster, {.fidelity = "analytic", .routing = q.routing})),
      executor_(make_engine(q.cluster, {.fidelity = flags.fidelity,
                                        .routing = q.routing,
                                        .faults = faults_of(q.cluster, flags.fabric)})),
      chooser_(q.cluster, *analytic_, {}),
      engine_{.cluster = q.cluster,
              .executor = *executor_,
              .schedule = [this](const std::shared_ptr<const collectives::Group>& group,
                                 const collectives::Collective& collective) {
                return chooser_.chosen_schedule(
                    {.group = group, .collective = collective, .protocol = {}, .channels = {}});
              }} {}

void note(Provenance& provenance, Context& context, std::string text) {
  print_note(context, text);
  provenance.notes.push_back(std::move(text));
}

void note_runs(const RunsSummary& summary, std::string_view engine, Provenance& provenance,
               Context& context) {
  for (const std::string& why : summary.refused) note(provenance, context, "not simulated: " + why);
  note(provenance, context,
       fmt::format("{} simulated ({}), all groups at once{}", summary.ran, engine,
                   was_interrupted() ? "; stopped before the end" : ""));
  if (const std::string slower = contention_of(summary.slowdowns); !slower.empty())
    note(provenance, context, slower);
}

}  // namespace railyard::apps
