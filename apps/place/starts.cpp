#include "apps/place/starts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>

#include "apps/place/node_use.hpp"

namespace railyard::apps {
namespace {

constexpr double kHour = 3600;
/// Ends after which a start is simulated: the next.
constexpr std::size_t kMostEnds = 12;

/// Ends of jobs, the next first.
struct End {
  Time at;
  std::size_t tenant = 0;
};

std::vector<End> ends_of(const Occupancy& occupancy) {
  std::vector<End> ends;
  for (std::size_t t = 0; t < occupancy.jobs.size(); ++t)
    if (const auto& left = occupancy.jobs[t].left) ends.push_back({*left, t});
  std::ranges::stable_sort(ends, {}, &End::at);
  return ends;
}

/// The occupancy without the jobs that have ended by then.
Occupancy after_ends(Occupancy occupancy, Time at) {
  std::erase_if(occupancy.jobs, [&](const Tenant& t) { return t.left && *t.left <= at; });
  return occupancy;
}

struct Start {
  double wait = 0;  ///< seconds
  std::string after;
  std::size_t free = 0, units = 0;
  std::string nodes;
  double step = 0;
  std::optional<double> done;    ///< seconds from now
  std::optional<double> longer;  ///< seconds that the job must run now for the wait to pay
};

constexpr ColumnStyle kThousandths{.decimals = 3};
constexpr ColumnStyle kTenths{.decimals = 1};

RowValue hours(const std::optional<double>& seconds) {
  return seconds ? RowValue(*seconds / kHour) : RowValue();
}

constexpr std::array<Column<Start>, 8> kColumns{{
    {"start_h", [](const Start& s) { return hours(s.wait); }, kTenths},
    {"when",
     [](const Start& s) -> RowValue { return s.after.empty() ? "now" : s.after + " ends"; }},
    {"free_gpus", [](const Start& s) -> RowValue { return static_cast<std::int64_t>(s.free); }},
    {"nodes", [](const Start& s) -> RowValue { return s.nodes; }},
    {"units", [](const Start& s) -> RowValue { return static_cast<std::int64_t>(s.units); }},
    {"step_s", [](const Start& s) -> RowValue { return s.step; }, kThousandths},
    {"done_h", [](const Start& s) { return hours(s.done); }, kTenths},
    {"pays_for_jobs_over_h", [](const Start& s) { return hours(s.longer); }, kTenths},
}};

/// Steps to the job's tokens; nothing where they are not known.
std::optional<double> steps_of(const PlaceFlags& flags, const placement::Job& job) {
  const double tokens = flags.objective.tokens.value_or(job.tokens);
  if (!(tokens > 0)) return std::nullopt;
  return tokens / (static_cast<double>(job.batch) * job.sequence);
}

Start start_at(const PlaceFlags& flags, Question& q, const placement::Strategy& strategy,
               double wait) {
  const Settled settled = settle(flags, q, strategy);
  const placement::Tiers tiers(q.cluster);
  Start start{.wait = wait,
              .after = {},
              .free = q.free.size(),
              .units = count_units(tiers, settled.mapping.gpus),
              .nodes = node_list(q.cluster, settled.mapping.gpus),
              .step = settled.step().seconds(),
              .done = {},
              .longer = {}};
  if (const auto steps = steps_of(flags, q.job)) start.done = wait + *steps * start.step;
  return start;
}

}  // namespace

bool knows_ends(const Occupancy& occupancy) { return !ends_of(occupancy).empty(); }

RowTable tabulate_starts(const PlaceFlags& flags, Question& q,
                         const placement::Strategy& strategy) {
  std::vector<Start> starts{start_at(flags, q, strategy, 0)};
  const double now = starts.front().step;
  double best = now;
  std::vector<End> ends = ends_of(q.occupancy);
  if (ends.size() > kMostEnds) ends.resize(kMostEnds);
  for (const End& end : ends) {
    Question then = with_occupancy(q, after_ends(q.occupancy, end.at), strategy.gpus());
    Start start = start_at(flags, then, strategy, end.at.seconds());
    if (start.step >= best * (1 - 1e-6)) continue;
    best = start.step;
    start.after = q.occupancy.jobs[end.tenant].name;
    // wait + n steps there is n steps here.
    start.longer = start.wait / (1 - start.step / now);
    starts.push_back(std::move(start));
  }
  return tabulate(std::span<const Column<Start>>(kColumns), std::span<const Start>(starts));
}

std::string when_free(const topology::Cluster& cluster, const Occupancy& occupancy,
                      std::size_t free, std::size_t wanted) {
  for (const End& end : ends_of(occupancy)) {
    const Tenant& tenant = occupancy.jobs[end.tenant];
    free += gpus_of(cluster, tenant.nodes, tenant.gpus).size();
    if (free >= wanted)
      return fmt::format("{} are free in {:.1f} h, when {} ends", free, end.at.seconds() / kHour,
                         tenant.name);
  }
  return {};
}

}  // namespace railyard::apps
