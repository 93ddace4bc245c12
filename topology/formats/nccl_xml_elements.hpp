#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/diagnostic.hpp"
#include "topology/formats/xml_document.hpp"
#include "topology/node/node_spec.hpp"

namespace railyard::topology {

/// A GPU of the file, in document order. PcieSpec::gpu holds its index here until all are known.
struct XmlGpu {
  std::size_t element = 0;  ///< its <gpu>, or its <pci> where it is told by its class
  std::size_t pci = 0;
  std::size_t cpu = 0;  ///< index in NodeSpec::cpus
  int host = 0;
  std::string busid;
};

/// What an XML file says of a node before numbers are given and links resolved.
struct XmlNode {
  NodeSpec node;
  std::vector<XmlGpu> gpus;
  std::vector<int> host_of_cpu;
  std::map<std::pair<int, std::string>, std::size_t> functions;  ///< (host, bus id) to <pci>
  bool gpus_by_class = false;                                    ///< no <gpu> in the file
  bool nics_by_class = false;                                    ///< no <net> in the file
};

/// Reads attributes; adds a problem at the element where one is missing or malformed.
class XmlAttributes {
 public:
  XmlAttributes(const XmlDocument& document, Diagnostics& problems)
      : document_(document), problems_(problems) {}

  /// Whole numbers as NCCL reads them: decimal, or hexadecimal after 0x. Nothing where the
  /// attribute is missing, empty or malformed (a problem).
  [[nodiscard]] std::optional<int> integer(std::size_t element, std::string_view key) const;
  [[nodiscard]] std::optional<double> number(std::size_t element, std::string_view key) const;
  /// "" where it is missing.
  [[nodiscard]] std::string text(std::size_t element, std::string_view key) const;
  [[nodiscard]] bool flag(std::size_t element, std::string_view key, bool otherwise) const;

 private:
  void refuse(std::size_t element, std::string_view key, std::string_view value,
              std::string_view wanted) const;

  const XmlDocument& document_;
  Diagnostics& problems_;
};

/// Calls visit(function) for each PCIe function below, parents first.
template <class Functions, class Visit>
void for_each_function(Functions& functions, const Visit& visit) {
  for (auto& function : functions) {
    visit(function);
    for_each_function(function.children, visit);
  }
}

template <class Node, class Visit>
void for_each_function_of(Node& node, const Visit& visit) {
  for (auto& cpu : node.cpus) for_each_function(cpu.pcie, visit);
}

}  // namespace railyard::topology
