#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace railyard::core::drawing {

/// Escapes text for XML and HTML content and for double-quoted attributes. Bytes that are not
/// UTF-8, and control characters that XML forbids, become U+FFFD.
[[nodiscard]] std::string xml_escape(std::string_view text);

/// A coordinate as text: at most two decimals, no trailing zeros, never "-0", in any locale.
[[nodiscard]] std::string svg_number(double value);

/// One attribute of an element. Numbers are formatted by svg_number. Text is escaped when written.
struct Attribute {
  std::string_view name;
  std::string value;
  Attribute(std::string_view attribute, std::string_view text) : name(attribute), value(text) {}
  Attribute(std::string_view attribute, const char* text) : name(attribute), value(text) {}
  Attribute(std::string_view attribute, const std::string& text) : name(attribute), value(text) {}
  Attribute(std::string_view attribute, double number)
      : name(attribute), value(svg_number(number)) {}
};

/// Writes elements in a form that is valid in HTML, XHTML and SVG. All text is escaped.
class Markup {
 public:
  /// Begins an element. Each call needs a close().
  Markup& open(std::string_view tag, std::initializer_list<Attribute> attributes = {});
  Markup& close();
  /// A whole element with text inside (or nothing).
  Markup& element(std::string_view tag, std::initializer_list<Attribute> attributes = {},
                  std::string_view text = {});
  /// Adds text to the current element.
  Markup& text(std::string_view text);
  /// Adds finished markup without escaping it.
  Markup& raw(std::string_view markup);
  Markup& newline();
  /// The markup written so far. Asserts that every element is closed.
  [[nodiscard]] std::string str() const;

 private:
  void begin(std::string_view tag, std::initializer_list<Attribute> attributes);
  std::string out_;
  std::vector<std::string> open_;
};

}  // namespace railyard::core::drawing
