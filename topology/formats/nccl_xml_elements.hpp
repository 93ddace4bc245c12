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

/// A GPU of the file, in document order. Until GPUs are numbered, PcieSpec::gpu contains its index
/// in this order.
struct XmlGpu {
  std::size_t element = 0;  ///< its <gpu> element, or its <pci> element if it was identified by PCI
                            ///< class
  std::size_t pci = 0;
  std::size_t cpu = 0;  ///< index in NodeSpec::cpus
  int host = 0;
  std::string busid;
};

/// The content of an XML file before devices are numbered and links are resolved.
struct XmlNode {
  NodeSpec node;
  std::vector<XmlGpu> gpus;
  std::vector<int> host_of_cpu;
  std::map<std::pair<int, std::string>, std::size_t> functions;  ///< <pci> element by (host, bus
                                                                 ///< id)
  bool gpus_by_class = false;                                    ///< the file has no <gpu>; GPUs
                                                                 ///< are identified by PCI class
  bool nics_by_class = false;                                    ///< the file has no <net>; NICs
                                                                 ///< are identified by PCI class
};

/// Reads attributes of elements. Adds a problem with the position of the element if a required
/// attribute is missing or malformed.
class XmlAttributes {
 public:
  XmlAttributes(const XmlDocument& document, Diagnostics& problems)
      : document_(document), problems_(problems) {}

  /// An integer, parsed as NCCL does: decimal, or hexadecimal after 0x. Nothing if the attribute is
  /// missing, empty or malformed (the last adds a problem).
  [[nodiscard]] std::optional<int> integer(std::size_t element, std::string_view key) const;
  [[nodiscard]] std::optional<double> number(std::size_t element, std::string_view key) const;
  /// The text of an attribute; "" if it is missing.
  [[nodiscard]] std::string text(std::size_t element, std::string_view key) const;
  [[nodiscard]] bool flag(std::size_t element, std::string_view key, bool otherwise) const;

 private:
  void refuse(std::size_t element, std::string_view key, std::string_view value,
              std::string_view wanted) const;

  const XmlDocument& document_;
  Diagnostics& problems_;
};

/// Calls visit(function) for each PCIe function in a forest, parents before their children.
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
