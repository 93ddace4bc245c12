#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "collectives/nccl/timing/fit/class_fit.hpp"

namespace railyard::collectives::nccl {

/// The text of the cluster file `cluster` (a name or a path) with the fitted parameters in it
/// ("gpu_timing", "fabric_timing").
[[nodiscard]] std::string calibrated_cluster(const std::string& cluster,
                                             const Predictions& predictions,
                                             const std::vector<ClassParameter>& parameters);

/// A config file of a class.
struct ClassFile {
  std::filesystem::path path;  ///< "generations/hopper.json", "fabrics/infiniband.json"
  std::string text;
};
/// A file for every class of `predictions` that has fitted parameters.
[[nodiscard]] std::vector<ClassFile> calibrated_classes(
    const Predictions& predictions, const std::vector<ClassParameter>& parameters);

/// For each parameter of a host that the tables determine: what to set in the file of its node.
[[nodiscard]] std::vector<std::string> host_notes(const std::vector<ClassParameter>& parameters);

}  // namespace railyard::collectives::nccl
