#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "apps/cli/fault_flags.hpp"
#include "apps/cli/setting.hpp"
#include "apps/output/add_config.hpp"
#include "core/config/config_node.hpp"
#include "core/config/config_path.hpp"
#include "core/diagnostic.hpp"
#include "topology/cluster/faults.hpp"
#include "topology/cluster/lost_nics.hpp"
#include "topology/fabric/read_switch_model.hpp"

namespace railyard::apps {
namespace {

void add_digest(const std::string& name, const std::filesystem::path& path,
                Provenance& provenance) {
  for (const auto& [known, digest] : provenance.configs) {
    if (known == name) return;
  }
  add_config(provenance, name, path);
}

/// Adds the file of a node and that of its GPU to `provenance`.
void add_node(const std::string& reference, const std::string& cluster_file,
              Provenance& provenance) {
  const std::filesystem::path path = core::resolve_config(reference, "nodes", cluster_file);
  add_digest(reference, path, provenance);
  if (path.extension() == ".xml") return;
  const auto gpu = core::ConfigNode::read(path).find("gpu");
  if (!gpu || !gpu->text()) return;
  const std::string name(*gpu->text());
  add_digest(name, core::resolve_config(name, "gpus", path), provenance);
}

/// Replaces all switches of the fabric by that of --switch.
void replace_switches(topology::ClusterSpec& spec, const std::string& switch_model) {
  (void)core::resolve_config(switch_model, "switches", {}, "--switch");
  topology::FabricSpec& fabric = spec.fabric;
  fabric.switch_model = switch_model;
  fabric.spine_switch_model = fabric.core_switch_model = "";
  std::vector<Diagnostic> problems;
  topology::read_switch_models(fabric, {}, problems);
  for (Diagnostic& problem : problems)
    if (problem.file.empty()) problem.pointer = "--switch";
  if (!problems.empty()) throw InputError(std::move(problems));
}

/// Reads the spec; adds its files to `provenance`.
topology::ClusterSpec load_spec(const ClusterFlags& flags, Provenance& provenance,
                                const std::string& switch_model) {
  topology::ClusterSpec spec = topology::read_cluster(flags.cluster, flags.nodes);
  add_digest(flags.cluster, spec.file, provenance);
  if (!spec.node.empty()) add_node(spec.node, spec.file, provenance);
  for (const topology::NodeGroup& group : spec.groups) add_node(group.node, spec.file, provenance);
  if (!switch_model.empty()) replace_switches(spec, switch_model);
  for (const std::string& name :
       {spec.fabric.switch_model, spec.fabric.spine_switch_model, spec.fabric.core_switch_model})
    if (!name.empty())
      add_digest(name, core::resolve_config(name, "switches", spec.file), provenance);
  return spec;
}

}  // namespace

topology::Cluster load_cluster(const ClusterFlags& flags, Provenance& provenance,
                               const std::string& switch_model) {
  return topology::build_cluster(load_spec(flags, provenance, switch_model));
}

topology::Cluster load_cluster(const ClusterFlags& flags, FabricFlags& fabric,
                               Provenance& provenance) {
  topology::FaultTexts faults{fabric.failures, fabric.degradations};
  topology::ClusterSpec spec =
      topology::without_lost_nics(load_spec(flags, provenance, {}), faults);
  topology::Cluster cluster = topology::build_cluster(spec);
  std::vector<topology::TimedFault> failures;
  for (const std::string& text : faults.failures) failures.push_back(failure_of(cluster, text));
  const topology::CutOff cut_off = topology::cut_off_by(cluster, failures);
  if (!cut_off.nics.empty()) {
    provenance.notes.push_back(topology::to_text(cut_off));
    faults.failures = topology::with_cut_off_nics(std::move(faults.failures), cut_off);
    cluster = topology::build_cluster(topology::without_lost_nics(std::move(spec), faults));
  }
  fabric.failures = std::move(faults.failures);
  fabric.degradations = std::move(faults.degradations);
  return cluster;
}

void add_facts(const ClusterFlags& flags, const topology::Cluster& cluster,
               Provenance& provenance) {
  provenance.facts.emplace_back("cluster", flags.cluster);
  provenance.facts.emplace_back("nodes", fmt::format("{}", cluster.node_count()));
}

}  // namespace railyard::apps
