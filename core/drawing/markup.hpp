#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace railyard::core::drawing {

/// Text made safe for XML and HTML content and double-quoted attributes. Control characters that
/// XML forbids and bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string xml_escape(std::string_view text);

/// A coordinate: at most two decimals, no trailing zeros, never "-0". Not locale dependent.
[[nodiscard]] std::string svg_number(double value);

/// One attribute of an element; numbers are written by svg_number, text is escaped when written.
struct Attribute {
  std::string_view name;
  std::string value;
  Attribute(std::string_view attribute, std::string_view text) : name(attribute), value(text) {}
  Attribute(std::string_view attribute, const char* text) : name(attribute), value(text) {}
  Attribute(std::string_view attribute, const std::string& text) : name(attribute), value(text) {}
  Attribute(std::string_view attribute, double number)
      : name(attribute), value(svg_number(number)) {}
};

/// Writes elements that are well-formed as HTML, XHTML and SVG alike. All text is escaped.
class Markup {
 public:
  /// Begins an element; each needs its close().
  Markup& open(std::string_view tag, std::initializer_list<Attribute> attributes = {});
  Markup& close();
  /// A whole element with text inside (or nothing).
  Markup& element(std::string_view tag, std::initializer_list<Attribute> attributes = {},
                  std::string_view text = {});
  /// Text inside the element that is open.
  Markup& text(std::string_view text);
  /// Markup made by another Markup, as it is.
  Markup& raw(std::string_view markup);
  Markup& newline();
  /// What was written. Asserts that every element is closed.
  [[nodiscard]] std::string str() const;

 private:
  void begin(std::string_view tag, std::initializer_list<Attribute> attributes);
  std::string out_;
  std::vector<std::string> open_;
};

}  // namespace railyard::core::drawing
