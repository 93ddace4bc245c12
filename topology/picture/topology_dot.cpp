#include <fmt/format.h>

#include <map>
#include <set>

#include "core/units.hpp"
#include "topology/picture/drawing.hpp"
#include "topology/picture/fabric_outline.hpp"
#include "topology/picture/topology_picture.hpp"

namespace railyard::topology::picture {

namespace {

/// A quoted Graphviz id. Names come from files and can contain any character.
std::string dot_quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out + '"';
}

/// The last part of a device's name: "gpu3" for "node0/gpu3".
std::string short_name(const std::string& name) { return name.substr(name.rfind('/') + 1); }

struct Writer {
  const Cluster& cluster;
  const PictureOptions& options;
  std::set<DeviceId> drawn;
  std::string out;

  void device(DeviceId id, const std::string& indent) {
    const std::string name = cluster.name(id);
    out += fmt::format(
        "{}{} [label={}{}];\n", indent, dot_quoted(name), dot_quoted(short_name(name)),
        cluster.device(id).kind == DeviceKind::gpu ? ", style=filled, fillcolor=\"#dddddd\"" : "");
    drawn.insert(id);
  }

  void folded(const std::string& key, std::size_t count, const std::string& indent) {
    if (count > 0)
      out += fmt::format("{}{} [label={}, shape=plaintext];\n", indent, dot_quoted("folded " + key),
                         dot_quoted(count_text(count) + " more"));
  }

  void switches(const FoldedRow<DeviceId>& row, const std::string& indent) {
    for (const auto& entry : row.shown) {
      device(entry.item, indent);
      folded(cluster.name(entry.item), entry.folded_after, indent);
    }
  }

  void node(NodeId id, const std::string& indent) {
    out += fmt::format("{}subgraph {} {{\n{}  label={};\n", indent,
                       dot_quoted(fmt::format("cluster node{}", id.value())), indent,
                       dot_quoted(fmt::format("node{}", id.value())));
    const Node& at = cluster.node(id);
    for (std::uint32_t i = 0; i < cluster.shape(id).devices().size(); ++i)
      device(DeviceId(at.first_device.value() + i), indent + "  ");
    out += indent + "}\n";
  }

  void pod(const PodOutline& pod, bool framed) {
    const std::string indent = framed ? "    " : "  ";
    if (framed) {
      out += fmt::format("  subgraph {} {{\n    label={};\n",
                         dot_quoted(fmt::format("cluster pod{}", pod.pod)),
                         dot_quoted(fmt::format("pod {}", pod.pod)));
    }
    switches(pod.spines, indent);
    switches(pod.leaves, indent);
    for (const auto& entry : pod.nodes.shown) {
      node(entry.item, indent);
      folded(fmt::format("node{}", entry.item.value()), entry.folded_after, indent);
    }
    if (framed) out += "  }\n";
  }

  /// One undirected edge per pair of neighbours, starting at the device of the higher tier.
  void edges() {
    std::map<std::pair<DeviceId, DeviceId>, std::pair<LinkId, std::size_t>> pairs;
    for (const DeviceId id : drawn) {
      for (const LinkId out_link : cluster.out_links(id)) {
        const Link& link = cluster.link(out_link);
        if (!drawn.contains(link.to) || link.from < link.to) continue;
        auto& [first, count] = pairs.try_emplace({link.from, link.to}, out_link, 0).first->second;
        ++count;
      }
    }
    for (const auto& [ends, found] : pairs) {
      const auto& [id, count] = found;
      std::string label = core::to_text(cluster.link(id).bandwidth);
      if (count > 1) label += fmt::format(" x{}", count);
      const bool binds = !options.binding.empty() &&
                         (find_link(cluster, options.binding.front()) == id ||
                          find_link(cluster, options.binding.front()) == cluster.link(id).reverse);
      out += fmt::format("  {} -- {} [tooltip={}{}];\n", dot_quoted(cluster.name(ends.first)),
                         dot_quoted(cluster.name(ends.second)), dot_quoted(label),
                         binds ? ", color=\"#8f0d2e\", penwidth=4" : "");
    }
  }
};

}  // namespace

std::string topology_dot(const Cluster& cluster, const PictureOptions& options) {
  const FabricOutline outline = outline_fabric(cluster, options.binding);
  Writer writer{cluster, options, {}, {}};
  writer.out = fmt::format(
      "graph {} {{\n  graph [rankdir=TB, ranksep=1.0];\n  node [shape=box, fontsize=10, "
      "height=0.3, width=0.5];\n",
      dot_quoted(cluster.spec().name));
  writer.switches(outline.cores, "  ");
  for (const auto& entry : outline.pods.shown) {
    writer.pod(entry.item, outline.pods.total > 1);
    writer.folded(fmt::format("pod{}", entry.item.pod), entry.folded_after, "  ");
  }
  writer.edges();
  return writer.out + "}\n";
}

}  // namespace railyard::topology::picture
