#include "apps/place/candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <ostream>
#include <set>

#include "apps/choice.hpp"
#include "apps/engine.hpp"
#include "apps/place/interruptible.hpp"
#include "apps/setting.hpp"
#include "core/diagnostic.hpp"
#include "placement/search.hpp"

namespace railyard::apps {
namespace {

using placement::Scored;
using placement::Verified;

/// How many of a search's best are simulated where no flag says so.
constexpr int kVerified = 20;
/// A search keeps so many for each that is simulated, to find different splits among them.
constexpr int kKeptPerRun = 10;

void note(Provenance& provenance, Context& context, std::string text) {
  print_note(context, text);
  provenance.notes.push_back(std::move(text));
}

std::vector<Scored> searched(const PlaceFlags& flags, Question& q, int keep, Provenance& provenance,
                             Context& context) {
  const placement::SearchSpace space{.gpus = q.gpus,
                                     .top = std::max(flags.top, keep),
                                     .overlap = !flags.no_overlap,
                                     .offload = flags.offload,
                                     .keep_going = watch(context, "searching")};
  const placement::SearchResult result = placement::search(q.context(), space);
  wipe(context);
  note(provenance, context,
       fmt::format("{} strategies: {} costed, {} do not fit, {} slower than the best by their "
                   "bound{}",
                   result.strategies, result.evaluated, result.too_large, result.too_slow,
                   result.stopped ? "; stopped before the end" : ""));
  if (!result.best.empty()) return result.best;
  if (!result.nearest)
    throw InputError("", "--job",
                     fmt::format("no strategy divides {} over {} GPUs", q.job.name, q.gpus),
                     "another number of GPUs, or another --batch");
  print_note(context, "nothing fits; the nearest:");
  return {*result.nearest};
}

/// The best of every split of the GPUs in front, up to `count` of them, then the others as they
/// were: what is simulated shall differ in more than what it hides.
std::vector<Scored> splits_first(std::vector<Scored> best, std::size_t count) {
  std::set<std::array<int, 5>> seen;
  std::vector<Scored> front, rest;
  for (Scored& one : best) {
    const placement::Strategy& s = one.strategy;
    const bool is_new = front.size() < count && seen.insert({s.tp, s.pp, s.dp, s.cp, s.ep}).second;
    (is_new ? front : rest).push_back(std::move(one));
  }
  front.insert(front.end(), std::make_move_iterator(rest.begin()),
               std::make_move_iterator(rest.end()));
  return front;
}

/// What the dimensions of a strategy cost each other; empty where nothing is slowed.
std::string contention_of(const Verified& one) {
  std::string text;
  for (const placement::Slowdown& slow : one.slowdowns)
    text += fmt::format("{} {} {:.2f} times as long", text.empty() ? "" : ",", slow.dimension,
                        slow.factor);
  return text.empty() ? text
                      : "what runs at the same time shares links; in the first it takes" + text;
}

std::vector<Verified> verified(const PlaceFlags& flags, Question& q, const Mapper& mapper,
                               std::span<const Scored> best, Provenance& provenance,
                               Context& context) {
  const auto analytic = make_engine(q.cluster, {.fidelity = "analytic", .routing = q.routing});
  const auto executor = make_engine(q.cluster, {.fidelity = flags.fidelity,
                                                .routing = q.routing,
                                                .faults = faults_of(q.cluster, flags.fabric)});
  Chooser chooser(q.cluster, *analytic, {});
  const placement::Engine engine{
      .cluster = q.cluster,
      .executor = *executor,
      .schedule = [&](const std::shared_ptr<const collectives::Group>& group,
                      const collectives::Collective& collective) {
        return chooser.chosen_schedule(
            {.group = group, .collective = collective, .protocol = {}, .channels = {}});
      }};
  const placement::CostContext cost = q.context();
  auto found = placement::verify_search(
      {.context = cost,
       .engine = engine,
       .mappings = [&](const placement::Strategy& s) { return mapper.mappings(s); },
       .keep_going = watch(context, "simulating")},
      best);
  wipe(context);
  std::set<std::string> refused;
  for (const Verified& one : found)
    if (!one.why_not.empty()) refused.insert(one.why_not);
  for (const std::string& why : refused) note(provenance, context, "not simulated: " + why);
  const auto ran =
      std::ranges::count_if(found, [](const Verified& v) { return v.simulated.has_value(); });
  note(provenance, context,
       fmt::format("{} simulated ({}), all groups at once{}", ran, executor->name(),
                   was_interrupted() ? "; stopped before the end" : ""));
  if (const std::string slower = contention_of(found.front()); !slower.empty())
    note(provenance, context, slower);
  return found;
}

}  // namespace

std::vector<Verified> candidates_of(const PlaceFlags& flags, Question& q, const Mapper& mapper,
                                    Provenance& provenance, Context& context) {
  const Interruptible guard(flags.interruptible);
  const int wanted = flags.verify.value_or(flags.is_fixed() ? 0 : kVerified);
  std::vector<Scored> best;
  if (flags.is_fixed()) {
    const placement::Strategy s = fixed_strategy(flags, q, provenance);
    best = {placement::score(q.context(), s)};
  } else {
    best = searched(flags, q, wanted * kKeptPerRun, provenance, context);
    if (wanted > 0) best = splits_first(std::move(best), static_cast<std::size_t>(wanted));
  }
  std::vector<Verified> found;
  const std::size_t runs = std::min(best.size(), static_cast<std::size_t>(wanted));
  if (runs > 0 && best.front().fits && !was_interrupted())
    found = verified(flags, q, mapper, std::span(best).first(runs), provenance, context);
  for (std::size_t i = found.size(); i < best.size(); ++i) found.push_back({.scored = best[i]});
  if (found.size() > static_cast<std::size_t>(flags.top))
    found.resize(static_cast<std::size_t>(flags.top));
  return found;
}

}  // namespace railyard::apps
