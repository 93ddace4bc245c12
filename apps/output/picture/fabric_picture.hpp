#pragma once

#include "apps/output/picture/drawing.hpp"
#include "apps/output/picture/fabric_outline.hpp"
#include "apps/output/picture/picture_options.hpp"

namespace railyard::apps {

/// Draws the fabric by tiers at the top of an SVG, kPictureWidth wide. Returns its height.
double draw_fabric(Markup& svg, const topology::Cluster& cluster, const PictureOptions& options);

/// Draws the inside of a kind of node, `top` pixels down. Returns its height.
double draw_node(Markup& svg, const topology::NodeShape& shape, double top,
                 const PictureOptions& options);

}  // namespace railyard::apps
