#include "hw/probe/probed_cluster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "core/config/text_file.hpp"
#include "core/diagnostic.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/formats/import.hpp"

namespace railyard::hw {
namespace {

namespace fs = std::filesystem;

/// Notes hosts of a fabric file without a rank, and hosts with ranks that the file lacks.
void compare_hosts(const std::vector<std::string>& listed, const std::vector<std::string>& live,
                   const std::string& file, std::vector<std::string>& notes) {
  if (live.size() < 2) return;
  for (const std::string& host : live) {
    if (std::ranges::find(listed, host) == listed.end())
      notes.push_back(fmt::format("{} does not list host {}, which ran a rank", file, host));
  }
  const bool in_order =
      listed.size() >= live.size() && std::equal(live.begin(), live.end(), listed.begin());
  if (!in_order && !listed.empty())
    notes.push_back(
        fmt::format("nodes 0, 1, ... are the hosts in the order of {}, {} first; a run whose "
                    "hosts are in another order needs a host file with this order",
                    file, listed.front()));
}

/// The cluster of a file with the connections of hosts.
topology::ClusterSpec joined_by_file(const ProbedFabric& fabric, const std::string& node_name,
                                     const std::string& cluster_file,
                                     const std::vector<std::string>& hosts,
                                     std::vector<std::string>& notes) {
  const fs::path node = fs::path(cluster_file).parent_path() / node_name;
  auto imported = topology::import_topology(
      core::read_text_file(fabric.file), fabric.file,
      {.format = {}, .gpu = {}, .nodes = 1, .fabric = fabric.fabric, .node = node.string()});
  notes.insert(notes.end(), imported.notes.begin(), imported.notes.end());
  compare_hosts(imported.hosts, hosts, fabric.file, notes);
  imported.cluster.node = node_name;
  return std::move(imported.cluster);
}

/// Runs of equal nodes, in the order of hosts.
std::vector<topology::NodeGroup> groups_of(const HostKinds& hosts,
                                           const std::vector<std::string>& nodes) {
  std::vector<topology::NodeGroup> groups;
  for (const std::size_t kind : hosts.of_host) {
    if (!groups.empty() && groups.back().node == nodes[kind])
      ++groups.back().count;
    else
      groups.push_back({nodes[kind], 1});
  }
  return groups;
}

topology::ClusterSpec joined_by_fabric(const HostKinds& hosts,
                                       const std::vector<std::string>& nodes,
                                       const ProbedFabric& fabric) {
  topology::ClusterSpec spec;
  spec.source = hosts.kinds.front().source;
  spec.fabric = fabric.fabric;
  if (nodes.size() == 1) {
    spec.node = nodes.front();
    spec.nodes = fabric.nodes;
  } else {
    spec.groups = groups_of(hosts, nodes);
  }
  return spec;
}

/// Sets the software overheads to those of the slowest host, if they were measured.
void set_overheads(const HostKinds& hosts, topology::ClusterSpec& cluster) {
  const auto slowest = std::ranges::max_element(hosts.kinds, {}, &HostReport::step);
  if (slowest->step == 0 && slowest->launch == 0) return;
  cluster.overheads.simple.launch = Time::picoseconds(slowest->launch);
  cluster.overheads.simple.pcie = Time::picoseconds(slowest->step);
  cluster.overheads.simple.nvlink = Time::picoseconds(slowest->step);
}

}  // namespace

NodeFiles node_files(const HostKinds& hosts, const std::string& cluster_file) {
  NodeFiles found;
  for (std::size_t kind = 0; kind < hosts.kinds.size(); ++kind) {
    const HostReport& report = hosts.kinds[kind];
    const std::string number = hosts.kinds.size() == 1 ? "" : std::to_string(kind);
    const std::string stem = fs::path(cluster_file).stem().string() + number;
    if (report.gpu_file.empty()) {
      found.files.push_back({stem + ".node.xml", report.node_file});
    } else {
      found.files.push_back({stem + ".rank.json", report.gpu_file});
      std::string node = report.node_file;
      if (const std::size_t at = node.find(kGpuFile); at != std::string::npos)
        node.replace(at, kGpuFile.size(), found.files.back().name);
      found.files.push_back({stem + ".node.json", std::move(node)});
    }
    found.nodes.push_back(found.files.back().name);
  }
  return found;
}

ProbedCluster probed_cluster(const std::vector<HostReport>& reports, const HostKinds& hosts,
                             const std::vector<std::string>& nodes, const ProbedFabric& fabric,
                             const std::string& cluster_file) {
  ProbedCluster probed{.cluster = {}, .notes = hosts.kinds.front().notes};
  std::vector<std::string>& notes = probed.notes;
  if (!fabric.file.empty()) {
    if (nodes.size() > 1)
      throw InputError(fabric.file, "",
                       "can only connect equal hosts, but " + hosts.findings.front());
    std::vector<std::string> live;
    live.reserve(reports.size());
    for (const HostReport& report : reports) live.push_back(report.host);
    probed.cluster = joined_by_file(fabric, nodes.front(), cluster_file, live, notes);
  } else {
    probed.cluster = joined_by_fabric(hosts, nodes, fabric);
    probed.cluster.name = reports.front().host;
    if (fabric.nodes > 1) notes.insert(notes.end(), fabric.notes.begin(), fabric.notes.end());
  }
  probed.cluster.file = cluster_file;
  set_overheads(hosts, probed.cluster);
  return probed;
}

topology::Cluster built_from_files(topology::ClusterSpec cluster, const std::string& cluster_file) {
  cluster.node_specs.clear();
  cluster.node_counts.clear();
  if (cluster.groups.empty()) cluster.groups = {{cluster.node, cluster.nodes}};
  for (const topology::NodeGroup& group : cluster.groups) {
    cluster.node_specs.push_back(topology::read_node(group.node, cluster_file));
    cluster.node_counts.push_back(group.count);
  }
  return topology::build_cluster(std::move(cluster));
}

}  // namespace railyard::hw
