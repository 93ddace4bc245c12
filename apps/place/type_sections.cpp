#include "apps/place/type_sections.hpp"

#include <fmt/format.h>

#include <array>

#include "apps/output/row_values.hpp"
#include "placement/cost/gpu_type.hpp"
#include "placement/cost/type_shares.hpp"
#include "placement/strategy/counts.hpp"

namespace railyard::apps {
namespace {

/// A share of a type, and the GPUs of that type.
struct ShareRow {
  const placement::TypeShare& share;
  const topology::GpuSpec& gpu;
};

/// "12", or "11-12" if some replicas have one micro-batch less.
std::string batches_text(const placement::TypeShare& s) {
  if (s.fewer == 0) return fmt::format("{}", s.micro_batches);
  return fmt::format("{}-{}", s.micro_batches - 1, s.micro_batches);
}

std::string stages_text(const placement::TypeShare& s) {
  if (s.first_stage == s.last_stage) return fmt::format("{}", s.first_stage);
  return fmt::format("{}-{}", s.first_stage, s.last_stage);
}

constexpr std::array<Column<ShareRow>, 10> kShares{{
    {"pipeline", [](const ShareRow& r) -> RowValue { return std::int64_t{r.share.pipeline}; }},
    {"replicas", [](const ShareRow& r) -> RowValue { return std::int64_t{r.share.replicas}; }},
    {"micro_batches", [](const ShareRow& r) -> RowValue { return batches_text(r.share); }},
    {"type",
     [](const ShareRow& r) -> RowValue {
       return fmt::format("{} {}", placement::type_name(r.share.type), r.gpu.name);
     }},
    {"gpus", [](const ShareRow& r) -> RowValue { return std::int64_t{r.share.gpus}; }},
    {"stages", [](const ShareRow& r) -> RowValue { return stages_text(r.share); }},
    {"layers",
     [](const ShareRow& r) -> RowValue { return placement::to_counts_text(r.share.layers); }},
    {"pass_ms", [](const ShareRow& r) -> RowValue { return r.share.pass.seconds() * 1e3; },
     kTenths},
    {"memory_GB", [](const ShareRow& r) -> RowValue { return r.share.memory.gigabytes(); },
     kTenths},
    {"capacity_GB", [](const ShareRow& r) -> RowValue { return r.gpu.memory.gigabytes(); },
     kTenths},
}};

struct Compared {
  std::string name, strategy;
  const placement::SimulatedStrategy& run;
  const placement::SimulatedStrategy& best;
};

constexpr std::array<Column<Compared>, 6> kAlternatives{{
    {"alternative", [](const Compared& c) -> RowValue { return c.name; }},
    {"gpus",
     [](const Compared& c) -> RowValue { return std::int64_t{c.run.scored.strategy.gpus()}; }},
    {"iteration_s", [](const Compared& c) -> RowValue { return c.run.scored.step.total.seconds(); },
     kThousandths},
    {"simulated_s",
     [](const Compared& c) -> RowValue {
       return c.run.simulated ? RowValue(c.run.simulated->total.seconds()) : RowValue();
     },
     kThousandths},
    {"relative_time", [](const Compared& c) -> RowValue { return times_as_long(c.run, c.best); },
     kThousandths},
    {"strategy", [](const Compared& c) -> RowValue { return c.strategy; }},
}};

}  // namespace

RowTable tabulate_stages(const placement::CostContext& c, const placement::ScoredStrategy& scored) {
  const std::vector<placement::TypeShare> shares = placement::type_shares(c, scored.strategy);
  std::vector<ShareRow> rows;
  for (const placement::TypeShare& share : shares)
    rows.push_back({share, c.on(share.type).gpu.gpu});
  return tabulate(kShares, rows);
}

RowTable tabulate_alternatives(const placement::SimulatedStrategy& best,
                               std::span<const placement::Alternative> alternatives) {
  std::vector<Compared> rows{
      {"best strategy", placement::to_text(best.scored.strategy), best, best}};
  for (const placement::Alternative& one : alternatives)
    rows.push_back({one.name, one.strategy, one.run, best});
  return tabulate(kAlternatives, rows);
}

}  // namespace railyard::apps
