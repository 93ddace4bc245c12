#include "topology/picture/fabric_layout.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace railyard::topology::picture {

namespace {

constexpr double kLeft = 120, kRight = 8, kTop = 12, kSwitchHeight = 24, kRowGap = 86,
                 kNodeHeight = 92;
constexpr double kPodGap = 14, kFoldGap = 92, kEllipsis = 46, kSwitchMost = 46, kNodeMost = 250,
                 kPodPad = 10;
constexpr int kNicsShown = 8;

/// Divides a width into cells, one per entry, with space after entries that are followed by folded
/// items.
template <class Item, class Place>
void spread(const FoldedRow<Item>& row, double left, double width, double most, const Place& place,
            std::vector<Ellipsis>& ellipses, double y) {
  if (row.shown.empty()) return;
  double gaps = 0;
  for (const auto& entry : row.shown) gaps += entry.folded_after > 0 ? kEllipsis : 0;
  const double cell = std::min((width - gaps) / static_cast<double>(row.shown.size()), most + 6);
  double x = left + (width - gaps - cell * static_cast<double>(row.shown.size())) / 2;
  for (const auto& entry : row.shown) {
    place(entry.item, x + 3, cell - 6);
    x += cell;
    if (entry.folded_after == 0) continue;
    ellipses.push_back({x + kEllipsis / 2, y, "⋯ " + count_text(entry.folded_after)});
    x += kEllipsis;
  }
}

/// Places the content of a node's box: NICs at the top, then GPUs, then the NVLink bar.
void place_node(FabricLayout& layout, const Cluster& cluster, NodeId id, const Box& box) {
  const NodeShape& shape = cluster.shape(id);
  NodeBox node{id, box, std::min(shape.nic_count(), kNicsShown),
               std::min(shape.gpu_count(), kNicsShown), false};
  const auto cells = [&](int count, double y, double height, const auto& device_of) {
    const double cell = std::min((box.width - 8) / std::max(count, 1), 34.0);
    const double left = box.centre() - cell * count / 2;
    for (int i = 0; i < count; ++i)
      layout.devices[device_of(i)] = {left + i * cell + 1, y, cell - 2, height};
  };
  const DeviceId first = cluster.node(id).first_device;
  cells(node.nics, box.y + 4, 13, [&](int nic) { return cluster.nic(id, nic); });
  cells(node.gpus, box.y + 32, 18,
        [&](int gpu) { return DeviceId(first.value() + shape.gpu_device(gpu)); });
  const DeviceId nvswitch = cluster.nvswitch(id);
  node.nvlink_bar = !nvswitch.is_none() || !shape.spec().nvlinks.empty();
  if (!nvswitch.is_none()) layout.devices[nvswitch] = {box.x + 6, box.y + 60, box.width - 12, 12};
  layout.nodes.push_back(node);
}

/// The rows of the picture from top to bottom. A tier without switches has no row.
struct Rows {
  double core = 0, spine = 0, leaf = 0, node = 0, bottom = 0;
};

Rows lay_out_rows(const FabricOutline& outline) {
  Rows rows;
  double y = kTop;
  rows.core = y;
  if (outline.cores.total > 0) y += kSwitchHeight + kRowGap;
  rows.spine = y;
  if (outline.spine_count > 0) y += kSwitchHeight + kRowGap;
  rows.leaf = y;
  if (outline.leaf_count > 0) y += kSwitchHeight + kRowGap;
  rows.node = y;
  rows.bottom = y + kNodeHeight;
  return rows;
}

void place_pod(FabricLayout& layout, const Cluster& cluster, const PodOutline& pod,
               const Rows& rows, double left, double width) {
  const auto switches = [&](double y) {
    return [&layout, y](DeviceId id, double x, double wide) {
      layout.devices[id] = {x, y, wide, kSwitchHeight};
    };
  };
  const double inner = width - 2 * kPodPad;
  spread(pod.spines, left + kPodPad, inner, kSwitchMost, switches(rows.spine), layout.ellipses,
         rows.spine + 16);
  spread(pod.leaves, left + kPodPad, inner, kSwitchMost, switches(rows.leaf), layout.ellipses,
         rows.leaf + 16);
  spread(
      pod.nodes, left + kPodPad, inner, kNodeMost,
      [&](NodeId id, double x, double wide) {
        place_node(layout, cluster, id, {x, rows.node, wide, kNodeHeight});
      },
      layout.ellipses, rows.node + kNodeHeight / 2);
}

void place_pods(FabricLayout& layout, const Cluster& cluster, const FabricOutline& outline,
                const Rows& rows) {
  const auto& pods = outline.pods.shown;
  const double room = kPictureWidth - kLeft - kRight;
  double gaps = 0;
  for (std::size_t i = 0; i + 1 < pods.size(); ++i)
    gaps += pods[i].folded_after > 0 ? kFoldGap : kPodGap;
  const double width = (room - gaps) / static_cast<double>(std::max<std::size_t>(pods.size(), 1));
  double left = kLeft;
  for (const auto& entry : pods) {
    place_pod(layout, cluster, entry.item, rows, left, width);
    if (outline.pods.total > 1) {
      const double top = outline.spine_count > 0 ? rows.spine : rows.leaf;
      layout.pods.push_back(
          {{left, top - 26, width, rows.bottom - top + 36}, fmt::format("pod {}", entry.item.pod)});
    }
    left += width + (entry.folded_after > 0 ? kFoldGap : kPodGap);
    if (entry.folded_after == 0) continue;
    const std::string folded = entry.folded_after == 1
                                   ? fmt::format("pod {} alike", entry.item.pod + 1)
                                   : fmt::format("{} pods alike", count_text(entry.folded_after));
    layout.ellipses.push_back({left - kFoldGap / 2, rows.leaf - 10, "⋯"});
    layout.ellipses.push_back({left - kFoldGap / 2, rows.leaf + 8, folded});
  }
}

void name_tiers(FabricLayout& layout, const Cluster& cluster, const FabricOutline& outline,
                const Rows& rows) {
  const auto name = [&](double y, const std::string& tier, std::size_t count) {
    layout.tiers.push_back({y, tier, "× " + count_text(count)});
  };
  if (outline.cores.total > 0) name(rows.core + 10, "core", outline.cores.total);
  if (outline.spine_count > 0) name(rows.spine + 10, "spine", outline.spine_count);
  if (outline.leaf_count > 0) name(rows.leaf + 10, "leaf", outline.leaf_count);
  layout.tiers.push_back({rows.node + 34, "nodes", "× " + count_text(cluster.node_count())});
  layout.tiers.push_back({rows.node + 66, "", count_text(cluster.rank_count()) + " GPUs"});
}

}  // namespace

FabricLayout lay_out_fabric(const Cluster& cluster, const FabricOutline& outline) {
  FabricLayout layout;
  Rows rows = lay_out_rows(outline);
  if (outline.pods.total > 1) {  // space for the labels of pods
    const double label = outline.cores.total > 0 ? 0 : 20;
    for (double* y : {&rows.core, &rows.spine, &rows.leaf, &rows.node, &rows.bottom}) *y += label;
  }
  const auto place_core = [&](DeviceId id, double x, double wide) {
    layout.devices[id] = {x, rows.core, wide, kSwitchHeight};
  };
  spread(outline.cores, kLeft, kPictureWidth - kLeft - kRight, kSwitchMost, place_core,
         layout.ellipses, rows.core + 16);
  place_pods(layout, cluster, outline, rows);
  name_tiers(layout, cluster, outline, rows);
  layout.height = rows.bottom + 20;
  return layout;
}

}  // namespace railyard::topology::picture
