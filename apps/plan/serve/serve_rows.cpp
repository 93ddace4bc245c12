#include "apps/plan/serve/serve_rows.hpp"

#include <array>

#include "apps/output/row_values.hpp"

namespace railyard::apps {
namespace {

using namespace placement::serving;

RowValue count(int value) { return std::int64_t{value}; }

constexpr std::array<Column<ServingOption>, 29> kOptions{{
    {"cluster", [](const ServingOption& o) -> RowValue { return o.cluster; }},
    {"gpus", [](const ServingOption& o) { return count(o.gpus()); }},
    {"replicas", [](const ServingOption& o) { return count(o.replicas); }},
    {"mean_replicas", [](const ServingOption& o) { return if_known(o.mean_replicas); },
     kHundredths},
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
     kTenths},
    {"ttft_ms", [](const ServingOption& o) -> RowValue { return o.ttft.p99 * 1e3; }, kTenths},
    {"tpot_ms", [](const ServingOption& o) -> RowValue { return o.tpot.p99 * 1e3; }, kHundredths},
    {"ttft_p50_ms", [](const ServingOption& o) -> RowValue { return o.ttft.p50 * 1e3; }, kTenths},
    {"tpot_p50_ms", [](const ServingOption& o) -> RowValue { return o.tpot.p50 * 1e3; },
     kHundredths},
    {"goodput_pct", [](const ServingOption& o) -> RowValue { return 100 * o.goodput; }, kTenths},
    {"cached_pct", [](const ServingOption& o) { return if_positive(100 * o.cached_share); },
     kTenths},
    {"tokens_per_s", [](const ServingOption& o) -> RowValue { return o.tokens_per_s; }, kWhole},
    {"tokens_per_s_per_gpu",
     [](const ServingOption& o) -> RowValue { return o.tokens_per_s_per_gpu(); }, kTenths},
    {"kv_cache_GB", [](const ServingOption& o) -> RowValue { return o.memory.kv_pool / 1e9; },
     kTenths},
    {"memory_GB",
     [](const ServingOption& o) -> RowValue {
       return (o.memory.weights + o.memory.activations + o.memory.kv_pool) / 1e9;
     },
     kTenths},
    {"bound_by",
     [](const ServingOption& o) -> RowValue { return std::string(name_of(o.load.bound_by)); }},
    {"saturation_per_s", [](const ServingOption& o) -> RowValue { return o.saturation(); },
     kTenths},
    {"saturation_low_per_s",
     [](const ServingOption& o) -> RowValue { return o.saturation() * o.range.low; }, kTenths},
    {"saturation_high_per_s",
     [](const ServingOption& o) -> RowValue { return o.saturation() * o.range.high; }, kTenths},
    {"saturated_by",
     [](const ServingOption& o) -> RowValue { return std::string(name_of(o.most.limit)); }},
    {"cost_per_hour", [](const ServingOption& o) { return if_known(o.cost_per_hour); },
     kHundredths},
    {"cost_per_Mtokens", [](const ServingOption& o) { return if_known(o.cost_per_million()); },
     kHundredths},
    {"power_kW", [](const ServingOption& o) { return if_positive(o.power / 1e3); }, kTenths},
}};

constexpr std::array<Column<RefusedSplit>, 3> kRefused{{
    {"cluster", [](const RefusedSplit& r) -> RowValue { return r.cluster; }},
    {"split", [](const RefusedSplit& r) -> RowValue { return split_text(r.deployment); }},
    {"reason", [](const RefusedSplit& r) -> RowValue { return r.why; }},
}};

constexpr std::array<Column<ParetoPoint>, 5> kPoints{{
    {"split", [](const ParetoPoint& p) -> RowValue { return split_text(p.deployment); }},
    {"concurrency", [](const ParetoPoint& p) -> RowValue { return p.concurrency; }, kWhole},
    {"tokens_per_s_per_user",
     [](const ParetoPoint& p) -> RowValue { return p.tokens_per_s_per_user; }, kTenths},
    {"tokens_per_s_per_gpu",
     [](const ParetoPoint& p) -> RowValue { return p.tokens_per_s_per_gpu; }, kTenths},
    {"ttft_ms", [](const ParetoPoint& p) -> RowValue { return p.ttft * 1e3; }, kTenths},
}};

constexpr std::array<Column<MeasuredComparison>, 7> kComparison{{
    {"quantity", [](const MeasuredComparison& m) -> RowValue { return m.quantity; }},
    {"requests",
     [](const MeasuredComparison& m) -> RowValue {
       return static_cast<std::int64_t>(m.errors.count);
     }},
    {"measured_ms", [](const MeasuredComparison& m) -> RowValue { return m.measured * 1e3; },
     kHundredths},
    {"predicted_ms", [](const MeasuredComparison& m) -> RowValue { return m.predicted * 1e3; },
     kHundredths},
    {"error_of_mean_pct",
     [](const MeasuredComparison& m) -> RowValue { return 100 * (m.predicted / m.measured - 1); },
     kTenths},
    {"mean_error_pct", [](const MeasuredComparison& m) -> RowValue { return m.errors.mean; },
     kTenths},
    {"median_error_pct", [](const MeasuredComparison& m) -> RowValue { return m.errors.median; },
     kTenths},
}};

constexpr std::array<Column<RequestFit::Parameter>, 5> kCalibration{{
    {"parameter", [](const RequestFit::Parameter& p) -> RowValue { return p.fitted.name; }},
    {"before", [](const RequestFit::Parameter& p) -> RowValue { return p.before; }, kThousandths},
    {"after", [](const RequestFit::Parameter& p) -> RowValue { return p.fitted.value; },
     kThousandths},
    {"uncertainty_pct",
     [](const RequestFit::Parameter& p) -> RowValue {
       return p.identified ? RowValue(100 * p.fitted.uncertainty) : RowValue();
     },
     kTenths},
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
    {"requests_per_s", [](const LoadPoint& p) -> RowValue { return p.rate; }, kHundredths},
    {"of_saturation", [](const LoadPoint& p) -> RowValue { return p.saturation; }, kTenths},
    {"ttft_ms", [](const LoadPoint& p) -> RowValue { return p.ttft.p99 * 1e3; }, kTenths},
    {"tpot_ms", [](const LoadPoint& p) -> RowValue { return p.tpot.p99 * 1e3; }, kHundredths},
    {"ttft_p50_ms", [](const LoadPoint& p) -> RowValue { return p.ttft.p50 * 1e3; }, kTenths},
    {"tpot_p50_ms", [](const LoadPoint& p) -> RowValue { return p.tpot.p50 * 1e3; }, kHundredths},
    {"goodput_pct", [](const LoadPoint& p) -> RowValue { return 100 * p.goodput; }, kTenths},
    {"tokens_per_s", [](const LoadPoint& p) -> RowValue { return p.tokens_per_s; }, kWhole},
    {"knee", [](const LoadPoint& p) -> RowValue { return p.is_knee; }},
}};

constexpr std::array<Column<LatencyQuantile>, 3> kLatency{{
    {"quantity", [](const LatencyQuantile& q) -> RowValue { return std::string(q.quantity); }},
    {"share_pct", [](const LatencyQuantile& q) -> RowValue { return 100 * q.share; }, kTenths},
    {"ms", [](const LatencyQuantile& q) -> RowValue { return q.seconds * 1e3; }, kHundredths},
}};

constexpr std::array<Column<StepPart>, 4> kSteps{{
    {"step", [](const StepPart& p) -> RowValue { return std::string(p.step); }},
    {"part", [](const StepPart& p) -> RowValue { return std::string(p.part); }},
    {"ms", [](const StepPart& p) -> RowValue { return p.seconds * 1e3; }, kThousandths},
    {"share_pct", [](const StepPart& p) -> RowValue { return 100 * p.share; }, kTenths},
}};

constexpr std::array<Column<TimelinePoint>, 8> kTimeline{{
    {"pool", [](const TimelinePoint& p) -> RowValue { return std::string(p.pool); }},
    {"from_s", [](const TimelinePoint& p) -> RowValue { return p.from; }, kHundredths},
    {"to_s", [](const TimelinePoint& p) -> RowValue { return p.to; }, kHundredths},
    {"queue", [](const TimelinePoint& p) -> RowValue { return p.waiting; }, kTenths},
    {"batch", [](const TimelinePoint& p) -> RowValue { return p.batch; }, kTenths},
    {"kv_use_pct", [](const TimelinePoint& p) -> RowValue { return 100 * p.kv_use; }, kTenths},
    {"computed_tokens_per_s", [](const TimelinePoint& p) -> RowValue { return p.tokens_per_s; },
     kWhole},
    {"power_W", [](const TimelinePoint& p) -> RowValue { return p.power; }, kWhole},
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
