#pragma once

#include <string>
#include <vector>

#include "apps/cli/context.hpp"
#include "apps/validate/class_fit.hpp"

namespace railyard::apps {

/// Writes the cluster file `cluster` with the fitted parameters in it ("gpu_timing",
/// "timing"); those of hosts are named on context.err, for the node's file. Throws BackendError for
/// a file that cannot be written.
void write_calibrated_cluster(const std::string& cluster, const Judged& judged,
                              const std::vector<ClassParameter>& parameters,
                              const std::string& file, Context& context);

/// Writes folder/generations/<name>.json and folder/fabrics/<name>.json for every class of
/// `judged`.
void write_calibrated_classes(const std::string& folder, const Judged& judged,
                              const std::vector<ClassParameter>& parameters, Context& context);

}  // namespace railyard::apps
