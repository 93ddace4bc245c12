#include "apps/validate/host_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include "apps/output/result_output.hpp"
#include "apps/validate/errors.hpp"
#include "core/config/config_path.hpp"
#include "core/diagnostic.hpp"
#include "core/least_squares.hpp"
#include "topology/cluster/cluster_fields.hpp"
#include "topology/node/write_node.hpp"

namespace railyard::apps {
namespace {

namespace fs = std::filesystem;

/// A parameter that moves no time by a twentieth of what it moves keeps its value. One that rows do
/// not tell from others moves with them, as little as the prior lets it: launch and steps of one
/// algorithm are known together, and either alone may be far from where it began. Repeated runs
/// differ by a tenth.
constexpr double kFelt = 0.05;
constexpr double kScale = 0.1;
/// Enough to settle what rows do not tell, too little to hold what they do.
constexpr double kPrior = 1e-4;

std::vector<HostRow> usable_rows(const HostModel& model, const std::vector<MeasuredTable>& tables,
                                 HostFit& fit) {
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
      const std::string why = model.why_not(row, measured.nodes);
      if (why.empty())
        rows.push_back(std::move(row));
      else
        reasons.insert(why);
    }
    for (const std::string& reason : reasons)
      fit.left_out.push_back(fmt::format("{}: {}", tables[table].name, reason));
  }
  return rows;
}

/// The search; parameters without rows stay.
class Search {
 public:
  Search(HostModel& model, const std::vector<HostRow>& rows, const HostFit& fit)
      : model_(model), rows_(rows) {
    std::map<std::size_t, double> count;
    for (const HostRow& row : rows) count[row.table] += 1;
    for (const HostRow& row : rows) problem_.weights.push_back(1 / count[row.table]);
    for (const HostParameter& parameter : fit.parameters) {
      problem_.start.push_back(parameter.start);
      problem_.prior.push_back(kPrior);
    }
    problem_.residual = [this](std::span<const double> x, std::uint32_t i) {
      return std::log(model_.microseconds(x, rows_[i]) / rows_[i].time_us);
    };
    problem_.rows.assign(problem_.start.size(), all());
  }

  core::Fit run(const std::vector<bool>& held) {
    for (std::size_t k = 0; k < held.size(); ++k)
      if (held[k]) problem_.rows[k].clear();
    problem_.scale = kScale;
    return core::least_squares_from_afar(problem_);
  }

  /// Rows that a parameter moves by more than a twentieth of what it moves, at x.
  [[nodiscard]] std::size_t felt_by(std::size_t k, const std::vector<double>& x) const {
    std::vector<double> moved = x;
    moved[k] *= 1.01;
    std::size_t rows = 0;
    for (std::uint32_t i = 0; i < rows_.size(); ++i)
      rows +=
          std::fabs(problem_.residual(moved, i) - problem_.residual(x, i)) >= kFelt * std::log(1.01)
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
  HostModel& model_;
  const std::vector<HostRow>& rows_;
  core::FitProblem problem_;
};

double median_error(HostModel& model, const std::vector<HostRow>& rows,
                    const std::vector<double>& x) {
  std::vector<double> errors;
  for (const HostRow& row : rows)
    errors.push_back((model.microseconds(x, row) / row.time_us - 1) * 100);
  return summarise(errors).median_abs;
}

double rounded(double value) { return std::strtod(fmt::format("{:.4g}", value).c_str(), nullptr); }

std::vector<double> values(const HostFit& fit, double HostParameter::*member) {
  std::vector<double> x;
  for (const HostParameter& parameter : fit.parameters) x.push_back(parameter.*member);
  return x;
}

}  // namespace

HostFit fit_host(HostModel& model, const std::vector<MeasuredTable>& tables) {
  HostFit fit;
  fit.parameters = model.parameters();
  const std::vector<HostRow> rows = usable_rows(model, tables, fit);
  if (rows.empty()) {
    throw InputError(tables.empty() ? "" : tables.front().name, "",
                     "has no row that a fit could rest on",
                     fit.left_out.empty() ? "" : fit.left_out.front());
  }
  std::set<std::size_t> used;
  for (const HostRow& row : rows) used.insert(row.table);
  fit.rows = rows.size();
  fit.tables = used.size();
  Search search(model, rows, fit);
  std::vector<bool> held(fit.parameters.size(), false);
  core::Fit found = search.run(held);
  for (std::size_t k = 0; k < held.size(); ++k) held[k] = found.sensitivity[k] < kFelt;
  if (std::ranges::all_of(held, [](bool is_held) { return is_held; }))
    throw InputError(tables.front().name, "", "does not tell any parameter apart from the others",
                     "more sizes are needed: small ones for latencies, large ones for bandwidths");
  const std::vector<double> errors = found.error;
  found = search.run(held);
  for (std::size_t k = 0; k < held.size(); ++k) {
    HostParameter& parameter = fit.parameters[k];
    parameter.identified = !held[k];
    parameter.value = held[k] ? parameter.start : rounded(found.x[k]);
    parameter.error = held[k] ? errors[k] : found.error[k];
    parameter.points = held[k] ? 0 : search.felt_by(k, found.x);
  }
  fit.median_before_pct = median_error(model, rows, values(fit, &HostParameter::start));
  fit.median_after_pct = median_error(model, rows, values(fit, &HostParameter::value));
  return fit;
}

void write_fitted_host(const std::string& cluster, const HostModel& model, const HostFit& fit,
                       const std::string& file, Context& context) {
  const fs::path path = core::resolve_config(cluster, "clusters");
  auto written = core::read_config<topology::ClusterFile>(path);
  const std::vector<double> x = values(fit, &HostParameter::value);
  const topology::ClusterSpec fitted = model.with(x);
  const auto memory = model.memory_with(x);
  const auto moved = [&](HostParameter::What what) {
    return std::ranges::any_of(fit.parameters,
                               [&](const auto& p) { return p.what == what && p.identified; });
  };
  if (moved(HostParameter::What::launch))
    written.overheads.simple.launch = fitted.overheads.simple.launch;
  if (moved(HostParameter::What::step)) {
    written.overheads.simple.pcie = fitted.overheads.simple.pcie;
    written.overheads.simple.nvlink = fitted.overheads.simple.nvlink;
  }
  if (moved(HostParameter::What::network))
    written.overheads.simple.network = fitted.overheads.simple.network;
  written.fabric.port_bandwidth = fitted.fabric.port_bandwidth;
  const fs::path folder = fs::path(file).parent_path();
  const std::string stem = fs::path(file).stem().string();
  for (std::size_t i = 0; i < fitted.node_specs.size(); ++i) {
    const std::string number = fitted.node_specs.size() == 1 ? "" : std::to_string(i);
    const std::string rank = stem + number + ".rank.json", node = stem + number + ".node.json";
    const topology::NodeSpec& spec = fitted.node_specs[i];
    write_text(topology::write_gpu_file(spec.gpu, memory), (folder / rank).string(), context);
    write_text(topology::write_node_file(spec, rank), (folder / node).string(), context);
    if (written.groups.empty())
      written.node = node;
    else
      written.groups[i].node = node;
  }
  write_text(core::write_config(written, ""), file, context);
}

}  // namespace railyard::apps
