#include "topology/picture/fabric_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "core/units.hpp"
#include "topology/picture/fabric_layout.hpp"

namespace railyard::topology::picture {

namespace {

/// Rows of the picture from the bottom. A link is drawn from its lower end.
int height_of(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::nvswitch: return 0;
    case DeviceKind::gpu: return 1;
    case DeviceKind::nic: return 2;
    default: return 2 + tier(kind);
  }
}

std::string edge_title(const Cluster& cluster, LinkId id, std::size_t parallel) {
  const Link& link = cluster.link(id);
  std::string text = fmt::format("{}: {}", cluster.name(id), core::to_text(link.bandwidth));
  if (parallel > 1) text += fmt::format(", {} in parallel", parallel);
  return text;
}

/// The links from a device up to visible devices, one per neighbour.
void draw_links_up(Markup& svg, const Cluster& cluster, const FabricLayout& layout, DeviceId id,
                   const PictureOptions& options) {
  const Box& box = layout.devices.at(id);
  std::map<DeviceId, std::pair<LinkId, std::size_t>> neighbours;
  for (const LinkId out : cluster.out_links(id)) {
    const Link& link = cluster.link(out);
    if (!layout.devices.contains(link.to)) continue;
    if (height_of(cluster.device(link.to).kind) <= height_of(cluster.device(id).kind)) continue;
    auto& [first, count] = neighbours.try_emplace(link.to, out, 0).first->second;
    ++count;
  }
  for (const auto& [to, found] : neighbours) {
    const auto& [link, count] = found;
    const Box& upper = layout.devices.at(to);
    Edge edge{straight(box.centre(), box.y, upper.centre(), upper.bottom()),
              tier_of(cluster, cluster.link(link)),
              {},
              edge_title(cluster, link, count)};
    const Device& low = cluster.device(id);
    const Device& pod_of = is_fabric_switch(low.kind) ? low : cluster.device(to);
    if (is_fabric_switch(pod_of.kind)) edge.pod = static_cast<int>(pod_of.pod);
    edge.cable = cluster.name(id) + " -- " + cluster.name(to);
    draw_edge(svg, edge, options);
  }
}

/// The path from a GPU to its NIC, drawn as one line even if devices lie between them.
void draw_pcie(Markup& svg, const Cluster& cluster, const FabricLayout& layout, const NodeBox& node,
               const PictureOptions& options) {
  const NodeShape& shape = cluster.shape(node.node);
  const DeviceId first = cluster.node(node.node).first_device;
  for (int gpu = 0; gpu < node.gpus; ++gpu) {
    const int nic = shape.nearest_nic(gpu);
    if (nic < 0 || nic >= node.nics) continue;
    const Box& from = layout.devices.at(DeviceId(first.value() + shape.gpu_device(gpu)));
    const Box& to = layout.devices.at(cluster.nic(node.node, nic));
    const NodePath path = shape.gpu_to_nic(gpu, nic);
    draw_edge(svg,
              {straight(from.centre(), from.y, to.centre(), to.bottom()),
               "pcie",
               {},
               fmt::format("gpu{} to nic{}: {}, {}", gpu, nic, to_text(path.type),
                           core::to_text(path.bandwidth))},
              options);
  }
}

void draw_nvlink(Markup& svg, const Cluster& cluster, const FabricLayout& layout,
                 const NodeBox& node, const PictureOptions& options) {
  if (!node.nvlink_bar) return;
  const NodeShape& shape = cluster.shape(node.node);
  const DeviceId first = cluster.node(node.node).first_device;
  const double y = node.box.y + 62;
  for (int gpu = 0; gpu < node.gpus; ++gpu) {
    const Box& box = layout.devices.at(DeviceId(first.value() + shape.gpu_device(gpu)));
    draw_edge(svg,
              {straight(box.centre(), box.bottom(), box.centre(), y),
               "nvlink",
               {},
               fmt::format("gpu{}: NVLink", gpu)},
              options);
  }
  const bool has_switch = !cluster.nvswitch(node.node).is_none();
  const std::string title =
      has_switch ? "NVSwitch" : "NVLinks between GPUs (see the inside of the node)";
  draw_edge(svg,
            {straight(node.box.x + 10, y + 2, node.box.x + node.box.width - 10, y + 2),
             "nvlink",
             {},
             title,
             {},
             true},
            options);
}

void draw_node_box(Markup& svg, const Cluster& cluster, const FabricLayout& layout,
                   const NodeBox& node) {
  const NodeShape& shape = cluster.shape(node.node);
  const DeviceId first = cluster.node(node.node).first_device;
  for (int nic = 0; nic < node.nics; ++nic) {
    const DeviceId id = cluster.nic(node.node, nic);
    draw_box(svg, layout.devices.at(id), "box", fmt::format("{}", nic), cluster.name(id));
  }
  for (int gpu = 0; gpu < node.gpus; ++gpu) {
    const DeviceId id(first.value() + shape.gpu_device(gpu));
    draw_box(svg, layout.devices.at(id), "gpu", fmt::format("{}", gpu), cluster.name(id));
  }
  std::string label = fmt::format("node{}", node.node.value());
  if (node.gpus < shape.gpu_count())
    label += fmt::format(": {} of {} GPUs", node.gpus, shape.gpu_count());
  svg.element("text",
              {{"class", "small"},
               {"x", node.box.centre()},
               {"y", node.box.bottom() - 7},
               {"text-anchor", "middle"}},
              label);
}

/// Emphasises a binding link: the line if both ends are visible, otherwise the box of the node.
std::string binding_path(const Cluster& cluster, const FabricLayout& layout, const Link& link) {
  const auto from = layout.devices.find(link.from), to = layout.devices.find(link.to);
  if (from != layout.devices.end() && to != layout.devices.end()) {
    const bool up =
        height_of(cluster.device(link.from).kind) < height_of(cluster.device(link.to).kind);
    const Box& low = up ? from->second : to->second;
    const Box& high = up ? to->second : from->second;
    const double x = cluster.device(link.to).kind == DeviceKind::nvswitch ||
                             cluster.device(link.from).kind == DeviceKind::nvswitch
                         ? high.centre()
                         : low.centre();
    return straight(x, low.y, high.centre(), high.bottom());
  }
  const NodeId node = cluster.device(link.from).node;
  for (const NodeBox& drawn : layout.nodes) {
    if (drawn.node != node) continue;
    const Box& b = drawn.box;
    return fmt::format("M{},{}h{}v{}h-{}z", svg_number(b.x), svg_number(b.y), svg_number(b.width),
                       svg_number(b.height), svg_number(b.width));
  }
  return {};
}

void draw_bindings(Markup& svg, const Cluster& cluster, const FabricLayout& layout,
                   const PictureOptions& options) {
  for (std::size_t i = 0; i < options.binding.size(); ++i) {
    const LinkId id = find_link(cluster, options.binding[i]);
    if (id.is_none()) continue;
    const std::string path = binding_path(cluster, layout, cluster.link(id));
    if (path.empty()) continue;
    svg.open("g",
             {{"class", i == 0 ? "binding on" : "binding"}, {"data-link", options.binding[i]}});
    svg.element("path", {{"class", "halo"}, {"d", path}});
    svg.open("path", {{"class", "wire"}, {"d", path}})
        .element("title", {}, "binding link: " + options.binding[i])
        .close();
    svg.close().newline();
  }
}

void draw_text(Markup& svg, double x, double y, std::string_view css_class, std::string_view anchor,
               const std::string& text) {
  svg.element("text", {{"class", css_class}, {"x", x}, {"y", y}, {"text-anchor", anchor}}, text);
}

/// One text line per tier of links with the number of cables and their rate.
void draw_rates(Markup& svg, const Cluster& cluster, const FabricLayout& layout) {
  std::map<std::string, std::pair<std::size_t, Bandwidth>> tiers;
  std::map<std::string, bool> mixed;
  for (const Link& link : cluster.links()) {
    if (link.kind != LinkKind::port && link.kind != LinkKind::fabric) continue;
    const std::string tier = tier_of(cluster, link);
    auto& [count, rate] = tiers.try_emplace(tier, 0, link.bandwidth).first->second;
    ++count;
    if (rate != link.bandwidth) mixed[tier] = true;
  }
  const std::map<std::string, std::string> above = {
      {"port", "nodes"}, {"leaf-spine", "leaf"}, {"spine-core", "spine"}};
  for (const auto& [tier, found] : tiers) {
    const auto below = above.find(tier);
    if (below == above.end()) continue;
    for (const TierName& row : layout.tiers) {
      if (row.name != below->second) continue;
      const double y = row.y - (row.name == "nodes" ? 84 : 60);
      draw_text(svg, 4, y, "small", "start", count_text(found.first / 2) + " cables");
      draw_text(svg, 4, y + 13, "small", "start",
                mixed.contains(tier) ? "mixed rates" : core::to_text(found.second));
    }
  }
}

void draw_switches(Markup& svg, const Cluster& cluster, const FabricLayout& layout) {
  const bool has_planes =
      std::any_of(layout.devices.begin(), layout.devices.end(),
                  [&](const auto& drawn) { return cluster.device(drawn.first).plane > 0; });
  for (const auto& [id, box] : layout.devices) {
    const Device& device = cluster.device(id);
    if (!is_fabric_switch(device.kind)) continue;
    const std::string label = has_planes ? fmt::format("{}:{}", device.plane, device.index)
                                         : fmt::format("{}", device.index);
    draw_box(svg, box, "box", label, cluster.name(id));
  }
  svg.newline();
}

}  // namespace

double draw_fabric(Markup& svg, const Cluster& cluster, const PictureOptions& options) {
  const FabricLayout layout = lay_out_fabric(cluster, outline_fabric(cluster, options.binding));
  for (const PodFrame& pod : layout.pods) {
    svg.element("rect", {{"class", "panel"},
                         {"x", pod.box.x},
                         {"y", pod.box.y},
                         {"width", pod.box.width},
                         {"height", pod.box.height},
                         {"rx", 8.0}});
    draw_text(svg, pod.box.x + 10, pod.box.y + 15, "small clear", "start", pod.label);
  }
  for (const NodeBox& node : layout.nodes) {
    const Box& b = node.box;
    svg.element("rect", {{"class", "box"},
                         {"x", b.x},
                         {"y", b.y},
                         {"width", b.width},
                         {"height", b.height},
                         {"rx", 5.0}});
  }
  svg.newline();
  for (const auto& [id, box] : layout.devices) {
    const DeviceKind kind = cluster.device(id).kind;
    if (kind == DeviceKind::nic || is_fabric_switch(kind))
      draw_links_up(svg, cluster, layout, id, options);
  }
  svg.newline();
  for (const NodeBox& node : layout.nodes) {
    draw_pcie(svg, cluster, layout, node, options);
    draw_nvlink(svg, cluster, layout, node, options);
    draw_node_box(svg, cluster, layout, node);
    svg.newline();
  }
  draw_switches(svg, cluster, layout);
  for (const TierName& tier : layout.tiers) {
    draw_text(svg, 4, tier.y, "tier-name", "start", tier.name);
    draw_text(svg, 4, tier.y + 16, "small", "start", tier.count);
  }
  draw_rates(svg, cluster, layout);
  for (const Ellipsis& mark : layout.ellipses)
    draw_text(svg, mark.x, mark.y, "small", "middle", mark.text);
  svg.newline();
  draw_bindings(svg, cluster, layout, options);
  return layout.height;
}

}  // namespace railyard::topology::picture
