#include "topology/picture/topology_picture.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <pugixml.hpp>
#include <string>
#include <sys/wait.h>

#include "topology/cluster/cluster.hpp"
#include "topology/picture/drawing.hpp"

namespace railyard::topology::picture {
namespace {

topology::Cluster shipped(const std::string& name, int nodes) {
  return topology::build_cluster(topology::read_cluster(
      std::string(RAILYARD_SOURCE_DIR) + "/configs/clusters/" + name + ".json", nodes));
}

pugi::xml_document parsed(const std::string& svg) {
  pugi::xml_document document;
  const auto result = document.load_string(svg.c_str());
  EXPECT_TRUE(result) << result.description();
  return document;
}

class EveryShippedCluster : public testing::TestWithParam<const char*> {};

TEST_P(EveryShippedCluster, IsDrawnWithinThePicture) {
  const auto document = parsed(topology_svg(shipped(GetParam(), 8)));
  const auto svg = document.child("svg");
  const double width = svg.attribute("width").as_double(),
               height = svg.attribute("height").as_double();
  const auto boxes = svg.select_nodes("//rect[@x]");
  EXPECT_GT(boxes.size(), 8U);
  for (const auto& box : boxes) {
    const auto node = box.node();
    EXPECT_GE(node.attribute("x").as_double(), 0);
    EXPECT_GT(node.attribute("width").as_double(), 0);
    EXPECT_LE(node.attribute("x").as_double() + node.attribute("width").as_double(), width);
    EXPECT_LE(node.attribute("y").as_double() + node.attribute("height").as_double(), height);
  }
}

INSTANTIATE_TEST_SUITE_P(Clusters, EveryShippedCluster,
                         testing::Values("dgx1_v100_100g", "dgx_a100_hdr200", "dgx_h100_ndr400",
                                         "pcie8_gen4", "gb200_nvl72", "clos_rail_h100",
                                         "rail_only_h100", "dual_plane_h800"),
                         [](const auto& param) { return std::string(param.param); });

TEST(TopologyPicture, ShowsTheWholeOfASmallCluster) {
  const topology::Cluster cluster = shipped("rail_only_h100", 2);
  const auto document = parsed(topology_svg(cluster));
  // Two nodes of eight GPUs, each with its NIC's link to the leaf of its rail.
  EXPECT_EQ(document.select_nodes("//path[@data-tier='port']").size(), 16U);
  for (const auto& device : {"node0/gpu0", "node1/gpu7", "node1/nic3", "pod0/leaf7"}) {
    EXPECT_TRUE(document.select_node(("//title[.='" + std::string(device) + "']").c_str()))
        << device;
  }
}

TEST(TopologyPicture, FoldsALargeClusterToASmallPicture) {
  const std::string svg = topology_svg(shipped("clos_rail_h100", 1024));
  EXPECT_LT(svg.size(), 200'000U);
  EXPECT_NE(svg.find("8,192 GPUs"), std::string::npos);
}

TEST(TopologyPicture, ShowsAndMarksTheBindingLinkOfAFoldedFabric) {
  const topology::Cluster cluster = shipped("clos_rail_h100", 1024);
  const std::string link = "pod1/leaf37 -> pod1/spine41";
  const auto document =
      parsed(topology_svg(cluster, {.binding = {link, "pod0/leaf0 -> pod0/spine0"}}));
  EXPECT_STREQ(
      document.select_node("//g[@class='binding on']").node().attribute("data-link").value(),
      link.c_str());
  EXPECT_EQ(document.select_nodes("//g[@class='binding']").size(), 1U);
  EXPECT_TRUE(document.select_node("//title[.='pod1/spine41']"));
}

TEST(TopologyPicture, ABindingThatIsNoLinkIsNotMarked) {
  const auto document =
      parsed(topology_svg(shipped("rail_only_h100", 2), {.binding = {"latency", "a -> b"}}));
  EXPECT_EQ(document.select_nodes("//g[@data-link]").size(), 0U);
}

TEST(TopologyPicture, ColoursTiersByLoadAndPodsBeforeTiers) {
  const PictureOptions options{.shades = {{"leaf-spine", {}, 0.1}, {"leaf-spine", 1, 0.97}}};
  const auto document = parsed(topology_svg(shipped("clos_rail_h100", 1024), options));
  const auto links = [&](const std::string& what) {
    return document.select_nodes(("//path[@data-tier='leaf-spine'" + what + "]").c_str()).size();
  };
  EXPECT_GT(links(" and @data-pod='0'"), 0U);
  EXPECT_EQ(links(" and @data-pod='0' and @class='e l1'"), links(" and @data-pod='0'"));
  EXPECT_EQ(links(" and @data-pod='1' and @class='e l5'"), links(" and @data-pod='1'"));
}

TEST(TopologyPicture, LoadClassesBeginWhereTheLegendSays) {
  EXPECT_EQ(load_class(0.009), 0);
  EXPECT_EQ(load_class(0.01), 1);
  EXPECT_EQ(load_class(0.25), 2);
  EXPECT_EQ(load_class(0.5), 3);
  EXPECT_EQ(load_class(0.75), 4);
  EXPECT_EQ(load_class(0.95), 5);
}

TEST(TopologyDot, IsAcceptedByGraphviz) {
  if (std::system("command -v dot > /dev/null 2>&1") != 0)
    GTEST_SKIP() << "graphviz is not installed (apt-get install graphviz)";
  const auto path = std::filesystem::path(testing::TempDir()) / "railyard_topology.dot";
  for (const char* name : {"dgx1_v100_100g", "clos_rail_h100", "gb200_nvl72", "dual_plane_h800"}) {
    std::ofstream(path) << topology_dot(shipped(name, 4),
                                        {.binding = {"pod0/leaf0 -> pod0/spine0"}});
    const std::string command = "dot -Tsvg " + path.string() + " > /dev/null";
    EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 0) << name;
  }
}

TEST(TopologyDot, HasAnEdgePerNeighbours) {
  const std::string dot = topology_dot(shipped("rail_only_h100", 2));
  std::size_t edges = 0;
  for (std::size_t at = dot.find(" -- "); at != std::string::npos; at = dot.find(" -- ", at + 1))
    ++edges;
  // Per DGX H100: 8 GPUs on the NVSwitch, 8 PCIe switches with a GPU, a NIC and a CPU each, 2 CPUs
  // on one socket link, 8 NICs on their leaves.
  EXPECT_EQ(edges, 2U * (8 + 8 * 3 + 1 + 8));
}

}  // namespace
}  // namespace railyard::topology::picture
