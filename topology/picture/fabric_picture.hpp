#pragma once

#include "topology/picture/drawing.hpp"
#include "topology/picture/fabric_outline.hpp"
#include "topology/picture/picture_options.hpp"

namespace railyard::topology::picture {

/// Draws the fabric by tiers at the top of an SVG, kPictureWidth wide. Returns its height.
double draw_fabric(Markup& svg, const Cluster& cluster, const PictureOptions& options);

/// Draws the inside of a kind of node, `top` pixels down. Returns its height.
double draw_node(Markup& svg, const NodeShape& shape, double top, const PictureOptions& options);

}  // namespace railyard::topology::picture
