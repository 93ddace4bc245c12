#pragma once

#include <string>
#include <vector>

#include "apps/cli/context.hpp"
#include "apps/validate/host_model.hpp"
#include "apps/validate/measured.hpp"

namespace railyard::apps {

/// A cluster of ranks on cores, fitted to what `railyard bench` measured on it.
struct HostFit {
  std::vector<HostParameter> parameters{};
  std::size_t rows = 0, tables = 0;
  double median_before_pct = 0, median_after_pct = 0;  ///< of the absolute errors
  std::vector<std::string> left_out{};                 ///< "FILE: reason"
};

/// Fits what the rows tell apart: robust least squares on the logarithm of the median time
/// (core/least_squares.hpp), every table with the weight of one. Throws InputError where no row can
/// be used, or none tells anything.
[[nodiscard]] HostFit fit_host(HostModel& model, const std::vector<MeasuredTable>& tables);

/// Writes the cluster file with the fitted values, and its nodes and ranks beside it. Throws
/// BackendError for a file that cannot be written.
void write_fitted_host(const std::string& cluster, const HostModel& model, const HostFit& fit,
                       const std::string& file, Context& context);

}  // namespace railyard::apps
