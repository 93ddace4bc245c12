#include "collectives/nccl/timing/fit/calibrated_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string_view>

#include "core/config/config_path.hpp"
#include "topology/cluster/cluster_fields.hpp"
#include "topology/cluster/timing_fields.hpp"

namespace railyard::collectives::nccl {
namespace {

/// Four digits: more than the precision of any fit, and still readable.
double rounded(double value) { return std::strtod(fmt::format("{:.4g}", value).c_str(), nullptr); }

/// Sets the fitted parameters of one class in a machine; others keep their values.
void put(Machine& machine, const std::vector<ClassParameter>& parameters, ParameterOwner owner,
         const std::string& name) {
  for (const ClassParameter& fitted : parameters)
    if (fitted.parameter->owner == owner && fitted.owner == name)
      fitted.parameter->set(machine, rounded(fitted.value));
}

std::set<std::string> owners(const std::vector<ClassParameter>& parameters, ParameterOwner owner) {
  std::set<std::string> names;
  for (const ClassParameter& fitted : parameters)
    if (fitted.parameter->owner == owner) names.insert(fitted.owner);
  return names;
}

/// The reference, with an absolute path unless it is a name.
std::string portable_reference(const std::string& reference, std::string_view kind,
                               const std::string& from) {
  const auto path = core::resolve_config(reference, kind, from);
  const bool is_name = reference.find('/') == std::string::npos &&
                       std::filesystem::path(reference).extension().empty();
  return is_name ? reference : std::filesystem::absolute(path).string();
}

}  // namespace

std::string calibrated_cluster(const std::string& cluster, const Predictions& predictions,
                               const std::vector<ClassParameter>& parameters) {
  const auto path = core::resolve_config(cluster, "clusters");
  auto spec = core::read_config<topology::ClusterFile>(path);
  if (!spec.node.empty()) spec.node = portable_reference(spec.node, "nodes", path.string());
  for (auto& group : spec.groups)
    group.node = portable_reference(group.node, "nodes", path.string());
  const PredictedTable& table = predictions.tables.front();
  Machine machine = *predictions.rows.front().machine;
  put(machine, parameters, ParameterOwner::generation, table.generation);
  put(machine, parameters, ParameterOwner::fabric, table.fabric);
  spec.gpu_timing = machine.gpu;
  if (!owners(parameters, ParameterOwner::fabric).empty()) {
    spec.fabric_timing = machine.fabric;
    spec.fabric_timing_of.clear();
  }
  return core::write_config(spec, "");
}

std::vector<ClassFile> calibrated_classes(const Predictions& predictions,
                                          const std::vector<ClassParameter>& parameters) {
  std::vector<ClassFile> files;
  const FittedPrediction prediction(predictions, parameters);
  const std::string source = "fitted by railyard calibrate: results/calibration.json";
  for (const ParameterOwner owner : {ParameterOwner::generation, ParameterOwner::fabric}) {
    for (const std::string& name : owners(parameters, owner)) {
      const auto row = std::ranges::find_if(predictions.rows, [&](const PredictedRow& r) {
        return class_of(predictions, r, owner) == name;
      });
      Machine machine = prediction.machine(*row);
      put(machine, parameters, owner, name);
      if (owner == ParameterOwner::generation) {
        const topology::GpuTimingFile out{.name = name, .source = source, .timing = machine.gpu};
        files.push_back({std::filesystem::path("generations") / (name + ".json"),
                         core::write_config(out, "../schema/generation.schema.json")});
      } else {
        const topology::FabricTimingFile out{
            .name = name, .source = source, .timing = machine.fabric};
        files.push_back({std::filesystem::path("fabrics") / (name + ".json"),
                         core::write_config(out, "../schema/fabric.schema.json")});
      }
    }
  }
  return files;
}

std::vector<std::string> host_notes(const std::vector<ClassParameter>& parameters) {
  std::vector<std::string> notes;
  for (const ClassParameter& fitted : parameters) {
    if (fitted.parameter->owner != ParameterOwner::host || !fitted.identified) continue;
    notes.push_back(fmt::format("node '{}': set pcie_timing/{} to {:.3f} in its file", fitted.owner,
                                fitted.parameter->name, fitted.value));
  }
  return notes;
}

}  // namespace railyard::collectives::nccl
