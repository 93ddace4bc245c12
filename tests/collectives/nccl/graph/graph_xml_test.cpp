#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "collectives/nccl/graph/graph_xml.hpp"
#include "collectives/nccl/search/search.hpp"
#include "core/diagnostic.hpp"
#include "tests/collectives/nccl_systems.hpp"
#include "topology/formats/nccl_xml.hpp"

namespace railyard::collectives::nccl {
namespace {

using testing::switched_node;

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

// One GPU per node (2 x 24 GB/s from two channels of one 400 Gb/s NIC: docs/models/nccl_search.md):
// NIC 0, GPU 0, NIC 0.
TEST(NcclGraphXml, IsNcclsFormat) {
  const System system = make_system(switched_node({.gpus = 1, .nics = 1}));
  Graphs rings;
  rings[0] = *make_communicator(system, 2).graph(GraphId::ring);
  const std::string channel = R"(    <channel>
      <net dev="0x0"/>
      <gpu dev="0x0" rank="0"/>
      <net dev="0x0"/>
    </channel>
)";
  EXPECT_EQ(write_graph_xml(rings, system),
            "<graphs version=\"1\">\n"
            "  <graph id=\"0\" pattern=\"4\" crossnic=\"0\" nchannels=\"2\" speedintra=\"24\" "
            "speedinter=\"24\" latencyinter=\"0\" typeintra=\"LOC\" typeinter=\"PIX\" "
            "samechannels=\"1\">\n" +
                channel + channel + "  </graph>\n</graphs>\n");
}

TEST(NcclGraphXml, WhatIsWrittenReadsBack) {
  const System system = make_system(switched_node({}));
  for (const int nodes : {1, 2}) {
    const Communicator found = make_communicator(system, nodes);
    const std::string text = write_graph_xml(found.graphs, system);
    const Graphs read = read_graph_xml(text, "graphs.xml", system, nodes > 1);
    EXPECT_EQ(write_graph_xml(read, system), text);
    ASSERT_TRUE(read[3].has_value());  // NVLS
    EXPECT_EQ(read[3]->orders.front().gpus.size(), 1U);
  }
}

// NCCL_GRAPH_FILE: the file's ring (both ways round) in place of the searched ones; the tree, which
// the file leaves out, is searched with as many channels.
TEST(NcclGraphXml, AFileTakesThePlaceOfTheSearch) {
  const std::filesystem::path path =
      std::filesystem::path(::testing::TempDir()) / "nccl_graph_file.xml";
  std::ofstream(path) << R"(<graphs version="1">
  <graph id="0" pattern="4" crossnic="0" nchannels="2" speedintra="12" speedinter="12"
         typeintra="SYS" typeinter="PIX" samechannels="0">
    <channel><gpu dev="0"/><gpu dev="1"/><gpu dev="2"/><gpu dev="3"/></channel>
    <channel><gpu dev="0"/><gpu dev="3"/><gpu dev="2"/><gpu dev="1"/></channel>
  </graph>
</graphs>)";
  SearchEnvironment environment;
  environment.graph_file = path.string();
  const Communicator found =
      make_communicator(make_system(switched_node({.gpus = 4, .nics = 4})), 1, environment);
  const Graph& ring = *found.graph(GraphId::ring);
  EXPECT_EQ(ring.channels, 2);
  EXPECT_EQ(ring.bandwidth_intra, 12);
  EXPECT_EQ(ring.orders[1].gpus, (std::vector<int>{0, 3, 2, 1}));
  EXPECT_EQ(found.graph(GraphId::tree)->channels, 2);
  EXPECT_EQ(found.channels.collective, 4);  // 2 x 2
}

TEST(NcclGraphXml, SaysWhereAFileIsWrong) {
  const System system = make_system(switched_node({.gpus = 2, .nics = 2}));
  const std::string good = write_graph_xml(make_communicator(system, 2).graphs, system);
  const auto error_of = [&](const std::string& text) {
    try {
      (void)read_graph_xml(text, "g.xml", system, true);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(error_of(good), "");
  EXPECT_NE(error_of(replaced(good, "typeintra=\"NVL\"", "typeintra=\"C2C\""))
                .find("g.xml:line 2, /graphs/graph[1]: typeintra=\"C2C\" is no type of path"),
            std::string::npos);
  EXPECT_NE(error_of(replaced(good, "rank=\"1\"", "rank=\"7\"")).find("there is no rank 7"),
            std::string::npos);
  EXPECT_NE(error_of(replaced(good, "<net dev=\"0x0\"/>", "")).find("names no NIC"),
            std::string::npos);
  EXPECT_NE(error_of("<system version=\"1\"/>").find("is not NCCL's graph file"),
            std::string::npos);
}

std::string read(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// The two graph files in public repositories (truth/topo), of Azure's machines with A100 PCIe: what
// their owner gives NCCL in place of its search. Both differ from what NCCL finds by itself.
TEST(NcclGraphXml, GraphFilesOfAzureReadAndDifferFromTheSearch) {
  const std::string azure = "../shared/truth/topo/Azure+";
  const std::pair<std::string, int> machines[] = {
      {"azhpc-images__topology__ncv4", 1},
      {"azurehpc__experimental__cc_slurm_nhc__cc_slurm_nhc__specs__default__cluster-init__files__"
       "nc48v4",
       12}};
  for (const auto& [name, searched] : machines) {
    std::filesystem::path folder(RAILYARD_SOURCE_DIR);
    if (!std::filesystem::exists(folder / (azure + name + "-graph.xml"))) folder /= ".";
    if (!std::filesystem::exists(folder / (azure + name + "-graph.xml")))
      GTEST_SKIP() << "no ../shared/truth/topo beside this checkout";
    const System system =
        make_system(topology::import_nccl_xml(read(folder / (azure + name + "-topo.xml")), name));
    const Graphs given =
        read_graph_xml(read(folder / (azure + name + "-graph.xml")), name, system, false);
    // Rings at 12 GB/s over the CPUs, and twice as many trees.
    EXPECT_EQ(given[0]->channels, 2) << name;
    EXPECT_EQ(given[1]->channels, 4) << name;
    EXPECT_EQ(given[0]->type_intra, PathType::sys) << name;
    EXPECT_EQ(make_communicator(system, 1).graph(GraphId::ring)->channels, searched) << name;
  }
}

}  // namespace
}  // namespace railyard::collectives::nccl
