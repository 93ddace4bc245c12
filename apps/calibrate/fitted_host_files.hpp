#pragma once

#include <string>

#include "apps/cli/context.hpp"
#include "hw/probe/host_fit.hpp"

namespace railyard::apps {

/// Writes the cluster file with the fitted values, and its nodes and ranks beside it. Throws
/// BackendError for a file that cannot be written.
void write_fitted_host(const std::string& cluster, const hw::HostCluster& host,
                       const hw::HostFit& fit, const std::string& file, Context& context);

}  // namespace railyard::apps
