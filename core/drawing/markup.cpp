#include "core/drawing/markup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace railyard::core::drawing {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD in UTF-8

// Elements that are never filled: HTML's void elements and SVG's shapes.
constexpr std::array<std::string_view, 10> kEmptyElements = {
    "meta", "br", "hr", "input", "path", "rect", "circle", "line", "polygon", "use"};

/// Bytes of the UTF-8 sequence at `text[at]`, 0 where there is none that XML allows.
std::size_t sequence_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t first = byte(at);
  if (first < 0x80) return first >= 0x20 || first == '\n' || first == '\t' ? 1 : 0;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || at + length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xC0U) != 0x80) return 0;
  }
  const bool surrogate = first == 0xED && byte(at + 1) >= 0xA0;
  const bool overlong =
      (first == 0xE0 && byte(at + 1) < 0xA0) || (first == 0xF0 && byte(at + 1) < 0x90);
  const bool beyond = first == 0xF4 && byte(at + 1) >= 0x90;
  const bool not_a_character = first == 0xEF && byte(at + 1) == 0xBF && byte(at + 2) >= 0xBE;
  return surrogate || overlong || beyond || not_a_character ? 0 : length;
}

}  // namespace

std::string xml_escape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = sequence_length(text, at);
    switch (text[at]) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += length == 0 ? kReplacement : text.substr(at, length);
    }
    at += std::max<std::size_t>(length, 1);
  }
  return out;
}

std::string svg_number(double value) {
  assert(std::isfinite(value));
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

void Markup::begin(std::string_view tag, std::initializer_list<Attribute> attributes) {
  out_ += '<';
  out_ += tag;
  for (const Attribute& attribute : attributes) {
    out_ += fmt::format(" {}=\"{}\"", attribute.name, xml_escape(attribute.value));
  }
}

Markup& Markup::open(std::string_view tag, std::initializer_list<Attribute> attributes) {
  begin(tag, attributes);
  out_ += '>';
  open_.emplace_back(tag);
  return *this;
}

Markup& Markup::close() {
  assert(!open_.empty());
  out_ += fmt::format("</{}>", open_.back());
  open_.pop_back();
  return *this;
}

Markup& Markup::element(std::string_view tag, std::initializer_list<Attribute> attributes,
                        std::string_view text) {
  begin(tag, attributes);
  const bool empty =
      std::find(kEmptyElements.begin(), kEmptyElements.end(), tag) != kEmptyElements.end();
  if (text.empty() && empty) {
    out_ += "/>";
  } else {
    out_ += fmt::format(">{}</{}>", xml_escape(text), tag);
  }
  return *this;
}

Markup& Markup::text(std::string_view text) {
  out_ += xml_escape(text);
  return *this;
}

Markup& Markup::raw(std::string_view markup) {
  out_ += markup;
  return *this;
}

Markup& Markup::newline() {
  out_ += '\n';
  return *this;
}

std::string Markup::str() const {
  assert(open_.empty());
  return out_;
}

}  // namespace railyard::core::drawing
