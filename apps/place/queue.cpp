#include "apps/place/queue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <sstream>

#include "apps/output/result_output.hpp"
#include "apps/place/candidates.hpp"
#include "apps/place/emit.hpp"
#include "apps/place/node_use.hpp"
#include "apps/place/queue_fields.hpp"
#include "apps/place/settle.hpp"
#include "apps/place/starts.hpp"
#include "core/diagnostic.hpp"

namespace railyard::apps {
namespace {

using placement::Mapping;
using placement::Strategy;

/// How many of a job's strategies are simulated where no flag says so.
constexpr int kVerifiedOfEach = 5;

/// A job with the strategy that it would have by itself.
struct Wanted {
  const QueuedJob* queued = nullptr;
  PlaceFlags flags;
  Question question;  ///< on what is free for all
  Strategy strategy{};
  double alone = 0;  ///< seconds of its step there
};

/// Where jobs are, by job; empty mappings where there was no room.
struct Arrangement {
  std::vector<Mapping> mappings;
  std::vector<double> steps;
  double lost = 0;  ///< share of the GPUs' time, summed over GPUs
  std::size_t placed = 0;
};

Wanted wanted(const PlaceFlags& flags, const QueuedJob& queued, Provenance& provenance,
              Context& context) {
  PlaceFlags own = flags;
  own.job = queued.job;
  own.fix = queued.fix;
  own.batch = queued.batch;
  own.verify = flags.verify.value_or(kVerifiedOfEach);
  own.top = 1;
  own.cluster.gpus = queued.gpus;
  own.queue.clear();
  Provenance its;
  Wanted one{.queued = &queued, .flags = own, .question = read_question(own, its)};
  provenance.configs = its.configs;
  require_one_type(one.question);
  const Mapper mapper(one.question, true);
  std::ostringstream unheard;
  Context quiet{.out = unheard, .err = unheard, .command = context.command};
  const auto found = candidates_of(own, one.question, mapper, its, quiet).front();
  if (!found.scored.fits)
    throw InputError("", queued.name,
                     fmt::format("no strategy fits {} GPUs; the nearest is {}: {}", queued.gpus,
                                 placement::to_text(found.scored.strategy),
                                 placement::bound_by(one.question.context(), found.scored)),
                     "more GPUs");
  one.strategy = found.scored.strategy;
  one.alone = settle(own, one.question, one.strategy).step().seconds();
  return one;
}

/// The question with GPUs taken by other jobs of the queue, and what they send.
Question beside(const Wanted& one, std::span<const Wanted> all, const Arrangement& placed,
                std::size_t itself) {
  Occupancy occupancy = one.question.occupancy;
  Question q = one.question;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i == itself || placed.mappings[i].size() == 0) continue;
    Tenant tenant;
    tenant.name = all[i].queued->name;
    tenant.gpus = rank_list_text(placed.mappings[i]);
    occupancy.jobs.push_back(std::move(tenant));
    const auto sent = traffic_per_second(all[i].question.job, all[i].strategy, placed.mappings[i],
                                         placed.steps[i]);
    q.sent.insert(q.sent.end(), sent.begin(), sent.end());
  }
  return with_occupancy(q, std::move(occupancy), 0);
}

/// Jobs take nodes in this order; those for which there is no room are left out.
Arrangement arranged(std::vector<Wanted>& all, std::span<const std::size_t> order) {
  Arrangement placed{.mappings = std::vector<Mapping>(all.size()),
                     .steps = std::vector<double>(all.size(), 0)};
  for (const std::size_t i : order) {
    Question q = beside(all[i], all, placed, i);
    const int gpus = all[i].strategy.gpus();
    if (q.free.size() < static_cast<std::size_t>(gpus)) continue;
    q = with_occupancy(q, q.occupancy, gpus);
    Settled settled = settle(all[i].flags, q, all[i].strategy);
    placed.steps[i] = settled.step().seconds();
    placed.mappings[i] = std::move(settled.mapping);
    ++placed.placed;
  }
  // Those that came later are in the way of the earlier too.
  std::vector<double> together = placed.steps;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (placed.mappings[i].size() == 0) continue;
    Question q = beside(all[i], all, placed, i);
    together[i] = run_on(all[i].flags, q, all[i].strategy, {placed.mappings[i]}).step().seconds();
    placed.lost += all[i].strategy.gpus() * (1 - all[i].alone / together[i]);
  }
  placed.steps = together;
  return placed;
}

/// The order of the file, or largest first.
Arrangement best_arrangement(std::vector<Wanted>& all) {
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  Arrangement best = arranged(all, order);
  std::vector<std::size_t> falling = order;
  std::ranges::stable_sort(falling, std::ranges::greater{},
                           [&](std::size_t i) { return all[i].queued->gpus; });
  if (falling == order) return best;
  Arrangement other = arranged(all, falling);
  const bool is_better = other.placed != best.placed ? other.placed > best.placed
                                                     : other.lost < best.lost * (1 - 1e-9);
  return is_better ? other : best;
}

struct Row {
  const Wanted& wanted;
  const Mapping& mapping;
  double step = 0;
  std::size_t units = 0;
};

constexpr ColumnStyle kThousandths{.decimals = 3};
constexpr ColumnStyle kTenths{.decimals = 1};

template <class Value>
RowValue if_placed(const Row& r, Value value) {
  return r.mapping.size() > 0 ? RowValue(value) : RowValue();
}

/// Other nodes' hashes may be kinder by a hair: that is nothing.
double slower_percent(const Row& r) {
  const double percent = 100 * (r.step / r.wanted.alone - 1);
  return std::abs(percent) < 0.05 ? 0.0 : percent;
}

constexpr std::array<Column<Row>, 8> kColumns{{
    {"name", [](const Row& r) -> RowValue { return r.wanted.queued->name; }},
    {"gpus", [](const Row& r) -> RowValue { return std::int64_t{r.wanted.strategy.gpus()}; }},
    {"nodes",
     [](const Row& r) -> RowValue {
       return r.mapping.size() == 0 ? "no room"
                                    : node_list(r.wanted.question.cluster, r.mapping.gpus);
     }},
    {"units", [](const Row& r) { return if_placed(r, static_cast<std::int64_t>(r.units)); }},
    {"alone_s", [](const Row& r) -> RowValue { return r.wanted.alone; }, kThousandths},
    {"step_s", [](const Row& r) { return if_placed(r, r.step); }, kThousandths},
    {"slower_pct", [](const Row& r) { return if_placed(r, slower_percent(r)); }, kTenths},
    {"strategy", [](const Row& r) -> RowValue { return placement::to_text(r.wanted.strategy); }},
}};

void check_flags(const PlaceFlags& flags) {
  Diagnostics problems("");
  const auto refuse = [&](bool given, const char* flag) {
    if (given)
      problems.add(flag, "is of one job, not of a queue", "name it in the file of --queue");
  };
  refuse(!flags.job.empty(), "--job");
  refuse(flags.is_fixed(), "--fix");
  refuse(flags.batch.has_value(), "--batch");
  refuse(flags.cluster.gpus.has_value(), "--gpus");
  refuse(flags.is_elastic(), "--lost");
  refuse(!flags.objective.objective.empty(), "--objective");
  refuse(flags.max_batch.has_value(), "--max-batch");
  refuse(flags.wide, "--wide");
  refuse(flags.timeline, "--timeline");
  refuse(!flags.output.trace.empty(), "--trace");
  if (std::ranges::any_of(flags.emit, is_launch_format))
    problems.add("--emit", "a format is of one job, not of a queue", "a folder: --emit DIR");
  problems.throw_if_any();
}

/// Jobs of which a type of GPU has no room are not given others.
void note_types(const Question& q, Context& context) {
  if (placement::gpu_types(q.cluster, q.all).size() > 1)
    print_note(context,
               fmt::format("GPUs of several types: only {} are given out; --ranks names others",
                           q.gpu.gpu.name));
}

void emit_each(const std::vector<Wanted>& all, const Arrangement& placed, Context& context) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (placed.mappings[i].size() == 0) continue;
    PlaceFlags own = all[i].flags;
    for (std::string& folder : own.emit) folder += "/" + all[i].queued->name;
    own.job = all[i].queued->name;  // two may be of the same job
    emit({.flags = own,
          .question = all[i].question,
          .strategy = all[i].strategy,
          .mapping = placed.mappings[i]},
         context);
  }
}

}  // namespace

int run_queue(const PlaceFlags& flags, Context& context) {
  check_flags(flags);
  const auto queue = core::read_config<Queue>(flags.queue);
  Provenance provenance{.command = context.command, .facts = {}, .configs = {}, .seed = 0};
  provenance.facts.emplace_back("queue", flags.queue);
  std::vector<Wanted> all;
  for (const QueuedJob& queued : queue.jobs)
    all.push_back(wanted(flags, queued, provenance, context));
  if (all.empty()) throw InputError(flags.queue, "/jobs", "is empty");
  const Arrangement placed = best_arrangement(all);
  const placement::Tiers tiers(all.front().question.cluster);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < all.size(); ++i)
    rows.push_back(
        {all[i], placed.mappings[i], placed.steps[i], count_units(tiers, placed.mappings[i].gpus)});
  write_result(
      {.kind = "queue",
       .provenance = provenance,
       .rows = tabulate(std::span<const Column<Row>>(kColumns), std::span<const Row>(rows))},
      flags.output, context);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (placed.mappings[i].size() > 0) continue;
    const Question q = beside(all[i], all, placed, i);
    const std::string when = when_free(q.cluster, q.occupancy, q.free.size(),
                                       static_cast<std::size_t>(all[i].queued->gpus));
    print_note(context,
               fmt::format("{} finds {} GPUs free of {}{}", all[i].queued->name, q.free.size(),
                           all[i].queued->gpus, when.empty() ? "" : "; " + when));
  }
  note_types(all.front().question, context);
  emit_each(all, placed, context);
  return placed.placed == all.size() ? ExitCode::done : ExitCode::finding;
}

}  // namespace railyard::apps
