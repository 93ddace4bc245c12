#include "collectives/nccl/timing/fit/class_fit.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "core/least_squares.hpp"

namespace railyard::collectives::nccl {
namespace {

/// Relative standard error above which a parameter counts as not identified.
constexpr double kIdentified = 0.25;
/// A parameter affects the rows if the relative change of at least one time is at least this share
/// of the relative change of the parameter.
constexpr double kFelt = 0.05;
/// Scale of Cauchy's loss: repeated runs of one machine differ by about as much (the spread of the
/// repeated sweeps in the public tables, docs/models/nccl_time.md).
constexpr double kScale = 0.1;
/// Weight of the priors in a fit that starts from shipped values, relative to a fit that starts
/// from NCCL's constants. It is small, because measurements of the user's own machine count more
/// than shipped values.
constexpr double kPriorOfShipped = 0.05;

/// A machine whose timing parameters are the defaults of the structs.
Machine untouched(const Machine& machine) {
  Machine plain = machine;
  plain.gpu = {};
  plain.fabric = {};
  plain.pcie_timing = {};
  return plain;
}

/// The parameters of the classes that the rows belong to, and the rows of each parameter.
struct Layout {
  std::vector<ClassParameter> parameters;
  std::vector<std::vector<std::uint32_t>> rows;    ///< by parameter, into `used`
  std::vector<std::vector<std::uint32_t>> by_row;  ///< parameters, by used row
  std::vector<const PredictedRow*> used;
};

Layout layout_of(const Predictions& predictions, const ClassFitRequest& request) {
  Layout layout;
  std::map<std::pair<std::string, const TimingParameter*>, std::uint32_t> index;
  for (const PredictedRow& row : predictions.rows) {
    if (row.table == request.without_table) continue;
    const auto at = static_cast<std::uint32_t>(layout.used.size());
    layout.used.push_back(&row);
    auto& own = layout.by_row.emplace_back();
    const Machine from =
        request.start == FitStart::shipped ? *row.machine : untouched(*row.machine);
    for (const TimingParameter& parameter : timing_parameters()) {
      const std::string owner = class_of(predictions, row, parameter.owner);
      if (owner.empty()) continue;
      const auto [found, is_new] = index.emplace(
          std::pair(owner, &parameter), static_cast<std::uint32_t>(layout.parameters.size()));
      if (is_new) {
        const double start = parameter.get(from);
        layout.parameters.push_back(
            {.parameter = &parameter, .owner = owner, .start = start, .value = start});
        layout.rows.emplace_back();
      }
      layout.rows[found->second].push_back(at);
      own.push_back(found->second);
    }
  }
  return layout;
}

/// The weight of a row is 1 / number of rows of its sweep (one collective on one number of ranks in
/// one table), because some sources publish one table per sweep and others many sweeps in one
/// table.
std::vector<double> weights_of(const Layout& layout) {
  const auto sweep = [](const PredictedRow& row) {
    return std::tuple(row.table, row.measured.collective.kind, row.measured.ranks);
  };
  std::map<decltype(sweep(*layout.used.front())), double> count;
  for (const PredictedRow* row : layout.used) count[sweep(*row)] += 1;
  std::vector<double> weights;
  for (const PredictedRow* row : layout.used) weights.push_back(1 / count[sweep(*row)]);
  return weights;
}

/// log(predicted / measured) of a used row at x.
double residual(const Layout& layout, std::span<const double> x, std::uint32_t i) {
  const PredictedRow& row = *layout.used[i];
  Machine machine = *row.machine;
  for (const std::uint32_t k : layout.by_row[i]) {
    const TimingParameter& parameter = *layout.parameters[k].parameter;
    parameter.set(machine, parameter.bounded(machine, x[k]));
  }
  const double time =
      call_time(row.launch, machine, row.query, collective_time(machine, row.query).total());
  return std::log(time / row.measured.time_us);
}

core::Fit run(const Layout& layout, const std::vector<double>& weights,
              const std::vector<bool>& held, FitStart start) {
  core::FitProblem problem;
  problem.weights = weights;
  problem.rows = layout.rows;
  for (std::size_t k = 0; k < layout.parameters.size(); ++k) {
    problem.start.push_back(layout.parameters[k].start);
    problem.prior.push_back(layout.parameters[k].parameter->prior *
                            (start == FitStart::shipped ? kPriorOfShipped : 1.0));
    if (held[k]) problem.rows[k].clear();
  }
  problem.residual = [&](std::span<const double> x, std::uint32_t i) {
    return residual(layout, x, i);
  };
  problem.scale = kScale;
  return core::least_squares_from_afar(std::move(problem));
}

/// Records the rows that the parameter affects.
void trace_back(const Predictions& predictions, const Layout& layout, const core::Fit& fit,
                std::size_t k, ClassParameter& parameter) {
  std::vector<double> moved = fit.x;
  moved[k] *= 1.001;
  std::set<std::string> tables;
  for (const std::uint32_t i : layout.rows[k]) {
    const double slope =
        (residual(layout, moved, i) - residual(layout, fit.x, i)) / std::log(1.001);
    if (std::fabs(slope) < kFelt) continue;
    ++parameter.points;
    tables.insert(predictions.tables[layout.used[i]->table].name);
  }
  parameter.tables.assign(tables.begin(), tables.end());
}

bool is_hop_between_nodes(const ClassParameter& fitted) {
  return fitted.parameter->owner == ParameterOwner::fabric &&
         fitted.parameter->name.find("step/") != std::string_view::npos;
}

/// The fabric's part of a hop does not depend on the protocol. If the rows determine the hop times
/// of some protocols only, the others are scaled by the geometric mean of the factors by which the
/// determined ones of the same fabric changed.
void move_alike(std::vector<ClassParameter>& parameters) {
  for (ClassParameter& held : parameters) {
    if (held.identified || !is_hop_between_nodes(held)) continue;
    double sum = 0, count = 0;
    for (const ClassParameter& other : parameters) {
      if (!other.identified || other.owner != held.owner || !is_hop_between_nodes(other)) continue;
      sum += std::log(other.value / other.start);
      ++count;
    }
    if (count > 0) held.value = held.start * std::exp(sum / count);
  }
}

}  // namespace

std::string class_of(const Predictions& predictions, const PredictedRow& row,
                     ParameterOwner owner) {
  const PredictedTable& table = predictions.tables[row.table];
  switch (owner) {
    case ParameterOwner::generation: return table.generation;
    case ParameterOwner::fabric: return row.machine->nodes > 1 ? table.fabric : "";
    case ParameterOwner::host: break;
  }
  return row.machine->meets_over_nvlink ? "" : table.host;
}

std::vector<ClassParameter> fit_classes(const Predictions& predictions,
                                        const ClassFitRequest& request) {
  Layout layout = layout_of(predictions, request);
  const auto weights = weights_of(layout);
  std::vector<bool> held(layout.parameters.size(), false);
  core::Fit fit = run(layout, weights, held, request.start);
  for (std::size_t k = 0; k < held.size(); ++k)
    held[k] = fit.error[k] > kIdentified || fit.sensitivity[k] < kFelt;
  const std::vector<double> errors = fit.error, sensitivity = fit.sensitivity;
  if (request.hold_unidentified) fit = run(layout, weights, held, request.start);
  std::vector<ClassParameter> fitted = layout.parameters;
  for (std::size_t k = 0; k < fitted.size(); ++k) {
    fitted[k].identified = !held[k];
    fitted[k].value = fit.x[k];
    for (const std::uint32_t i : layout.rows[k])
      fitted[k].value = fitted[k].parameter->bounded(*layout.used[i]->machine, fitted[k].value);
    const bool is_at_bound = fitted[k].value < fit.x[k];
    fitted[k].error = held[k] ? errors[k] : is_at_bound ? 0 : fit.error[k];
    fitted[k].sensitivity = sensitivity[k];
    if (!held[k]) trace_back(predictions, layout, fit, k, fitted[k]);
  }
  if (request.hold_unidentified) move_alike(fitted);
  return fitted;
}

FittedPrediction::FittedPrediction(const Predictions& predictions,
                                   const std::vector<ClassParameter>& parameters)
    : predictions_(predictions), parameters_(parameters) {}

Machine FittedPrediction::machine(const PredictedRow& row) const {
  Machine machine = untouched(*row.machine);
  for (const ClassParameter& fitted : parameters_) {
    if (class_of(predictions_, row, fitted.parameter->owner) == fitted.owner)
      fitted.parameter->set(machine, fitted.value);
  }
  return machine;
}

double FittedPrediction::error_pct(const PredictedRow& row) const {
  const Machine fitted = machine(row);
  const double time =
      call_time(row.launch, fitted, row.query, collective_time(fitted, row.query).total());
  return (time / row.measured.time_us - 1) * 100;
}

}  // namespace railyard::collectives::nccl
