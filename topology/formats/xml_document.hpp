#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace railyard::topology {

/// An element of an XML file: tag, attributes in order, and position.
struct XmlElement {
  std::string name;
  std::vector<std::pair<std::string, std::string>> attributes;
  int line = 0;            ///< line of its opening tag, from 1
  std::size_t parent = 0;  ///< index in the document; the root is its own parent
  std::vector<std::size_t> children;

  /// The text of an attribute; nothing if the element does not have it.
  [[nodiscard]] std::optional<std::string_view> attribute(std::string_view key) const;
};

/// The elements of an XML text in document order, the root first. Text between elements is ignored.
class XmlDocument {
 public:
  /// Throws InputError with line and column if the text is not well-formed XML, is larger than
  /// core::kMaxTextFile, or has more than a million tags or more than 256 nested elements.
  [[nodiscard]] static XmlDocument parse(std::string_view text, const std::string& file);

  [[nodiscard]] const std::string& file() const { return file_; }
  [[nodiscard]] const XmlElement& root() const { return elements_.front(); }
  [[nodiscard]] const std::vector<XmlElement>& elements() const { return elements_; }
  [[nodiscard]] const XmlElement& operator[](std::size_t index) const { return elements_[index]; }
  /// The position of an element, "line 12, /system/cpu[2]/pci/gpu"; siblings with the same name are
  /// numbered from 1 as in XPath.
  [[nodiscard]] std::string where(std::size_t index) const;

 private:
  std::string file_;
  std::vector<XmlElement> elements_;
};

}  // namespace railyard::topology
