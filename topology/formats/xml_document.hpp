#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace railyard::topology {

/// An element of an XML file: tag, attributes in order, and where it stands.
struct XmlElement {
  std::string name;
  std::vector<std::pair<std::string, std::string>> attributes;
  int line = 0;            ///< where its tag begins, from 1
  std::size_t parent = 0;  ///< index in the document; the root is its own parent
  std::vector<std::size_t> children;

  /// The text of an attribute, or nothing where it has none of that name.
  [[nodiscard]] std::optional<std::string_view> attribute(std::string_view key) const;
};

/// The elements of an XML text in document order (text between them is left out), the root first.
class XmlDocument {
 public:
  /// Throws InputError (line and column) where the text is not well-formed XML, is larger than
  /// core::kMaxTextFile, has more than a million tags or nests deeper than 256 elements.
  [[nodiscard]] static XmlDocument parse(std::string_view text, const std::string& file);

  [[nodiscard]] const std::string& file() const { return file_; }
  [[nodiscard]] const XmlElement& root() const { return elements_.front(); }
  [[nodiscard]] const std::vector<XmlElement>& elements() const { return elements_; }
  [[nodiscard]] const XmlElement& operator[](std::size_t index) const { return elements_[index]; }
  /// "line 12, /system/cpu[2]/pci/gpu": siblings of one name are counted from 1, as XPath does.
  [[nodiscard]] std::string where(std::size_t index) const;

 private:
  std::string file_;
  std::vector<XmlElement> elements_;
};

}  // namespace railyard::topology
