#include "apps/plan/fabric/fabric_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "apps/output/row_values.hpp"
#include "core/config/enum_names.hpp"
#include "topology/cluster/topology_names.hpp"

namespace railyard::apps {
namespace {

using placement::BillLine;
using placement::FabricOption;
using placement::FailedStep;

/// A fabric of a plan, and the fabric with which it is compared.
struct FabricRow {
  const FabricOption& option;
  const FabricOption* best = nullptr;
  int gpus = 0, nodes = 0;
  [[nodiscard]] bool is_best() const { return best == &option; }
  [[nodiscard]] bool is_built() const { return option.design.has_value(); }
};

RowValue whole(std::int64_t value) { return value; }

RowValue seconds(const std::optional<Time>& time) {
  return time ? RowValue(time->seconds()) : RowValue();
}

RowValue switches_of(const FabricRow& r, std::size_t tier) {
  return r.is_built() ? whole(r.option.design->tiers[tier].switches) : RowValue();
}

RowValue built(const FabricRow& r, double value) {
  return r.is_built() ? RowValue(value) : RowValue();
}

RowValue hops(const std::optional<int>& switches) {
  return switches ? whole(*switches) : RowValue();
}

/// By how much a failure lengthens the step, or what stops the job.
RowValue failed_text(const FabricRow& r, const FailedStep& failed) {
  if (failed.nodes_cut_off > 0)
    return fmt::format("stops, {} node{}", failed.nodes_cut_off,
                       failed.nodes_cut_off == 1 ? "" : "s");
  if (!failed.step || !r.option.times.step) return {};
  const double longer = failed.step->seconds() / r.option.times.step->seconds() - 1;
  return fmt::format("{:+.1f} %", 100 * longer);
}

RowValue relative_cost(const FabricRow& r) {
  if (!r.option.cost_of_step || r.best == nullptr || !r.best->cost_of_step) return {};
  return 100 * (*r.option.cost_of_step / *r.best->cost_of_step - 1);
}

RowValue most_gpus(const FabricRow& r) {
  if (r.is_built()) return {};
  return whole(std::int64_t{r.option.most_nodes} * (r.gpus / r.nodes));
}

constexpr std::array<Column<FabricRow>, 33> kColumns{{
    {"fabric",
     [](const FabricRow& r) -> RowValue { return std::string(core::enum_name(r.option.kind)); }},
    {"oversubscription", [](const FabricRow& r) -> RowValue { return r.option.oversubscription; }},
    {"buy", [](const FabricRow& r) -> RowValue { return r.is_best(); }},
    {"can_be_built", [](const FabricRow& r) -> RowValue { return r.is_built(); }},
    {"most_gpus", most_gpus},
    {"switches",
     [](const FabricRow& r) {
       return r.is_built() ? whole(r.option.design->switches()) : RowValue();
     }},
    {"leaves", [](const FabricRow& r) { return switches_of(r, 0); }},
    {"spines", [](const FabricRow& r) { return switches_of(r, 1); }},
    {"cores", [](const FabricRow& r) { return switches_of(r, 2); }},
    {"nodes_per_unit",
     [](const FabricRow& r) {
       return r.is_built() ? hops(r.option.design->fabric.nodes_per_unit) : RowValue();
     }},
    {"units_per_pod",
     [](const FabricRow& r) {
       return r.is_built() ? hops(r.option.design->fabric.units_per_pod) : RowValue();
     }},
    {"cables",
     [](const FabricRow& r) { return r.is_built() ? whole(r.option.total.cables) : RowValue(); }},
    {"transceivers",
     [](const FabricRow& r) {
       return r.is_built() ? whole(r.option.total.transceivers) : RowValue();
     }},
    {"price", [](const FabricRow& r) { return built(r, r.option.total.price); }, kWhole},
    {"price_low", [](const FabricRow& r) { return built(r, r.option.total.low); }, kWhole},
    {"price_high", [](const FabricRow& r) { return built(r, r.option.total.high); }, kWhole},
    {"price_estimated", [](const FabricRow& r) { return built(r, r.option.total.estimated); },
     kWhole},
    {"price_per_gpu", [](const FabricRow& r) { return built(r, r.option.total.price / r.gpus); },
     kWhole},
    {"power_kW", [](const FabricRow& r) { return built(r, r.option.total.watts / 1e3); }, kTenths},
    {"power_kW_low", [](const FabricRow& r) { return built(r, r.option.total.watts_low / 1e3); },
     kTenths},
    {"power_kW_high", [](const FabricRow& r) { return built(r, r.option.total.watts_high / 1e3); },
     kTenths},
    {"bisection_GBps",
     [](const FabricRow& r) { return built(r, r.option.bisection.gigabytes_per_second()); },
     kTenths},
    {"same_rail_switches", [](const FabricRow& r) { return hops(r.option.same_rail_switches); }},
    {"cross_rail_switches", [](const FabricRow& r) { return hops(r.option.cross_rail_switches); }},
    {"all_reduce_us", [](const FabricRow& r) { return microseconds(r.option.times.all_reduce); },
     kTenths},
    {"step_s", [](const FabricRow& r) { return seconds(r.option.times.step); }, kThousandths},
    {"exposed_comm_s", [](const FabricRow& r) { return seconds(r.option.times.exposed); },
     kThousandths},
    {"spine_failed_s", [](const FabricRow& r) { return seconds(r.option.times.spine.step); },
     kThousandths},
    {"leaf_failed_s", [](const FabricRow& r) { return seconds(r.option.times.leaf.step); },
     kThousandths},
    {"cable_failed_s", [](const FabricRow& r) { return seconds(r.option.times.cable.step); },
     kThousandths},
    {"leaf_cuts_off_nodes",
     [](const FabricRow& r) {
       return r.is_built() ? whole(r.option.times.leaf.nodes_cut_off) : RowValue();
     }},
    {"cable_cuts_off_nodes",
     [](const FabricRow& r) {
       return r.is_built() ? whole(r.option.times.cable.nodes_cut_off) : RowValue();
     }},
    {"cost_of_step_pct", relative_cost, kTenths},
}};

constexpr std::array<Column<FabricRow>, 15> kShortColumns{{
    {"fabric", [](const FabricRow& r) -> RowValue { return placement::name_of(r.option); }},
    {"buy", [](const FabricRow& r) -> RowValue { return std::string(r.is_best() ? "yes" : ""); }},
    {"switches",
     [](const FabricRow& r) {
       return r.is_built() ? whole(r.option.design->switches()) : RowValue();
     }},
    {"cables",
     [](const FabricRow& r) { return r.is_built() ? whole(r.option.total.cables) : RowValue(); }},
    {"price_M", [](const FabricRow& r) { return built(r, r.option.total.price / 1e6); }, kTenths},
    {"power_kW", [](const FabricRow& r) { return built(r, r.option.total.watts / 1e3); }, kWhole},
    {"bisection_TBps",
     [](const FabricRow& r) { return built(r, r.option.bisection.gigabytes_per_second() / 1e3); },
     kTenths},
    {"most_hops",
     [](const FabricRow& r) {
       return hops(std::max(r.option.same_rail_switches, r.option.cross_rail_switches));
     }},
    {"all_reduce_ms",
     [](const FabricRow& r) {
       const auto& time = r.option.times.all_reduce;
       return time ? RowValue(time->microseconds() / 1e3) : RowValue();
     },
     kTenths},
    {"step_s", [](const FabricRow& r) { return seconds(r.option.times.step); }, kThousandths},
    {"cost_of_step_pct", relative_cost, kTenths},
    {"spine_failed", [](const FabricRow& r) { return failed_text(r, r.option.times.spine); }},
    {"leaf_failed", [](const FabricRow& r) { return failed_text(r, r.option.times.leaf); }},
    {"cable_failed", [](const FabricRow& r) { return failed_text(r, r.option.times.cable); }},
    {"most_gpus", most_gpus},
}};

std::vector<FabricRow> rows_of(const placement::FabricPlan& plan) {
  const FabricOption* const best = plan.best ? &plan.options[*plan.best] : nullptr;
  std::vector<FabricRow> rows;
  for (const FabricOption& option : plan.options)
    rows.push_back({.option = option, .best = best, .gpus = plan.gpus, .nodes = plan.nodes});
  return rows;
}

/// A line of a bill, and its fabric.
struct BillRow {
  std::string fabric;
  const BillLine* line = nullptr;
};

RowValue power_source(const BillRow& r) {
  if (!(r.line->watts > 0)) return {};
  return std::string(r.line->is_power_estimate ? "estimate" : "public");
}

constexpr std::array<Column<BillRow>, 18> kBillColumns{{
    {"fabric", [](const BillRow& r) -> RowValue { return r.fabric; }, kShared},
    {"part", [](const BillRow& r) -> RowValue { return r.line->part; }},
    {"tier", [](const BillRow& r) -> RowValue { return r.line->tier; }},
    {"item", [](const BillRow& r) -> RowValue { return r.line->item; }},
    {"count", [](const BillRow& r) -> RowValue { return r.line->count; }},
    {"metres", [](const BillRow& r) { return if_positive(r.line->metres); }, kTenths},
    {"unit_price", [](const BillRow& r) -> RowValue { return r.line->unit_price; }, kWhole},
    {"price", [](const BillRow& r) -> RowValue { return r.line->price; }, kWhole},
    {"power_kW", [](const BillRow& r) -> RowValue { return r.line->watts / 1e3; }, kTenths},
    {"price_source",
     [](const BillRow& r) -> RowValue {
       return std::string(r.line->is_estimate ? "estimate" : "public");
     }},
    {"power_source", power_source},
    {"date", [](const BillRow& r) -> RowValue { return r.line->date; }},
    {"price_low", [](const BillRow& r) -> RowValue { return r.line->low; }, kWhole},
    {"price_high", [](const BillRow& r) -> RowValue { return r.line->high; }, kWhole},
    {"power_kW_low", [](const BillRow& r) -> RowValue { return r.line->watts_low / 1e3; }, kTenths},
    {"power_kW_high", [](const BillRow& r) -> RowValue { return r.line->watts_high / 1e3; },
     kTenths},
    {"source", [](const BillRow& r) -> RowValue { return r.line->source; }},
    {"power_source", [](const BillRow& r) -> RowValue { return r.line->power_source; }},
}};
// Columns before the ranges and sources.
constexpr std::size_t kPrintedBillColumns = 12;

std::vector<BillRow> bill_rows(const FabricOption& option) {
  std::vector<BillRow> rows;
  for (const BillLine& line : option.bill) rows.push_back({placement::name_of(option), &line});
  return rows;
}

/// An assumption of a plan.
struct AssumptionRow {
  std::string assumption, value, flag, source;
};

constexpr std::array<Column<AssumptionRow>, 4> kAssumptionColumns{{
    {"assumption", [](const AssumptionRow& r) -> RowValue { return r.assumption; }},
    {"value", [](const AssumptionRow& r) -> RowValue { return r.value; }},
    {"flag", [](const AssumptionRow& r) -> RowValue { return r.flag; }},
    {"source", [](const AssumptionRow& r) -> RowValue { return r.source; }},
}};

}  // namespace

RowTable tabulate_fabrics(const placement::FabricPlan& plan) {
  return tabulate(kColumns, rows_of(plan));
}

RowTable tabulate_fabrics_in_short(const placement::FabricPlan& plan) {
  return tabulate(kShortColumns, rows_of(plan));
}

RowTable tabulate_bills(const placement::FabricPlan& plan) {
  std::vector<BillRow> rows;
  for (const FabricOption& option : plan.options) {
    const std::vector<BillRow> own = bill_rows(option);
    rows.insert(rows.end(), own.begin(), own.end());
  }
  return tabulate(kBillColumns, rows);
}

RowTable tabulate_best_bill(const placement::FabricPlan& plan) {
  if (!plan.best) return {};
  const std::vector<BillRow> rows = bill_rows(plan.options[*plan.best]);
  return tabulate(std::span(kBillColumns).first(kPrintedBillColumns), rows);
}

RowTable tabulate_assumptions(const placement::FabricPlanRequest& request) {
  const placement::RoomLayout& room = request.room;
  const auto& gpu = placement::item_of(request.prices, "gpu/any");
  std::vector<AssumptionRow> rows{
      {"nodes per rack", fmt::format("{}", room.nodes_per_rack), "--nodes-per-rack",
       "DGX H100 SuperPOD reference architecture RA-11333"},
      {"floor per rack", fmt::format("{:g} m2", room.square_metres_per_rack), "--rack-area",
       "0.6 m x 1.2 m and half of the aisles"},
      {"extra cable length", fmt::format("{:g} m", room.vertical_metres), "",
       "up to overhead trays, down again and slack; cables inside a rack have 2 m"},
      {"reach of copper and multimode",
       fmt::format("{:g} m, {:g} m", room.copper_reach, room.multimode_reach), "",
       "NVIDIA transceiver and DAC manuals"},
      {"price of a GPU with its share of the node",
       fmt::format("{:.0f} {}", request.gpu_price, request.prices.currency),
       "--price gpu/any=", gpu.source},
      {"collective over all GPUs",
       fmt::format("all_reduce of {}", core::to_text(request.all_reduce_bytes)), "--all-reduce",
       ""},
      {"mapping", "ranks follow the nodes in order", "", ""},
  };
  if (request.job)
    rows.push_back({"job", fmt::format("{}, batch {}", request.job->name, request.job->batch),
                    "--job, --batch", request.job->source});
  return tabulate(kAssumptionColumns, rows);
}

}  // namespace railyard::apps
