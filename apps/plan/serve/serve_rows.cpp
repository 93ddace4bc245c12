#include "apps/plan/serve/serve_rows.hpp"

#include <array>

namespace railyard::apps {
namespace {

using namespace placement::serving;

RowValue count(int value) { return std::int64_t{value}; }
RowValue if_any(const std::optional<double>& value) {
  return value ? RowValue(*value) : RowValue();
}

constexpr ColumnStyle kZero{.decimals = 0}, kOne{.decimals = 1}, kTwo{.decimals = 2};

constexpr std::array<Column<ServingOption>, 29> kOptions{{
    {"cluster", [](const ServingOption& o) -> RowValue { return o.cluster; }},
    {"gpus", [](const ServingOption& o) { return count(o.gpus()); }},
    {"replicas", [](const ServingOption& o) { return count(o.replicas); }},
    {"mean_replicas", [](const ServingOption& o) { return if_any(o.mean_replicas); }, kTwo},
    {"tp", [](const ServingOption& o) { return count(o.deployment.tp); }},
    {"pp", [](const ServingOption& o) { return count(o.deployment.pp); }},
    {"attention_dp",
     [](const ServingOption& o) {
       return o.deployment.attention_dp > 1 ? count(o.deployment.attention_dp) : RowValue();
     }},
    {"ep", [](const ServingOption& o) { return count(o.deployment.ep); }},
    {"prefill_replicas",
     [](const ServingOption& o) { return o.prefill ? count(o.prefill_replicas) : RowValue(); }},
    {"prefill_split",
     [](const ServingOption& o) {
       return o.prefill ? RowValue(split_text(*o.prefill)) : RowValue();
     }},
    {"batch",
     [](const ServingOption& o) -> RowValue { return o.load.running * o.deployment.attention_dp; },
     kOne},
    {"ttft_ms", [](const ServingOption& o) -> RowValue { return o.ttft.p99 * 1e3; }, kOne},
    {"tpot_ms", [](const ServingOption& o) -> RowValue { return o.tpot.p99 * 1e3; }, kTwo},
    {"ttft_p50_ms", [](const ServingOption& o) -> RowValue { return o.ttft.p50 * 1e3; }, kOne},
    {"tpot_p50_ms", [](const ServingOption& o) -> RowValue { return o.tpot.p50 * 1e3; }, kTwo},
    {"goodput_pct", [](const ServingOption& o) -> RowValue { return 100 * o.goodput; }, kOne},
    {"cached_pct",
     [](const ServingOption& o) {
       return o.cached_share > 0 ? RowValue(100 * o.cached_share) : RowValue();
     },
     kOne},
    {"tokens_per_s", [](const ServingOption& o) -> RowValue { return o.tokens_per_s; }, kZero},
    {"tokens_per_s_per_gpu",
     [](const ServingOption& o) -> RowValue { return o.tokens_per_s_per_gpu(); }, kOne},
    {"kv_cache_GB", [](const ServingOption& o) -> RowValue { return o.memory.kv_pool / 1e9; },
     kOne},
    {"memory_GB",
     [](const ServingOption& o) -> RowValue {
       return (o.memory.weights + o.memory.activations + o.memory.kv_pool) / 1e9;
     },
     kOne},
    {"bound_by",
     [](const ServingOption& o) -> RowValue { return std::string(name_of(o.load.bound_by)); }},
    {"saturation_per_s", [](const ServingOption& o) -> RowValue { return o.saturation(); }, kOne},
    {"saturation_low_per_s",
     [](const ServingOption& o) -> RowValue { return o.saturation() * o.range.low; }, kOne},
    {"saturation_high_per_s",
     [](const ServingOption& o) -> RowValue { return o.saturation() * o.range.high; }, kOne},
    {"saturated_by",
     [](const ServingOption& o) -> RowValue { return std::string(name_of(o.most.limit)); }},
    {"cost_per_hour", [](const ServingOption& o) { return if_any(o.cost_per_hour); }, kTwo},
    {"cost_per_Mtokens", [](const ServingOption& o) { return if_any(o.cost_per_million()); }, kTwo},
    {"power_kW",
     [](const ServingOption& o) -> RowValue {
       return o.power > 0 ? RowValue(o.power / 1e3) : RowValue();
     },
     kOne},
}};

constexpr std::array<Column<RefusedSplit>, 3> kRefused{{
    {"cluster", [](const RefusedSplit& r) -> RowValue { return r.cluster; }},
    {"split", [](const RefusedSplit& r) -> RowValue { return split_text(r.deployment); }},
    {"reason", [](const RefusedSplit& r) -> RowValue { return r.why; }},
}};

constexpr std::array<Column<ParetoPoint>, 5> kPoints{{
    {"split", [](const ParetoPoint& p) -> RowValue { return split_text(p.deployment); }},
    {"concurrency", [](const ParetoPoint& p) -> RowValue { return p.concurrency; }, kZero},
    {"tokens_per_s_per_user",
     [](const ParetoPoint& p) -> RowValue { return p.tokens_per_s_per_user; }, kOne},
    {"tokens_per_s_per_gpu",
     [](const ParetoPoint& p) -> RowValue { return p.tokens_per_s_per_gpu; }, kOne},
    {"ttft_ms", [](const ParetoPoint& p) -> RowValue { return p.ttft * 1e3; }, kOne},
}};

constexpr std::array<Column<MeasuredComparison>, 7> kComparison{{
    {"quantity", [](const MeasuredComparison& m) -> RowValue { return m.quantity; }},
    {"requests",
     [](const MeasuredComparison& m) -> RowValue {
       return static_cast<std::int64_t>(m.errors.count);
     }},
    {"measured_ms", [](const MeasuredComparison& m) -> RowValue { return m.measured * 1e3; }, kTwo},
    {"predicted_ms", [](const MeasuredComparison& m) -> RowValue { return m.predicted * 1e3; },
     kTwo},
    {"error_of_mean_pct",
     [](const MeasuredComparison& m) -> RowValue { return 100 * (m.predicted / m.measured - 1); },
     kOne},
    {"mean_error_pct", [](const MeasuredComparison& m) -> RowValue { return m.errors.mean; }, kOne},
    {"median_error_pct", [](const MeasuredComparison& m) -> RowValue { return m.errors.median; },
     kOne},
}};

constexpr std::array<Column<RequestFit::Parameter>, 5> kCalibration{{
    {"parameter", [](const RequestFit::Parameter& p) -> RowValue { return p.fitted.name; }},
    {"before",
     [](const RequestFit::Parameter& p) -> RowValue { return p.before; },
     {.decimals = 3}},
    {"after",
     [](const RequestFit::Parameter& p) -> RowValue { return p.fitted.value; },
     {.decimals = 3}},
    {"uncertainty_pct",
     [](const RequestFit::Parameter& p) -> RowValue {
       return p.identified ? RowValue(100 * p.fitted.uncertainty) : RowValue();
     },
     kOne},
    {"fitted", [](const RequestFit::Parameter& p) -> RowValue { return p.identified; }},
}};

constexpr std::array<Column<Served>, 9> kRequests{{
    {"arrival_s", [](const Served& r) -> RowValue { return r.arrival; }},
    {"input_tokens", [](const Served& r) { return count(r.input); }},
    {"output_tokens", [](const Served& r) { return count(r.output); }},
    {"cached_tokens", [](const Served& r) { return count(r.cached); }},
    {"replica", [](const Served& r) { return count(r.replica); }},
    {"preemptions", [](const Served& r) { return count(r.preemptions); }},
    {"ttft_ms", [](const Served& r) { return r.shed ? RowValue() : RowValue(r.ttft() * 1e3); }},
    {"tpot_ms", [](const Served& r) { return r.shed ? RowValue() : RowValue(r.tpot() * 1e3); }},
    {"latency_ms",
     [](const Served& r) { return r.shed ? RowValue() : RowValue(r.latency() * 1e3); }},
}};

constexpr std::array<Column<LoadPoint>, 9> kLoads{{
    {"requests_per_s", [](const LoadPoint& p) -> RowValue { return p.rate; }, kTwo},
    {"of_saturation", [](const LoadPoint& p) -> RowValue { return p.saturation; }, kOne},
    {"ttft_ms", [](const LoadPoint& p) -> RowValue { return p.ttft.p99 * 1e3; }, kOne},
    {"tpot_ms", [](const LoadPoint& p) -> RowValue { return p.tpot.p99 * 1e3; }, kTwo},
    {"ttft_p50_ms", [](const LoadPoint& p) -> RowValue { return p.ttft.p50 * 1e3; }, kOne},
    {"tpot_p50_ms", [](const LoadPoint& p) -> RowValue { return p.tpot.p50 * 1e3; }, kTwo},
    {"goodput_pct", [](const LoadPoint& p) -> RowValue { return 100 * p.goodput; }, kOne},
    {"tokens_per_s", [](const LoadPoint& p) -> RowValue { return p.tokens_per_s; }, kZero},
    {"knee", [](const LoadPoint& p) -> RowValue { return p.is_knee; }},
}};

constexpr std::array<Column<LatencyQuantile>, 3> kLatency{{
    {"quantity", [](const LatencyQuantile& q) -> RowValue { return std::string(q.quantity); }},
    {"share_pct", [](const LatencyQuantile& q) -> RowValue { return 100 * q.share; }, kOne},
    {"ms", [](const LatencyQuantile& q) -> RowValue { return q.seconds * 1e3; }, kTwo},
}};

constexpr std::array<Column<StepPart>, 4> kSteps{{
    {"step", [](const StepPart& p) -> RowValue { return std::string(p.step); }},
    {"part", [](const StepPart& p) -> RowValue { return std::string(p.part); }},
    {"ms", [](const StepPart& p) -> RowValue { return p.seconds * 1e3; }, {.decimals = 3}},
    {"share_pct", [](const StepPart& p) -> RowValue { return 100 * p.share; }, kOne},
}};

constexpr std::array<Column<TimelinePoint>, 8> kTimeline{{
    {"pool", [](const TimelinePoint& p) -> RowValue { return std::string(p.pool); }},
    {"from_s", [](const TimelinePoint& p) -> RowValue { return p.from; }, kTwo},
    {"to_s", [](const TimelinePoint& p) -> RowValue { return p.to; }, kTwo},
    {"queue", [](const TimelinePoint& p) -> RowValue { return p.waiting; }, kOne},
    {"batch", [](const TimelinePoint& p) -> RowValue { return p.batch; }, kOne},
    {"kv_use_pct", [](const TimelinePoint& p) -> RowValue { return 100 * p.kv_use; }, kOne},
    {"computed_tokens_per_s", [](const TimelinePoint& p) -> RowValue { return p.tokens_per_s; },
     kZero},
    {"power_W", [](const TimelinePoint& p) -> RowValue { return p.power; }, kZero},
}};

}  // namespace

RowTable tabulate_serving(std::span<const ServingOption> options) {
  return tabulate(kOptions, options);
}

RowTable tabulate_requests(std::span<const Served> requests) {
  return tabulate(kRequests, requests);
}

RowTable tabulate_comparison(std::span<const MeasuredComparison> comparison) {
  return tabulate(kComparison, comparison);
}

RowTable tabulate_calibration(std::span<const RequestFit::Parameter> parameters) {
  return tabulate(kCalibration, parameters);
}

RowTable tabulate_calibration_errors(const RequestFit& fit) {
  RowTable all;
  all.columns = {{"fitted_to", {}}, {"compared_with", {}}};
  for (const auto& column : kComparison) all.columns.push_back({column.name, column.style});
  const auto add = [&](const char* fitted_to, const char* compared_with,
                       std::span<const MeasuredComparison> errors) {
    for (std::vector<RowValue>& row : tabulate_comparison(errors).rows) {
      row.insert(row.begin(), {std::string(fitted_to), std::string(compared_with)});
      all.rows.push_back(std::move(row));
    }
  };
  add("nothing", "all requests", fit.before);
  add("all requests", "all requests", fit.after);
  add("first half", "second half", fit.held_out);
  return all;
}

RowTable tabulate_refused(std::span<const RefusedSplit> refused) {
  return tabulate(kRefused, refused);
}

RowTable tabulate_pareto(std::span<const ParetoPoint> points) { return tabulate(kPoints, points); }

RowTable tabulate_load_sweep(std::span<const LoadPoint> points) { return tabulate(kLoads, points); }

RowTable tabulate_latency(std::span<const LatencyQuantile> quantiles) {
  return tabulate(kLatency, quantiles);
}

RowTable tabulate_steps(std::span<const StepPart> parts) { return tabulate(kSteps, parts); }

RowTable tabulate_timeline(std::span<const TimelinePoint> points) {
  return tabulate(std::span<const Column<TimelinePoint>>(kTimeline), points);
}

}  // namespace railyard::apps
