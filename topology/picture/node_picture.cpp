#include <fmt/format.h>

#include <cmath>
#include <map>

#include "core/units.hpp"
#include "topology/picture/fabric_picture.hpp"
#include "topology/picture/node_layout.hpp"

namespace railyard::topology::picture {

namespace {

std::string local_name(const Device& device) {
  switch (device.kind) {
    case DeviceKind::pcie_switch: return fmt::format("PCIe {}", device.index);
    case DeviceKind::cpu: return fmt::format("CPU {}", device.index);
    case DeviceKind::nvswitch: return "NVSwitch";
    case DeviceKind::nic: return fmt::format("nic{}", device.index);
    default: return fmt::format("{}{}", to_text(device.kind), device.index);
  }
}

/// An arc below the row of GPUs. It is deeper the greater the distance of its ends.
std::string arc(const Box& a, const Box& b) {
  const double depth = 26 + std::fabs(a.centre() - b.centre()) / 4.5;
  return fmt::format("M{},{}Q{},{} {},{}", svg_number(a.centre()), svg_number(a.bottom()),
                     svg_number((a.centre() + b.centre()) / 2), svg_number(a.bottom() + depth),
                     svg_number(b.centre()), svg_number(b.bottom()));
}

std::string path_between(const Device& from, const Box& a, const Device& to, const Box& b) {
  if (from.kind == DeviceKind::gpu && to.kind == DeviceKind::gpu) return arc(a, b);
  if (to.kind == DeviceKind::nvswitch) return straight(a.centre(), a.bottom(), a.centre(), b.y);
  if (a.y == b.y) return straight(a.x + a.width, a.y + a.height / 2, b.x, b.y + b.height / 2);
  return a.y < b.y ? straight(a.centre(), a.bottom(), b.centre(), b.y)
                   : straight(a.centre(), a.y, b.centre(), b.bottom());
}

/// One line for each pair of neighbours, with the number of parallel links.
void draw_links(Markup& svg, const NodeShape& shape, const NodeLayout& layout,
                const PictureOptions& options) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<const Link*, int>> pairs;
  for (const Link& link : shape.links()) {
    if (!layout.devices.contains(link.from.value()) || !layout.devices.contains(link.to.value()))
      continue;
    const Device& from = shape.devices()[link.from.index()];
    const Device& to = shape.devices()[link.to.index()];
    const bool to_switch = to.kind == DeviceKind::nvswitch;
    if (!to_switch && (from.kind == DeviceKind::nvswitch || link.from.value() > link.to.value()))
      continue;
    auto& [first, count] =
        pairs.try_emplace({link.from.value(), link.to.value()}, &link, 0).first->second;
    ++count;
  }
  for (const auto& [ends, found] : pairs) {
    const auto& [link, count] = found;
    const Device& from = shape.devices()[ends.first];
    const Device& to = shape.devices()[ends.second];
    std::string title = fmt::format("{} to {}: {} each way", local_name(from), local_name(to),
                                    core::to_text(link->bandwidth));
    if (count > 1) title += fmt::format(", {} in parallel", count);
    draw_edge(
        svg,
        {path_between(from, layout.devices.at(ends.first), to, layout.devices.at(ends.second)),
         std::string(to_text(link->kind)),
         {},
         title},
        options);
  }
}

}  // namespace

double draw_node(Markup& svg, const NodeShape& shape, double top, const PictureOptions& options) {
  const NodeLayout layout = lay_out_node(shape, top);
  const std::string name = shape.spec().name.empty() ? "node" : shape.spec().name;
  svg.element("text", {{"class", "tier-name"}, {"x", 4.0}, {"y", top + 11}}, "inside a node");
  svg.element("text", {{"class", "small"}, {"x", 4.0}, {"y", top + 26}}, name);
  draw_links(svg, shape, layout, options);
  svg.newline();
  for (const auto& [device, box] : layout.devices) {
    const Device& at = shape.devices()[device];
    const bool narrow = at.kind == DeviceKind::gpu || at.kind == DeviceKind::nic;
    const std::string label =
        narrow && box.width < 36 ? fmt::format("{}", at.index) : local_name(at);
    draw_box(svg, box, at.kind == DeviceKind::gpu ? "gpu" : "box", label, local_name(at));
  }
  if (layout.folded_cpus > 0) {
    svg.element("text", {{"class", "small"}, {"x", 4.0}, {"y", top + 44}},
                fmt::format("⋯ {} more CPUs alike", layout.folded_cpus));
  }
  svg.newline();
  return layout.height;
}

}  // namespace railyard::topology::picture
