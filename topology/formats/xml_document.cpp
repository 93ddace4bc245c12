#include "topology/formats/xml_document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <pugixml.hpp>

#include "core/config/text_file.hpp"
#include "core/diagnostic.hpp"

namespace railyard::topology {
namespace {

// NCCL 2.30.7 src/graph/topo.cc, NCCL_TOPO_XML_DEPTH_MAX.
constexpr std::size_t kMaxDepth = 256;
// Limit on the memory that a malicious file can use. The XML of a 72-GPU domain has about 2,000
// tags.
constexpr std::int64_t kMaxTags = 1'000'000;

/// Line and column of a byte offset, both from 1.
std::pair<int, std::ptrdiff_t> position(std::string_view text, std::ptrdiff_t offset) {
  const std::string_view before =
      text.substr(0, static_cast<std::size_t>(std::max<std::ptrdiff_t>(offset, 0)));
  const std::size_t start = before.rfind('\n');
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t column = before.size() - (start == std::string_view::npos ? 0 : start + 1);
  return {static_cast<int>(line), static_cast<std::ptrdiff_t>(column) + 1};
}

void check_size(std::string_view text, const std::string& file) {
  if (static_cast<std::int64_t>(text.size()) > core::kMaxTextFile.count())
    throw InputError(file, "", fmt::format("is larger than {}", core::to_text(core::kMaxTextFile)),
                     "a node's topology takes a few kilobytes");
  if (std::count(text.begin(), text.end(), '<') > 2 * kMaxTags)
    throw InputError(file, "", fmt::format("has more than {} XML tags", kMaxTags),
                     "a node's topology has a few hundred");
}

void load(pugi::xml_document& document, std::string_view text, const std::string& file) {
  const pugi::xml_parse_result result = document.load_buffer(
      text.data(), text.size(), pugi::parse_default | pugi::parse_trim_pcdata, pugi::encoding_utf8);
  if (!result) {
    const auto [line, column] = position(text, result.offset);
    std::string reason = result.description();
    if (result.status == pugi::status_end_element_mismatch)
      reason += ", or the file ends before its elements do";
    throw InputError(file, fmt::format("line {}, column {}", line, column), "not XML: " + reason,
                     "was the file cut off or edited by hand?");
  }
}

/// Determines the lines of elements in document order, so that each line of the text is counted
/// once.
class LineCounter {
 public:
  explicit LineCounter(std::string_view text) : text_(text) {}
  int at(std::ptrdiff_t offset) {
    for (; position_ < offset && position_ < std::ssize(text_); ++position_)
      if (text_[static_cast<std::size_t>(position_)] == '\n') ++line_;
    return line_;
  }

 private:
  std::string_view text_;
  std::ptrdiff_t position_ = 0;
  int line_ = 1;
};

XmlElement element_of(const pugi::xml_node& node, int line, std::size_t parent) {
  XmlElement element;
  element.name = node.name();
  element.line = line;
  element.parent = parent;
  for (const pugi::xml_attribute& attribute : node.attributes())
    element.attributes.emplace_back(attribute.name(), attribute.value());
  return element;
}

}  // namespace

std::optional<std::string_view> XmlElement::attribute(std::string_view key) const {
  for (const auto& [name_of, value] : attributes)
    if (name_of == key) return value;
  return {};
}

XmlDocument XmlDocument::parse(std::string_view text, const std::string& file) {
  check_size(text, file);
  pugi::xml_document document;
  load(document, text, file);
  const pugi::xml_node root = document.document_element();
  if (!root)
    throw InputError(file, "", "has no XML element", "NCCL_TOPO_DUMP_FILE=node.xml writes one");

  XmlDocument result;
  result.file_ = file;
  LineCounter lines(text);
  std::vector<std::size_t> ancestors;
  // Depth-first traversal without recursion: to the first child, otherwise to the next sibling of
  // the nearest ancestor that has one.
  pugi::xml_node node = root;
  while (node) {
    const std::size_t index = result.elements_.size();
    const std::size_t parent = ancestors.empty() ? 0 : ancestors.back();
    result.elements_.push_back(element_of(node, lines.at(node.offset_debug()), parent));
    if (!ancestors.empty()) result.elements_[parent].children.push_back(index);
    ancestors.push_back(index);
    if (ancestors.size() > kMaxDepth)
      throw InputError(file, fmt::format("line {}", result.elements_[index].line),
                       fmt::format("nests deeper than {} elements", kMaxDepth));
    const auto is_element = [](const pugi::xml_node& n) { return n.type() == pugi::node_element; };
    pugi::xml_node next = node.find_child(is_element);
    while (!next && node) {
      ancestors.pop_back();
      if (node == root) return result;
      do next = (next ? next : node).next_sibling();
      while (next && !is_element(next));
      if (!next) node = node.parent();
    }
    node = next;
  }
  return result;
}

std::string XmlDocument::where(std::size_t index) const {
  std::vector<std::string> steps;
  for (std::size_t at = index;; at = elements_[at].parent) {
    int number = 0, same = 0;
    if (at != 0) {
      for (const std::size_t sibling : elements_[elements_[at].parent].children) {
        if (elements_[sibling].name != elements_[at].name) continue;
        ++same;
        if (sibling == at) number = same;
      }
    }
    steps.push_back(same > 1 ? fmt::format("/{}[{}]", elements_[at].name, number)
                             : "/" + elements_[at].name);
    if (at == 0) break;
  }
  std::string path;
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) path += *step;
  return fmt::format("line {}, {}", elements_[index].line, path);
}

}  // namespace railyard::topology
