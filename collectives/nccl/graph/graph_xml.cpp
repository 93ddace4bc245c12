#include "collectives/nccl/graph/graph_xml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <set>

#include "collectives/nccl/graph/names.hpp"
#include "core/diagnostic.hpp"
#include "topology/formats/xml_document.hpp"

namespace railyard::collectives::nccl {
namespace {

using topology::XmlDocument;
using topology::XmlElement;

// NCCL 2.30.7 src/graph/search.cc, kvDictLinkType: the types that NCCL's reader supports.
constexpr std::array kKnownTypes{PathType::loc, PathType::nvl, PathType::nvb,
                                 PathType::pix, PathType::pxb, PathType::p2c,
                                 PathType::pxn, PathType::phb, PathType::sys};

std::string type_text(PathType type, GraphId id) {
  if (std::ranges::find(kKnownTypes, type) == kKnownTypes.end())
    throw InputError(
        "", "",
        fmt::format("graph {} has paths of type {}, which NCCL's graph files cannot say",
                    static_cast<int>(id), to_text(type)));
  return std::string(to_text(type));
}

/// The number of a device combined with that of its host: NCCL 2.30.7 src/graph/topo.h,
/// NCCL_TOPO_ID.
std::uint64_t topology_id(int host, int number) {
  constexpr int kHostShift = 56;
  return (static_cast<std::uint64_t>(host) << kHostShift) + static_cast<std::uint64_t>(number);
}

std::uint64_t gpu_id(const System& system, int gpu) {
  return topology_id(system[system.vertex(VertexKind::gpu, gpu)].host,
                     system.gpus[static_cast<std::size_t>(gpu)].dev);
}

int gpu_of_rank(const System& system, int rank) {
  const auto found = std::ranges::find(system.gpus, rank, &SystemGpu::rank);
  return static_cast<int>(found - system.gpus.begin());
}

std::string channel_xml(const Graph& graph, const GraphChannel& channel, const System& system) {
  const auto net = [](int dev) {
    return dev < 0 ? "" : fmt::format("      <net dev=\"{:#x}\"/>\n", dev);
  };
  std::string text = "    <channel>\n" + net(channel.net_in);
  for (const int rank : channel.gpus) {
    text += fmt::format("      <gpu dev=\"{:#x}\" rank=\"{}\"/>\n",
                        gpu_id(system, gpu_of_rank(system, rank)), rank);
    if (graph.pattern == GraphPattern::nvls) break;
  }
  return text + net(channel.net_out) + "    </channel>\n";
}

/// Reads one file's graphs for a node.
class GraphReader {
 public:
  GraphReader(const XmlDocument& document, const System& system, bool inter)
      : document_(document), system_(system), inter_(inter), problems_(document.file()) {}

  Graphs read() && {
    const XmlElement& root = document_.root();
    if (root.name != "graphs" || root.attribute("version") != "1")
      problems_.add(document_.where(0), "is not NCCL's graph file, <graphs version=\"1\">",
                    "NCCL_GRAPH_DUMP_FILE writes one");
    for (const std::size_t child : root.children)
      if (document_[child].name == "graph") read_graph(child);
    problems_.throw_if_any();
    return std::move(graphs_);
  }

 private:
  std::string text(std::size_t element, std::string_view key) {
    const auto value = document_[element].attribute(key);
    if (!value) problems_.add(document_.where(element), fmt::format("has no {}", key));
    return std::string(value.value_or(""));
  }

  template <class Number>
  Number number(std::size_t element, std::string_view key) {
    const std::string value = text(element, key);
    Number out{};
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), out);
    if (!value.empty() && (error != std::errc() || end != value.data() + value.size() || out < 0))
      problems_.add(document_.where(element), fmt::format("{}=\"{}\" is no number", key, value));
    return out;
  }

  PathType type(std::size_t element, std::string_view key) {
    const std::string value = text(element, key);
    const auto found = std::ranges::find(kKnownTypes, value, [](PathType t) { return to_text(t); });
    if (found != kKnownTypes.end()) return *found;
    if (!value.empty())
      problems_.add(document_.where(element),
                    fmt::format("{}=\"{}\" is no type of path", key, value),
                    "LOC, NVL, NVB, PIX, PXB, P2C, PXN, PHB or SYS");
    return PathType::sys;
  }

  void read_graph(std::size_t element) {
    const int id = number<int>(element, "id"), pattern = number<int>(element, "pattern");
    if (id >= static_cast<int>(kGraphIds) || pattern < 1 || pattern > 6) {
      problems_.add(document_.where(element),
                    fmt::format("graph {} of pattern {} is not known", id, pattern),
                    "ids 0 to 4, patterns 1 to 6");
      return;
    }
    Graph graph{.pattern = static_cast<GraphPattern>(pattern),
                .channels = number<int>(element, "nchannels"),
                .bandwidth_intra = number<float>(element, "speedintra"),
                .bandwidth_inter = number<float>(element, "speedinter"),
                .type_intra = type(element, "typeintra"),
                .type_inter = type(element, "typeinter"),
                .cross_nic = number<int>(element, "crossnic"),
                .same_channels = number<int>(element, "samechannels") != 0,
                .orders = {}};
    if (document_[element].attribute("latencyinter"))
      graph.latency_inter = number<float>(element, "latencyinter");
    for (const std::size_t child : document_[element].children)
      if (document_[child].name == "channel") graph.orders.push_back(channel(child, graph));
    if (graph.channels != static_cast<int>(graph.orders.size()))
      problems_.add(document_.where(element), fmt::format("lists {} channels and says {}",
                                                          graph.orders.size(), graph.channels));
    if (graph.channels > 0) graphs_[static_cast<std::size_t>(id)] = std::move(graph);
  }

  GraphChannel channel(std::size_t element, const Graph& graph) {
    GraphChannel out;
    for (const std::size_t child : document_[element].children) {
      if (document_[child].name == "gpu") out.gpus.push_back(rank_of(child));
      if (document_[child].name != "net") continue;
      (out.gpus.empty() ? out.net_in : out.net_out) = net_of(child);
    }
    const std::size_t wanted = graph.pattern == GraphPattern::nvls ? 1 : system_.gpus.size();
    const std::set<int> different(out.gpus.begin(), out.gpus.end());
    if (out.gpus.size() != wanted || different.size() != wanted)
      problems_.add(document_.where(element),
                    fmt::format("names {} different GPUs of {}", different.size(), wanted));
    if (inter_ && (out.net_in < 0 || out.net_out < 0))
      problems_.add(document_.where(element), "names no NIC before and after its GPUs",
                    "between nodes a channel enters and leaves by one");
    if (!inter_) out.net_in = out.net_out = -1;
    return out;
  }

  /// NCCL reads numbers of devices as hexadecimal ones.
  std::uint64_t device(std::size_t element) {
    return std::strtoull(text(element, "dev").c_str(), nullptr, 16);
  }

  int rank_of(std::size_t element) {
    const std::uint64_t dev = device(element);
    const bool ranked = document_[element].attribute("rank").has_value();
    const int rank = ranked ? number<int>(element, "rank") : -1;
    for (int gpu = 0; gpu < system_.gpu_count(); ++gpu) {
      const SystemGpu& one = system_.gpus[static_cast<std::size_t>(gpu)];
      if (ranked ? one.rank == rank : gpu_id(system_, gpu) == dev) return one.rank;
    }
    problems_.add(document_.where(element), ranked ? fmt::format("there is no rank {}", rank)
                                                   : fmt::format("there is no GPU {:#x}", dev));
    return 0;
  }

  int net_of(std::size_t element) {
    const auto dev = static_cast<int>(device(element));
    if (std::ranges::find(system_.nets, dev, &SystemNet::dev) == system_.nets.end())
      problems_.add(document_.where(element), fmt::format("there is no NIC {:#x}", dev));
    return dev;
  }

  const XmlDocument& document_;
  const System& system_;
  bool inter_;
  Diagnostics problems_;
  Graphs graphs_;
};

}  // namespace

std::string write_graph_xml(const Graphs& graphs, const System& system) {
  std::string text = "<graphs version=\"1\">\n";
  for (std::size_t i = 0; i < kGraphIds; ++i) {
    if (!graphs[i]) continue;
    const Graph& graph = *graphs[i];
    const auto id = static_cast<GraphId>(i);
    text += fmt::format(
        "  <graph id=\"{}\" pattern=\"{}\" crossnic=\"{}\" nchannels=\"{}\" speedintra=\"{:g}\" "
        "speedinter=\"{:g}\" latencyinter=\"{:g}\" typeintra=\"{}\" typeinter=\"{}\" "
        "samechannels=\"{}\">\n",
        i, static_cast<int>(graph.pattern), graph.cross_nic, graph.orders.size(),
        graph.bandwidth_intra, graph.bandwidth_inter, graph.latency_inter,
        type_text(graph.type_intra, id), type_text(graph.type_inter, id),
        graph.same_channels ? 1 : 0);
    for (const GraphChannel& channel : graph.orders) text += channel_xml(graph, channel, system);
    text += "  </graph>\n";
  }
  return text + "</graphs>\n";
}

Graphs read_graph_xml(std::string_view text, const std::string& file, const System& system,
                      bool inter) {
  return GraphReader(XmlDocument::parse(text, file), system, inter).read();
}

}  // namespace railyard::collectives::nccl
