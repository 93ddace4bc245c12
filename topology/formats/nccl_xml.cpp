#include "topology/formats/nccl_xml.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "topology/formats/nccl_xml_completion.hpp"
#include "topology/formats/nccl_xml_links.hpp"
#include "topology/formats/nccl_xml_tree.hpp"

namespace railyard::topology {
namespace {

void check_root(const XmlDocument& document) {
  const XmlElement& root = document.root();
  if (root.name == "graphs" || root.name == "graph")
    throw InputError(document.file(), document.where(0),
                     "is a graph file (the channels that NCCL searched), not a topology",
                     "NCCL_TOPO_DUMP_FILE=node.xml writes the topology");
  if (root.name != "system")
    throw InputError(document.file(), document.where(0),
                     fmt::format("is not NCCL's topology: its root is <{}>, not <system>",
                                 root.name.substr(0, 40)),
                     "NCCL_TOPO_DUMP_FILE=node.xml writes one");
  const auto version = root.attribute("version");
  // NCCL_TOPO_XML_VERSION is 1 in NCCL and 2 in RCCL (src/graph/xml.h of each).
  if (version != "1" && version != "2")
    throw InputError(document.file(), document.where(0),
                     version ? fmt::format("version \"{}\" is not known", version->substr(0, 40))
                             : "has no version",
                     "NCCL writes version=\"1\", RCCL version=\"2\"");
}

std::string name_of(const XmlDocument& document) {
  if (const auto name = document.root().attribute("name"); name && !name->empty())
    return std::string(*name);
  return std::filesystem::path(document.file()).stem().string();
}

}  // namespace

ImportedNode read_nccl_xml(std::string_view text, const std::string& file, std::string_view gpu) {
  const XmlDocument document = XmlDocument::parse(text, file);
  check_root(document);
  Diagnostics problems(file);
  std::vector<std::string> notes;
  XmlNode xml = read_xml_tree(document, problems, notes);
  complete_xml_node(xml, document, gpu, problems, notes);
  if (!xml.gpus_by_class) read_xml_links(xml, document, problems, notes);
  problems.throw_if_any();
  xml.node.name = name_of(document);
  xml.node.source = "NCCL topology XML";
  return {std::move(xml.node), std::move(notes)};
}

NodeSpec import_nccl_xml(std::string_view text, const std::string& file) {
  return read_nccl_xml(text, file).node;
}

}  // namespace railyard::topology
