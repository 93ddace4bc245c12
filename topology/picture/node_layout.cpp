#include "topology/picture/node_layout.hpp"

#include <algorithm>

namespace railyard::topology::picture {

namespace {

constexpr double kLeft = 120, kRight = 8, kCellMost = 60, kBoxHeight = 26, kLevel = 58;
constexpr std::size_t kCpus = 4;

/// The PCIe tree below a CPU: children by device (GPUs on C2C count as children too).
using Children = std::map<std::uint32_t, std::vector<std::uint32_t>>;

int depth_rank(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::cpu: return 0;
    case DeviceKind::pcie_switch: return 1;
    default: return 2;
  }
}

/// Links that lead down the tree: from a CPU or switch to its children. Switches are numbered so
/// that parents come first.
Children children_of(const NodeShape& shape) {
  Children children;
  for (const Link& link : shape.links()) {
    if (link.kind != LinkKind::pcie && link.kind != LinkKind::c2c) continue;
    const Device& from = shape.devices()[link.from.index()];
    const Device& to = shape.devices()[link.to.index()];
    const bool down =
        depth_rank(from.kind) < depth_rank(to.kind) ||
        (from.kind == DeviceKind::pcie_switch && to.kind == from.kind && from.index < to.index);
    auto& list = children[link.from.value()];
    if (down && std::find(list.begin(), list.end(), link.to.value()) == list.end())
      list.push_back(link.to.value());
  }
  return children;
}

/// Gives each leaf of the tree the next cell and centres each parent above its children.
struct Placer {
  const NodeShape& shape;
  const Children& children;
  std::map<std::uint32_t, double> column;  ///< in cells
  std::map<std::uint32_t, int> level;
  double next = 0;
  int deepest = 0;

  void place(std::uint32_t device, int at) {
    if (column.contains(device)) return;
    column[device] = 0;
    level[device] = at;
    const DeviceKind kind = shape.devices()[device].kind;
    if (kind == DeviceKind::gpu || kind == DeviceKind::nic) {
      column[device] = next;
      next += 1;
      return;
    }
    deepest = std::max(deepest, at);
    const double begin = next;
    const auto below = children.find(device);
    if (below != children.end()) {
      for (const std::uint32_t child : below->second) place(child, at + 1);
    }
    if (next == begin) next += 1;
    column[device] = (begin + next - 1) / 2;
  }
};

}  // namespace

NodeLayout lay_out_node(const NodeShape& shape, double top) {
  const Children children = children_of(shape);
  Placer placer{shape, children, {}, {}, 0, 0};
  NodeLayout layout;
  std::size_t cpus = 0;
  for (std::uint32_t i = 0; i < shape.devices().size(); ++i) {
    if (shape.devices()[i].kind != DeviceKind::cpu) continue;
    if (++cpus > kCpus) {
      ++layout.folded_cpus;
      continue;
    }
    if (cpus > 1) placer.next += 0.4;
    placer.place(i, 0);
  }
  const double room = kPictureWidth - kLeft - kRight;
  const double cell = std::min(room / std::max(placer.next, 1.0), kCellMost);
  const double left = kLeft + (room - cell * placer.next) / 2;
  layout.leaf_y = top + kLevel * (placer.deepest + 1);
  for (const auto& [device, column] : placer.column) {
    const DeviceKind kind = shape.devices()[device].kind;
    const bool is_leaf = kind == DeviceKind::gpu || kind == DeviceKind::nic;
    const double wide = is_leaf ? cell - 4 : kind == DeviceKind::cpu ? 110 : 64;
    const double centre = left + (column + 0.5) * cell;
    const double y = is_leaf ? layout.leaf_y : top + kLevel * placer.level[device];
    layout.devices[device] = {centre - wide / 2, y, wide, kBoxHeight};
  }
  const double bottom = layout.leaf_y + kBoxHeight;
  layout.height = bottom - top + 12;
  const bool has_nvlink =
      std::any_of(shape.links().begin(), shape.links().end(),
                  [](const Link& link) { return link.kind == LinkKind::nvlink; });
  if (!has_nvlink) return layout;
  layout.height = bottom - top + 96;
  for (std::uint32_t i = 0; i < shape.devices().size(); ++i) {
    if (shape.devices()[i].kind != DeviceKind::nvswitch) continue;
    layout.devices[i] = {left, bottom + 44, std::max(cell * placer.next, 120.0), kBoxHeight};
  }
  return layout;
}

}  // namespace railyard::topology::picture
