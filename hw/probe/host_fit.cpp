#include "hw/probe/host_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>

#include "collectives/schedule/group.hpp"
#include "core/diagnostic.hpp"
#include "core/error_summary.hpp"
#include "core/least_squares.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::hw {
namespace {

using collectives::MeasuredRow;
using collectives::MeasuredTable;

/// A parameter is not fitted if no time changes by at least 1/20 of its own relative change. If
/// rows determine only a combination of parameters, such as launch + steps of one algorithm, these
/// change together, as little as the prior allows. Repeated runs differ by 10 %.
constexpr double kLeastSensitivity = 0.05;
constexpr double kScale = 0.1;
/// Strong enough to determine what rows do not, too weak to affect what they do.
constexpr double kPrior = 1e-4;

/// Why a row cannot be used: it names no schedule, or its ranks are placed otherwise; or "".
std::string why_not(const topology::Cluster& cluster, const HostRow& row, int nodes) {
  if (row.algorithm.empty() || row.algorithm.starts_with("native"))
    return "has no schedule: fit ranks on cores to result files of 'railyard bench --algorithm "
           "NAME'";
  if (row.ranks < 2 || static_cast<std::size_t>(row.ranks) > cluster.rank_count())
    return fmt::format("has {} ranks, but the cluster has {}", row.ranks, cluster.rank_count());
  const auto found =
      collectives::Group::first(cluster, static_cast<std::size_t>(row.ranks)).nodes().size();
  if (nodes > 0 && found != static_cast<std::size_t>(nodes))
    return fmt::format("has {} ranks on {} hosts, which the cluster has on {}", row.ranks, nodes,
                       found);
  return {};
}

std::vector<HostRow> usable_rows(const HostCluster& host, const std::vector<MeasuredTable>& tables,
                                 HostFit& fit) {
  const topology::Cluster cluster = topology::build_cluster(host.spec());
  std::vector<HostRow> rows;
  for (std::size_t table = 0; table < tables.size(); ++table) {
    std::set<std::string> reasons;
    if (!tables[table].left_out.empty()) reasons.insert(tables[table].left_out);
    for (const MeasuredRow& measured : tables[table].rows) {
      HostRow row{.table = table,
                  .collective = measured.collective,
                  .ranks = measured.ranks,
                  .algorithm = measured.algorithm,
                  .channels = measured.channels,
                  .over_mpi = measured.backend == "mpi",
                  .time_us = measured.median_us > 0 ? measured.median_us : measured.time_us};
      const std::string why = why_not(cluster, row, measured.nodes);
      if (why.empty())
        rows.push_back(std::move(row));
      else
        reasons.insert(why);
    }
    for (const std::string& reason : reasons)
      fit.left_out.push_back(fmt::format("{}: {}", tables[table].name, reason));
    for (const std::string& unread : unread_notes(tables[table]))
      fit.left_out.push_back(fmt::format("{}: {}", tables[table].name, unread));
  }
  return rows;
}

/// The search; parameters without rows keep their values.
class Search {
 public:
  Search(const HostTimes& times, const std::vector<HostRow>& rows, const HostFit& fit)
      : times_(times), rows_(rows) {
    std::map<std::size_t, double> count;
    for (const HostRow& row : rows) count[row.table] += 1;
    for (const HostRow& row : rows) problem_.weights.push_back(1 / count[row.table]);
    for (const HostParameter& parameter : fit.parameters) {
      problem_.start.push_back(parameter.start);
      problem_.prior.push_back(kPrior);
    }
    problem_.residual = [this](std::span<const double> x, std::uint32_t i) {
      return std::log(times_(x, rows_[i]) / rows_[i].time_us);
    };
    problem_.rows.assign(problem_.start.size(), all());
  }

  core::Fit run(const std::vector<bool>& held) {
    for (std::size_t k = 0; k < held.size(); ++k)
      if (held[k]) problem_.rows[k].clear();
    problem_.scale = kScale;
    return core::least_squares_from_afar(problem_);
  }

  /// The number of rows whose relative change at x is above 1/20 of that of the parameter.
  [[nodiscard]] std::size_t sensitive_rows(std::size_t k, const std::vector<double>& x) const {
    std::vector<double> moved = x;
    moved[k] *= 1.01;
    std::size_t rows = 0;
    for (std::uint32_t i = 0; i < rows_.size(); ++i)
      rows += std::fabs(problem_.residual(moved, i) - problem_.residual(x, i)) >=
                      kLeastSensitivity * std::log(1.01)
                  ? 1
                  : 0;
    return rows;
  }

 private:
  [[nodiscard]] std::vector<std::uint32_t> all() const {
    std::vector<std::uint32_t> indices(rows_.size());
    for (std::uint32_t i = 0; i < indices.size(); ++i) indices[i] = i;
    return indices;
  }
  const HostTimes& times_;
  const std::vector<HostRow>& rows_;
  core::FitProblem problem_;
};

double median_error(const HostTimes& times, const std::vector<HostRow>& rows,
                    const std::vector<double>& x) {
  std::vector<double> errors;
  for (const HostRow& row : rows) errors.push_back((times(x, row) / row.time_us - 1) * 100);
  return core::summarise_errors(errors).median;
}

double rounded(double value) { return std::strtod(fmt::format("{:.4g}", value).c_str(), nullptr); }

std::vector<double> column(const HostFit& fit, double HostParameter::*member) {
  std::vector<double> x;
  for (const HostParameter& parameter : fit.parameters) x.push_back(parameter.*member);
  return x;
}

}  // namespace

std::vector<double> HostFit::values() const { return column(*this, &HostParameter::value); }

HostFit fit_host(const HostCluster& host, const std::vector<MeasuredTable>& tables,
                 const HostTimes& times) {
  HostFit fit;
  fit.parameters = host.parameters();
  const std::vector<HostRow> rows = usable_rows(host, tables, fit);
  if (rows.empty()) {
    throw InputError(tables.empty() ? "" : tables.front().name, "",
                     "has no row that can be fitted to",
                     fit.left_out.empty() ? "" : fit.left_out.front());
  }
  std::set<std::size_t> used;
  for (const HostRow& row : rows) used.insert(row.table);
  fit.rows = rows.size();
  fit.tables = used.size();
  Search search(times, rows, fit);
  std::vector<bool> held(fit.parameters.size(), false);
  core::Fit found = search.run(held);
  for (std::size_t k = 0; k < held.size(); ++k) held[k] = found.sensitivity[k] < kLeastSensitivity;
  if (std::ranges::all_of(held, [](bool is_held) { return is_held; }))
    throw InputError(tables.front().name, "", "does not determine any parameter",
                     "more sizes are needed: small ones for latencies, large ones for bandwidths");
  const std::vector<double> errors = found.error;
  found = search.run(held);
  for (std::size_t k = 0; k < held.size(); ++k) {
    HostParameter& parameter = fit.parameters[k];
    parameter.identified = !held[k];
    parameter.value = held[k] ? parameter.start : rounded(found.x[k]);
    parameter.error = held[k] ? errors[k] : found.error[k];
    parameter.points = held[k] ? 0 : search.sensitive_rows(k, found.x);
  }
  fit.median_before_pct = median_error(times, rows, column(fit, &HostParameter::start));
  fit.median_after_pct = median_error(times, rows, column(fit, &HostParameter::value));
  return fit;
}

}  // namespace railyard::hw
