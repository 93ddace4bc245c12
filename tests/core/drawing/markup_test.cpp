#include "core/drawing/markup.hpp"

#include <gtest/gtest.h>

namespace railyard::core::drawing {
namespace {

TEST(Markup, EscapesWhatXmlCannotHold) {
  EXPECT_EQ(xml_escape("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;&#39;");
  EXPECT_EQ(xml_escape("\x01|\xC3\xA9|\xC3|\xED\xA0\x80"), "\uFFFD|é|\uFFFD|\uFFFD\uFFFD\uFFFD");
}

TEST(Markup, WritesShortCoordinates) {
  EXPECT_EQ(svg_number(1.5), "1.5");
  EXPECT_EQ(svg_number(100), "100");
  EXPECT_EQ(svg_number(-0.001), "0");
  EXPECT_EQ(svg_number(2.0 / 3), "0.67");
}

}  // namespace
}  // namespace railyard::core::drawing
