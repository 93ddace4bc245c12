#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "collectives/formats/measured_table.hpp"
#include "hw/probe/host_parameters.hpp"

namespace railyard::hw {

/// A row of `railyard bench` whose ranks were on cores.
struct HostRow {
  std::size_t table = 0;  ///< index of its file
  collectives::Collective collective{};
  int ranks = 0;
  std::string algorithm{};
  int channels = 0;
  bool over_mpi = false;  ///< false: threads of one process
  double time_us = 0;     ///< median of the iterations
};

/// Predicted microseconds of a row for parameter values x, in the order of
/// HostCluster::parameters(). The caller provides the simulation.
using HostTimes = std::function<double(std::span<const double> x, const HostRow& row)>;

/// Parameters of a cluster of ranks on cores, fitted to what `railyard bench` measured on it.
struct HostFit {
  std::vector<HostParameter> parameters{};
  std::size_t rows = 0, tables = 0;
  /// median of the absolute errors, before and after the fit
  double median_before_pct = 0, median_after_pct = 0;
  std::vector<std::string> left_out{};  ///< "FILE: reason"

  [[nodiscard]] std::vector<double> values() const;
};

/// Robust least squares on the logarithm of the median time (core/least_squares.hpp), with a weight
/// of one per table. Parameters that no row determines keep their value. Throws InputError if no
/// row can be used, or no parameter can be fitted.
[[nodiscard]] HostFit fit_host(const HostCluster& host,
                               const std::vector<collectives::MeasuredTable>& tables,
                               const HostTimes& times);

}  // namespace railyard::hw
