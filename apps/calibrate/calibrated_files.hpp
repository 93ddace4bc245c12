#pragma once

#include <string>
#include <vector>

#include "apps/cli/context.hpp"
#include "collectives/nccl/timing/fit/class_fit.hpp"

namespace railyard::apps {

/// Writes the cluster file `cluster` with the fitted parameters in it ("gpu_timing", "timing"), and
/// prints those of hosts on context.err, for the node's file. Throws BackendError for a file that
/// cannot be written.
void write_calibrated_cluster(const std::string& cluster,
                              const collectives::nccl::Predictions& predictions,
                              const std::vector<collectives::nccl::ClassParameter>& parameters,
                              const std::string& file, Context& context);

/// Writes folder/generations/<name>.json and folder/fabrics/<name>.json for every class of
/// `predictions`.
void write_calibrated_classes(const std::string& folder,
                              const collectives::nccl::Predictions& predictions,
                              const std::vector<collectives::nccl::ClassParameter>& parameters,
                              Context& context);

}  // namespace railyard::apps
