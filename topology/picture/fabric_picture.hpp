#pragma once

#include "topology/picture/drawing.hpp"
#include "topology/picture/fabric_outline.hpp"
#include "topology/picture/picture_options.hpp"

namespace railyard::topology::picture {

/// Draws the tiers of the fabric at the top of an SVG of width kPictureWidth. Returns the height in
/// pixels.
double draw_fabric(Markup& svg, const Cluster& cluster, const PictureOptions& options);

/// Draws the inside of a kind of node, beginning at `top` pixels. Returns the height in pixels.
double draw_node(Markup& svg, const NodeShape& shape, double top, const PictureOptions& options);

}  // namespace railyard::topology::picture
