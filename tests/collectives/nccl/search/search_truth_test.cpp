#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "collectives/nccl/graph/connect.hpp"
#include "collectives/nccl/graph/names.hpp"
#include "collectives/nccl/search/search.hpp"
#include "topology/formats/nccl_xml.hpp"

// The graphs and channel counts that NCCL 2.30.7 computes for synthetic nodes: truth/nccl_model,
// which lies beside the checkout where it is at hand.
namespace railyard::collectives::nccl {
namespace {

namespace fs = std::filesystem;

std::optional<fs::path> truth_folder() {
  for (const char* up : {".", "..", "../.."}) {
    const fs::path found = fs::path(RAILYARD_SOURCE_DIR) / up / "../shared/truth/nccl_model";
    if (fs::exists(found / "cases.json")) return found;
  }
  return std::nullopt;
}

std::string read(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

class NcclSearchTruth : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = truth_folder();
    if (!folder_) GTEST_SKIP() << "no ../shared/truth/nccl_model beside this checkout";
    cases_ = nlohmann::json::parse(read(*folder_ / "cases.json"))["cases"];
    ASSERT_FALSE(cases_.empty());
  }

  [[nodiscard]] Communicator communicator(const nlohmann::json& expected) const {
    const std::string file = expected["system"].get<std::string>() + ".xml";
    const topology::NodeSpec node = topology::import_nccl_xml(read(*folder_ / file), file);
    return make_communicator(make_system(node), expected["nNodes"].get<int>());
  }

  std::optional<fs::path> folder_;
  nlohmann::json cases_;
};

nlohmann::json to_json(const Graph& graph) {
  return {{"pattern", std::string(to_text(graph.pattern))},
          {"nChannels", graph.channels},
          {"bwIntra", graph.bandwidth_intra},
          {"bwInter", graph.bandwidth_inter},
          {"typeIntra", std::string(to_text(graph.type_intra))},
          {"typeInter", std::string(to_text(graph.type_inter))},
          {"crossNic", graph.cross_nic},
          {"sameChannels", graph.same_channels ? 1 : 0}};
}

TEST_F(NcclSearchTruth, GraphsAreThoseOfNccl) {
  for (const auto& [name, expected] : cases_.items()) {
    const Communicator found = communicator(expected);
    nlohmann::json graphs = nlohmann::json::object();
    for (std::size_t id = 0; id < kGraphIds; ++id)
      if (found.graphs[id]) graphs[std::to_string(id)] = to_json(*found.graphs[id]);
    EXPECT_EQ(graphs, expected["graphs"]) << name;
    EXPECT_FLOAT_EQ(found.max_bandwidth, expected["maxBw"].get<float>()) << name;
    EXPECT_FLOAT_EQ(found.total_bandwidth, expected["totalBw"].get<float>()) << name;
    EXPECT_EQ(found.min_compute_capability, expected["minCompCap"].get<int>()) << name;
  }
}

TEST_F(NcclSearchTruth, ChannelCountsAreThoseOfNccl) {
  for (const auto& [name, expected] : cases_.items()) {
    const ChannelCounts counts = communicator(expected).channels;
    const nlohmann::json found = {{"search", counts.search},
                                  {"coll", counts.collective},
                                  {"nvls", counts.nvls},
                                  {"p2p", counts.p2p},
                                  {"p2pPerPeerRaw", counts.p2p_wanted},
                                  {"p2pPerPeer", counts.p2p_per_peer}};
    EXPECT_EQ(found, expected["channels"]) << name;
  }
}

TEST_F(NcclSearchTruth, RingsAreThoseOfNccl) {
  for (const auto& [name, expected] : cases_.items()) {
    const Communicator found = communicator(expected);
    int channel = 0;
    for (const auto& line : expected["rings"]) {
      EXPECT_EQ(
          fmt::format("RING {:02}: {}", channel, fmt::join(connect_ring(found, channel), " ")),
          line.get<std::string>())
          << name;
      ++channel;
    }
  }
}

}  // namespace
}  // namespace railyard::collectives::nccl
