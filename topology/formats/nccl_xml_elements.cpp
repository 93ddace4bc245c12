#include "topology/formats/nccl_xml_elements.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace railyard::topology {
namespace {

template <class Number, class... Base>
std::optional<Number> parse_whole(std::string_view text, Base... base) {
  Number value{};
  const auto [rest, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, base...);
  if (error != std::errc() || rest != text.data() + text.size()) return {};
  return value;
}

}  // namespace

std::optional<int> XmlAttributes::integer(std::size_t element, std::string_view key) const {
  const auto text = document_[element].attribute(key);
  if (!text || text->empty()) return {};
  const bool hexadecimal = text->starts_with("0x") || text->starts_with("0X");
  const auto value =
      hexadecimal ? parse_whole<int>(text->substr(2), 16) : parse_whole<int>(*text, 10);
  if (!value) refuse(element, key, *text, "a whole number");
  return value;
}

std::optional<double> XmlAttributes::number(std::size_t element, std::string_view key) const {
  const auto text = document_[element].attribute(key);
  if (!text || text->empty()) return {};
  const auto value = parse_whole<double>(*text);
  if (value && std::isfinite(*value)) return value;
  refuse(element, key, *text, "a number");
  return {};
}

std::string XmlAttributes::text(std::size_t element, std::string_view key) const {
  return std::string(document_[element].attribute(key).value_or(""));
}

bool XmlAttributes::flag(std::size_t element, std::string_view key, bool otherwise) const {
  return integer(element, key).value_or(otherwise ? 1 : 0) != 0;
}

void XmlAttributes::refuse(std::size_t element, std::string_view key, std::string_view value,
                           std::string_view wanted) const {
  constexpr std::size_t kShown = 40;
  const bool cut = value.size() > kShown;
  problems_.add(
      document_.where(element),
      fmt::format("{}=\"{}{}\" is not {}", key, value.substr(0, kShown), cut ? "..." : "", wanted));
}

}  // namespace railyard::topology
