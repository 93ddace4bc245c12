#include "apps/place/step_sections.hpp"

#include <array>

#include "apps/output/result_output.hpp"
#include "apps/output/table_columns.hpp"
#include "placement/strategy/strategy_groups.hpp"

namespace railyard::apps {
namespace {

using placement::StepEvent;

RowValue number_or_nothing(int value) {
  return value < 0 ? RowValue(std::monostate()) : RowValue(std::int64_t{value});
}

constexpr std::array<Column<StepEvent>, 8> kEvents{{
    {"pipeline", [](const StepEvent& e) -> RowValue { return number_or_nothing(e.pipeline); }},
    {"stage", [](const StepEvent& e) -> RowValue { return std::int64_t{e.stage}; }},
    {"stream",
     [](const StepEvent& e) -> RowValue { return std::string(placement::name_of(e.stream)); }},
    {"what", [](const StepEvent& e) -> RowValue { return std::string(e.what); }},
    {"micro_batch",
     [](const StepEvent& e) -> RowValue { return number_or_nothing(e.micro_batch); }},
    {"chunk", [](const StepEvent& e) -> RowValue { return number_or_nothing(e.chunk); }},
    {"begin_us", [](const StepEvent& e) -> RowValue { return e.begin.microseconds(); }},
    {"end_us", [](const StepEvent& e) -> RowValue { return e.end.microseconds(); }},
}};

}  // namespace

RowTable tabulate_timeline(std::span<const StepEvent> events) {
  const bool named = !events.empty() && events.front().pipeline >= 0;
  return tabulate(std::span(kEvents).subspan(named ? 0 : 1), events);
}

RowTable tabulate_ranks(const topology::Cluster& cluster, const placement::Strategy& strategy,
                        const placement::Mapping& mapping) {
  using placement::GridAxis;
  const placement::RankGrid grid = placement::strategy_grid(strategy);
  RowTable table = table_of({"rank", "tp", "cp", "ep", "dp", "pp", "node", "gpu"});
  for (std::size_t r = 0; r < mapping.size(); ++r) {
    auto& row = table.rows.emplace_back();
    row.emplace_back(static_cast<std::int64_t>(r));
    for (const GridAxis axis :
         {GridAxis::tp, GridAxis::cp, GridAxis::ep, GridAxis::dp, GridAxis::pp})
      row.emplace_back(std::int64_t{grid.coordinate(placement::JobRank(r), axis)});
    const Rank gpu = mapping.gpus[r];
    row.emplace_back(std::int64_t{cluster.node_of(gpu).value()});
    row.emplace_back(std::int64_t{cluster.local_gpu(gpu)});
  }
  return table;
}

std::vector<StepEvent> timeline_of(const placement::PlaceProblem& problem,
                                   const placement::Verified& best, int micro_batches) {
  const auto run = best.runs.find(micro_batches);
  return run != best.runs.end()
             ? placement::step_timeline(run->second)
             : placement::step_timeline(problem.context(), best.scored.strategy, micro_batches);
}

void write_step_trace(const OutputFlags& output, const placement::PlaceProblem& problem,
                      const placement::Verified& best, Context& context) {
  if (output.trace.empty()) return;
  collectives::Run run;
  run.timeline = placement::trace_events(timeline_of(problem, best, 0));
  write_trace_file(run, output, context);
}

}  // namespace railyard::apps
