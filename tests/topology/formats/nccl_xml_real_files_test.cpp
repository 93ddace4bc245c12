#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>

#include "core/config/text_file.hpp"
#include "core/diagnostic.hpp"
#include "tests/topology/node_text.hpp"
#include "topology/formats/nccl_xml.hpp"
#include "topology/formats/nccl_xml_writer.hpp"
#include "topology/node/node_check.hpp"
#include "topology/node/node_paths.hpp"

namespace railyard::topology {
namespace {

namespace fs = std::filesystem;

/// The XML files of a folder of measured truth, or none where this checkout lies without it.
std::vector<fs::path> truth_files(std::string_view folder) {
  std::vector<fs::path> files;
  for (const char* top : {".", ".."}) {
    const fs::path candidate = fs::path(RAILYARD_SOURCE_DIR) / top / "../shared/truth" / folder;
    if (!fs::exists(candidate)) continue;
    for (const auto& entry : fs::directory_iterator(candidate))
      if (entry.path().extension() == ".xml") files.push_back(entry.path());
    break;
  }
  std::ranges::sort(files);
  return files;
}

int count_of(const std::string& text, const std::string& pattern) {
  const std::regex expression(pattern);
  return static_cast<int>(std::distance(std::sregex_iterator(text.begin(), text.end(), expression),
                                        std::sregex_iterator()));
}

TEST(RealNcclXml, IsReadWholeOrRefusedWithAPointedMessage) {
  const std::vector<fs::path> files = truth_files("topo");
  if (files.empty()) GTEST_SKIP() << "no ../shared/truth/topo beside this checkout";
  int read = 0;
  std::string refused;
  for (const fs::path& file : files) {
    SCOPED_TRACE(file.filename());
    const std::string text = core::read_text_file(file);
    try {
      const ImportedNode node = read_nccl_xml(text, "x.xml");
      ++read;
      // Every GPU with a rank is there, and where the file names none, every one of a GPU's class.
      const int listed = count_of(text, R"(<gpu [^>]*rank=)");
      const int classed = count_of(text, R"(class="0x03)");
      EXPECT_EQ(node.node.gpu_count(), listed > 0 ? listed : classed);
      // What is read is a node that the cluster's graph takes.
      for (const NodeProblem& problem : check_node(node.node))
        ADD_FAILURE() << problem.pointer << ": " << problem.message;
      EXPECT_EQ(NodeShape(node.node).gpu_count(), node.node.gpu_count());
      const ImportedNode again = read_nccl_xml(export_nccl_xml(node.node), "x.xml");
      EXPECT_EQ(node_text(again.node), node_text(node.node));
    } catch (const InputError& error) {
      refused += fmt::format("{}\n  {}\n", file.filename().string(), error.what());
      EXPECT_EQ(std::string(error.what()).substr(0, 11), "x.xml:line ");
    }
  }
  // By hand: two graph files, two FlagCX files without CPUs, one with bus ids alone, one that lists
  // a NIC and a GPU under the bus id of another, one that numbers two NICs 0.
  EXPECT_EQ(static_cast<int>(files.size()) - read, 7) << refused;
}

struct Model {
  const char* file;
  int gpus, nics, nvlinks;  ///< NVLinks over all GPUs
  int sm;
  double nvlink_GBps;  ///< of one link
};

// From the table of results in truth/nccl_model's description: A100 12 links a GPU, H100 and B200
// 18, H800 8, V100 6.
TEST(NcclModels, HaveTheDevicesAndLinksOfTheirMachines) {
  constexpr Model kModels[] = {
      {"a100.xml", 8, 8, 8 * 12, 80, 20.0}, {"b200.xml", 8, 8, 8 * 18, 100, 40.1},
      {"dgx1v.xml", 8, 4, 8 * 6, 70, 20.0}, {"h100.xml", 8, 8, 8 * 18, 90, 20.6},
      {"h100g1.xml", 1, 1, 18, 90, 20.6},   {"h100x4nic.xml", 8, 4, 8 * 18, 90, 20.6},
      {"h800.xml", 8, 8, 8 * 8, 90, 20.6},  {"pcie8.xml", 8, 1, 0, 89, 20.0}};
  const std::vector<fs::path> files = truth_files("nccl_model");
  if (files.empty()) GTEST_SKIP() << "no ../shared/truth/nccl_model beside this checkout";
  for (const Model& model : kModels) {
    SCOPED_TRACE(model.file);
    const NodeSpec node =
        import_nccl_xml(core::read_text_file(files.front().parent_path() / model.file), model.file);
    EXPECT_EQ(node.gpu_count(), model.gpus);
    EXPECT_EQ(node.nic_count(), model.nics);
    int links = 0;
    for (const NvlinkSpec& link : node.nvlinks) links += link.count;
    EXPECT_EQ(links, model.nvlinks);
    EXPECT_EQ(node.gpu.compute_capability, model.sm);
    EXPECT_EQ(node.gpu.nvlink_bandwidth, Bandwidth::from_gigabytes_per_second(model.nvlink_GBps));
  }
}

}  // namespace
}  // namespace railyard::topology
