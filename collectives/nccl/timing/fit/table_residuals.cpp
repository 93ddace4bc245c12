#include "collectives/nccl/timing/fit/table_residuals.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "collectives/nccl/timing/fit/class_fit.hpp"
#include "topology/cluster/cluster_spec.hpp"
#include "topology/cluster/read_timings.hpp"

namespace railyard::collectives::nccl {
namespace {

/// The parts that rows use; a cluster is read once.
class Parts {
 public:
  const std::vector<MachinePart>& of(const Predictions& predictions, const PredictedRow& row) {
    const std::string& cluster = predictions.tables[row.table].cluster;
    const MachineUse use{.meets_over_nvlink = row.machine->meets_over_nvlink,
                         .several_nodes = row.machine->nodes > 1};
    const auto key = std::tuple(cluster, use.meets_over_nvlink, use.several_nodes);
    auto found = known_.find(key);
    if (found == known_.end()) {
      const topology::ClusterSpec spec = topology::read_cluster(cluster, 1);
      found = known_
                  .emplace(key, machine_parts(spec.node_specs.front(),
                                              topology::read_timings(cluster), use))
                  .first;
    }
    return found->second;
  }

 private:
  std::map<std::tuple<std::string, bool, bool>, std::vector<MachinePart>> known_;
};

/// Tables of one source on one cluster: the same machine, measured by the same people.
std::string dataset_of(const PredictedTable& table) {
  const std::string source = table.source.substr(0, table.source.find_first_of(" ;,("));
  return (source.empty() ? table.name : source) + " on " + table.cluster;
}

/// The parts of rows, with the datasets or tables that ran on them.
std::vector<MeasuredPart> parts_by(const Predictions& predictions,
                                   const std::function<std::string(const PredictedTable&)>& name) {
  Parts parts;
  std::vector<MeasuredPart> measured;
  for (const PredictedRow& row : predictions.rows) {
    const std::string table = name(predictions.tables[row.table]);
    for (const MachinePart& part : parts.of(predictions, row))
      add_measured(measured, RangeOf::collective, part, table);
  }
  return measured;
}

/// A collective on one number of ranks in one table.
using Sweep = std::tuple<std::size_t, Kind, int>;
Sweep sweep_of(const PredictedRow& row) {
  return {row.table, row.measured.collective.kind, row.measured.ranks};
}

/// At most kSweepRows rows of each sweep, evenly spaced in the order of the table.
Predictions thinned(const Predictions& predictions) {
  std::map<Sweep, std::size_t> count, seen;
  for (const PredictedRow& row : predictions.rows) ++count[sweep_of(row)];
  Predictions thin{.tables = predictions.tables, .rows = {}, .left_out = {}};
  for (const PredictedRow& row : predictions.rows) {
    if (is_kept(seen[sweep_of(row)]++, count[sweep_of(row)])) thin.rows.push_back(row);
  }
  return thin;
}

/// The rows of all datasets but one.
Predictions without(const Predictions& predictions, const std::string& dataset) {
  Predictions rest{.tables = predictions.tables, .rows = {}, .left_out = {}};
  for (const PredictedRow& row : predictions.rows)
    if (dataset_of(predictions.tables[row.table]) != dataset) rest.rows.push_back(row);
  return rest;
}

RangeQuery query_of(Parts& parts, const Predictions& predictions, const PredictedRow& row,
                    const std::vector<MeasuredPart>& measured, const std::string& without) {
  RangeQuery query{.of = RangeOf::collective,
                   .evidence = Evidence::measured,
                   .several_nodes = row.machine->nodes > 1,
                   .bytes = Bytes(row.query.bytes),
                   .generation = predictions.tables[row.table].generation};
  for (const MachinePart& part : parts.of(predictions, row)) {
    const PartEvidence known = evidence_for(part, measured, RangeOf::collective, without);
    query.evidence = std::max(query.evidence, known.evidence);
  }
  return query;
}

}  // namespace

std::vector<MeasuredPart> measured_parts(const Predictions& predictions) {
  return parts_by(predictions, [](const PredictedTable& table) { return table.name; });
}

std::vector<RangeQuery> range_queries(const Predictions& predictions,
                                      const std::vector<MeasuredPart>& measured) {
  Parts parts;
  std::vector<RangeQuery> queries;
  for (const PredictedRow& row : predictions.rows)
    queries.push_back(query_of(parts, predictions, row, measured, ""));
  return queries;
}

std::vector<RowRange> row_ranges(const Predictions& predictions, const PredictionRanges& ranges) {
  const std::vector<RangeQuery> queries = range_queries(predictions, ranges.measured);
  std::vector<RowRange> rows;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const PredictedRow& row = predictions.rows[i];
    rows.push_back(row_range(ranges.classes, queries[i], row.measured.time_us / row.predicted_us(),
                             predictions.tables[row.table].name));
  }
  return rows;
}

std::vector<Residual> table_residuals(
    const Predictions& predictions,
    const std::function<void(const std::string&, std::size_t)>& on_dataset) {
  const Predictions thin = thinned(predictions);
  const std::vector<MeasuredPart> measured = parts_by(thin, dataset_of);
  std::map<std::string, std::vector<const PredictedRow*>> datasets;
  for (const PredictedRow& row : thin.rows)
    datasets[dataset_of(thin.tables[row.table])].push_back(&row);
  std::map<Sweep, std::size_t> sweeps;
  Parts parts;
  std::vector<Residual> residuals;
  for (const auto& [dataset, rows] : datasets) {
    on_dataset(dataset, datasets.size());
    const auto parameters = fit_classes(
        without(thin, dataset),
        {.start = FitStart::untouched, .without_table = {}, .hold_unidentified = false});
    const FittedPrediction fitted(thin, parameters);
    for (const PredictedRow* row : rows)
      residuals.push_back({.query = query_of(parts, thin, *row, measured, dataset),
                           .table = dataset,
                           .sweep = sweeps.try_emplace(sweep_of(*row), sweeps.size()).first->second,
                           .ratio = 1 / (1 + fitted.error_pct(*row) / 100)});
  }
  return residuals;
}

}  // namespace railyard::collectives::nccl
