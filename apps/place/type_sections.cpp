#include "apps/place/type_sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "apps/output/row_values.hpp"
#include "placement/cost/gpu_type.hpp"
#include "placement/strategy/counts.hpp"

namespace railyard::apps {
namespace {

using placement::PipelineClass;
using placement::Scored;
using placement::StageUse;

/// Stages of one class on one type.
struct TypeShare {
  std::string gpu{}, stages{}, layers{};
  int pipeline = 0, replicas = 0, fewer = 0, micro_batches = 0, gpus = 0;
  double pass_ms = 0, memory_GB = 0, capacity_GB = 0;
};

/// "12", or "11-12" where some replicas have one less.
std::string batches_text(const TypeShare& s) {
  if (s.fewer == 0) return fmt::format("{}", s.micro_batches);
  return fmt::format("{}-{}", s.micro_batches - 1, s.micro_batches);
}

std::string range_text(int first, int last) {
  return first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last);
}

TypeShare share_of(const placement::CostContext& c, const Scored& scored,
                   std::span<const StageUse> uses) {
  const StageUse& first = uses.front();
  const placement::ReplicaClasses classes(c.job.batch, scored.strategy);
  const PipelineClass& one = classes[static_cast<std::size_t>(first.pipeline)];
  const placement::TypeContext& type = c.on(first.type);
  const placement::Strategy& s = scored.strategy;
  TypeShare share{.gpu = fmt::format("{} {}", placement::type_name(first.type), type.gpu.gpu.name),
                  .stages = range_text(first.stage, uses.back().stage),
                  .pipeline = first.pipeline,
                  .replicas = one.replicas,
                  .fewer = one.fewer,
                  .micro_batches = one.micro_batches,
                  .gpus = static_cast<int>(uses.size()) * one.replicas * s.tp * s.cp,
                  .capacity_GB = type.gpu.gpu.memory.gigabytes()};
  std::vector<int> layers;
  for (const StageUse& use : uses) {
    layers.push_back(use.layers);
    share.pass_ms = std::max(share.pass_ms, use.pass.seconds() * 1e3);
    share.memory_GB = std::max(share.memory_GB, use.memory.total().gigabytes());
  }
  share.layers = placement::to_counts_text(layers);
  return share;
}

constexpr std::array<Column<TypeShare>, 10> kShares{{
    {"pipeline", [](const TypeShare& s) -> RowValue { return std::int64_t{s.pipeline}; }},
    {"replicas", [](const TypeShare& s) -> RowValue { return std::int64_t{s.replicas}; }},
    {"micro_batches", [](const TypeShare& s) -> RowValue { return batches_text(s); }},
    {"type", [](const TypeShare& s) -> RowValue { return s.gpu; }},
    {"gpus", [](const TypeShare& s) -> RowValue { return std::int64_t{s.gpus}; }},
    {"stages", [](const TypeShare& s) -> RowValue { return s.stages; }},
    {"layers", [](const TypeShare& s) -> RowValue { return s.layers; }},
    {"pass_ms", [](const TypeShare& s) -> RowValue { return s.pass_ms; }, kTenths},
    {"memory_GB", [](const TypeShare& s) -> RowValue { return s.memory_GB; }, kTenths},
    {"capacity_GB", [](const TypeShare& s) -> RowValue { return s.capacity_GB; }, kTenths},
}};

struct Compared {
  std::string name, strategy;
  const placement::Verified& run;
  const placement::Verified& best;
  [[nodiscard]] double times() const {
    const bool both = run.simulated && best.simulated;
    const auto step = [&](const placement::Verified& one) {
      return (both ? *one.simulated : one.scored.step).total.seconds();
    };
    return step(run) / step(best);
  }
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
    {"times", [](const Compared& c) -> RowValue { return c.times(); }, kThousandths},
    {"strategy", [](const Compared& c) -> RowValue { return c.strategy; }},
}};

}  // namespace

RowTable tabulate_stages(const placement::CostContext& c, const Scored& scored) {
  const placement::TypeBlocks blocks = placement::type_blocks(c, scored.strategy);
  const std::vector<StageUse> uses = placement::stage_uses(c, scored.strategy, blocks.blocks);
  std::vector<TypeShare> shares;
  for (std::size_t i = 0; i < uses.size();) {
    std::size_t end = i + 1;
    while (end < uses.size() && uses[end].pipeline == uses[i].pipeline &&
           uses[end].type == uses[i].type)
      ++end;
    shares.push_back(share_of(c, scored, std::span(uses).subspan(i, end - i)));
    i = end;
  }
  return tabulate(kShares, shares);
}

RowTable tabulate_alternatives(const placement::Verified& best,
                               std::span<const placement::Alternative> alternatives) {
  std::vector<Compared> rows{{"(the best)", placement::to_text(best.scored.strategy), best, best}};
  for (const placement::Alternative& one : alternatives)
    rows.push_back({one.name, one.strategy, one.run, best});
  return tabulate(kAlternatives, rows);
}

}  // namespace railyard::apps
