#include "topology/picture/topology_picture.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/drawing/markup.hpp"
#include "core/drawing/theme.hpp"
#include "topology/picture/fabric_picture.hpp"
#include "topology/picture/style.hpp"

namespace railyard::topology::picture {
namespace {

// The largest number of node kinds whose inside is drawn. Clusters with more kinds are rare.
constexpr std::size_t kShapes = 3;

}  // namespace

std::string topology_svg(const Cluster& cluster, const PictureOptions& options) {
  Markup inside;
  double height = draw_fabric(inside, cluster, options);
  for (std::size_t i = 0; i < std::min(kShapes, cluster.shapes().size()); ++i) {
    height += 26 + draw_node(inside, *cluster.shapes()[i], height + 26, options);
  }
  const std::string title = fmt::format("{}: {} nodes, {} GPUs", cluster.spec().name,
                                        cluster.node_count(), cluster.rank_count());
  const std::string view = fmt::format("0 0 {} {}", svg_number(kPictureWidth), svg_number(height));
  Markup svg;
  if (options.standalone) {
    svg.open("svg", {{"xmlns", "http://www.w3.org/2000/svg"},
                     {"class", "topology"},
                     {"viewBox", view},
                     {"width", kPictureWidth},
                     {"height", height},
                     {"font-family", "system-ui, 'DejaVu Sans', sans-serif"}});
    svg.newline().element("title", {}, title).newline();
    svg.open("style")
        .raw(fmt::format("\n{}{}", core::drawing::kThemeCss, kPictureCss))
        .close()
        .newline();
    svg.element("rect", {{"width", "100%"}, {"height", "100%"}, {"fill", "var(--page)"}}).newline();
  } else {
    svg.open("svg",
             {{"class", "topology"}, {"viewBox", view}, {"role", "img"}, {"aria-label", title}})
        .newline();
  }
  svg.raw(inside.str()).close().newline();
  return svg.str();
}

}  // namespace railyard::topology::picture
