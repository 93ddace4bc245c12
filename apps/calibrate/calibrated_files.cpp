#include "apps/calibrate/calibrated_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "apps/output/output_folder.hpp"
#include "apps/output/result_output.hpp"
#include "core/config/config_path.hpp"
#include "topology/cluster/cluster_fields.hpp"
#include "topology/cluster/timing_fields.hpp"

namespace railyard::apps {
namespace {

using namespace collectives::nccl;

/// Four digits: more than any fit knows, few enough to read.
double rounded(double value) { return std::strtod(fmt::format("{:.4g}", value).c_str(), nullptr); }

/// Puts the fitted values of one class into a machine that holds what was there before.
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

void note_hosts(const std::vector<ClassParameter>& parameters, Context& context) {
  for (const ClassParameter& fitted : parameters) {
    if (fitted.parameter->owner != ParameterOwner::host || !fitted.identified) continue;
    print_note(context, fmt::format("node '{}': set pcie_timing/{} to {:.3f} in its file",
                                    fitted.owner, fitted.parameter->name, fitted.value));
  }
}

/// A reference that means the same from any folder.
std::string settled(const std::string& reference, std::string_view kind, const std::string& from) {
  const auto path = core::resolve_config(reference, kind, from);
  const bool is_name = reference.find('/') == std::string::npos &&
                       std::filesystem::path(reference).extension().empty();
  return is_name ? reference : std::filesystem::absolute(path).string();
}

}  // namespace

void write_calibrated_cluster(const std::string& cluster, const Predictions& predictions,
                              const std::vector<ClassParameter>& parameters,
                              const std::string& file, Context& context) {
  const auto path = core::resolve_config(cluster, "clusters");
  auto spec = core::read_config<topology::ClusterFile>(path);
  if (!spec.node.empty()) spec.node = settled(spec.node, "nodes", path.string());
  for (auto& group : spec.groups) group.node = settled(group.node, "nodes", path.string());
  const PredictedTable& table = predictions.tables.front();
  Machine machine = *predictions.rows.front().machine;
  put(machine, parameters, ParameterOwner::generation, table.generation);
  put(machine, parameters, ParameterOwner::fabric, table.fabric);
  spec.gpu_timing = machine.gpu;
  if (!owners(parameters, ParameterOwner::fabric).empty()) {
    spec.fabric_timing = machine.fabric;
    spec.fabric_timing_of.clear();
  }
  note_hosts(parameters, context);
  write_text(core::write_config(spec, ""), file, context);
}

void write_calibrated_classes(const std::string& folder, const Predictions& predictions,
                              const std::vector<ClassParameter>& parameters, Context& context) {
  const std::filesystem::path root = folder;
  const FittedPrediction prediction(predictions, parameters);
  const std::string source = "fitted by railyard calibrate: results/calibration.json";
  for (const char* kind : {"generations", "fabrics"})
    make_output_folder("--shared", (root / kind).string(), "a folder that you may write to");
  for (const ParameterOwner owner : {ParameterOwner::generation, ParameterOwner::fabric}) {
    for (const std::string& name : owners(parameters, owner)) {
      const auto row = std::ranges::find_if(predictions.rows, [&](const PredictedRow& r) {
        return class_of(predictions, r, owner) == name;
      });
      Machine machine = prediction.machine(*row);
      put(machine, parameters, owner, name);
      if (owner == ParameterOwner::generation) {
        const topology::GpuTimingFile out{.name = name, .source = source, .timing = machine.gpu};
        write_text(core::write_config(out, "../schema/generation.schema.json"),
                   (root / "generations" / (name + ".json")).string(), context);
      } else {
        const topology::FabricTimingFile out{
            .name = name, .source = source, .timing = machine.fabric};
        write_text(core::write_config(out, "../schema/fabric.schema.json"),
                   (root / "fabrics" / (name + ".json")).string(), context);
      }
    }
  }
  note_hosts(parameters, context);
}

}  // namespace railyard::apps
