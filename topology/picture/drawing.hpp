#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/drawing/markup.hpp"
#include "topology/picture/picture_options.hpp"

namespace railyard::topology::picture {

using core::drawing::Markup;
using core::drawing::svg_number;

inline constexpr double kPictureWidth = 1160;

/// A rectangle of a picture, in pixels of its viewBox.
struct Box {
  double x = 0, y = 0, width = 0, height = 0;
  [[nodiscard]] double centre() const { return x + width / 2; }
  [[nodiscard]] double bottom() const { return y + height; }
};

/// A link of a picture.
struct Edge {
  std::string path;  ///< SVG path data
  std::string tier;
  std::optional<int> pod;
  std::string title;
  std::string cable{};  ///< "pod0/leaf0 -- pod0/spine1", if it is a fabric cable
  bool is_bus = false;  ///< one wide line that represents many links
};

/// The colour class of a utilisation: 0 idle (below 1 %), 1 below 25 %, 2 below 50 %, 3 below 75 %,
/// 4 below 95 %, otherwise 5.
[[nodiscard]] int load_class(double utilisation);

/// Draws a link in the colour of its load.
void draw_edge(Markup& svg, const Edge& edge, const PictureOptions& options);
/// Draws a box with a centred label (left out if it does not fit) and a tooltip (title).
void draw_box(Markup& svg, const Box& box, std::string_view css_class, const std::string& label,
              const std::string& title);
/// "M x,y L x,y" between two points.
[[nodiscard]] std::string straight(double x1, double y1, double x2, double y2);
/// A count with thousands separators: "12,288".
[[nodiscard]] std::string count_text(std::size_t count);

}  // namespace railyard::topology::picture
