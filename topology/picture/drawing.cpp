#include "topology/picture/drawing.hpp"

#include <fmt/format.h>

namespace railyard::topology::picture {
namespace {

// Mean width of a 12 px sans-serif character, to decide whether a label fits.
constexpr double kLetter = 7;

std::optional<double> load_of(const Edge& edge, const PictureOptions& options) {
  std::optional<double> load;
  if (!edge.cable.empty()) {
    for (const CableShade& shade : options.cables)
      if (shade.cable == edge.cable) return shade.utilisation;
  }
  for (const TierShade& shade : options.shades) {
    if (shade.tier != edge.tier) continue;
    if (shade.pod == edge.pod && edge.pod) return shade.utilisation;
    if (!shade.pod) load = shade.utilisation;
  }
  return load;
}

}  // namespace

int load_class(double utilisation) {
  int load = 0;
  for (const double bound : {0.01, 0.25, 0.5, 0.75, 0.95}) load += utilisation >= bound ? 1 : 0;
  return load;
}

void draw_edge(Markup& svg, const Edge& edge, const PictureOptions& options) {
  const auto load = load_of(edge, options);
  std::string css_class = edge.is_bus ? "e bus" : "e";
  if (load) css_class += fmt::format(" l{}", load_class(*load));
  svg.open("path", {{"class", css_class},
                    {"d", edge.path},
                    {"data-tier", edge.tier},
                    {"data-cable", edge.cable},
                    {"data-pod", edge.pod ? fmt::format("{}", *edge.pod) : std::string()}});
  svg.element("title", {}, edge.title).close();
}

void draw_box(Markup& svg, const Box& box, std::string_view css_class, const std::string& label,
              const std::string& title) {
  svg.open("g").open("rect", {{"class", css_class},
                              {"x", box.x},
                              {"y", box.y},
                              {"width", box.width},
                              {"height", box.height},
                              {"rx", 3.0}});
  svg.element("title", {}, title).close();
  if (static_cast<double>(label.size()) * kLetter <= box.width) {
    svg.element("text",
                {{"x", box.centre()},
                 {"y", box.y + box.height / 2 + 4},
                 {"text-anchor", "middle"},
                 {"class", fmt::format("on-{}", css_class)},
                 {"pointer-events", "none"}},
                label);
  }
  svg.close();
}

std::string straight(double x1, double y1, double x2, double y2) {
  return fmt::format("M{},{}L{},{}", svg_number(x1), svg_number(y1), svg_number(x2),
                     svg_number(y2));
}

std::string count_text(std::size_t count) {
  std::string digits = fmt::format("{}", count);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

}  // namespace railyard::topology::picture
