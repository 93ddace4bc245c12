#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>
#include <unistd.h>

#include "core/config/config_node.hpp"
#include "core/config/text_file.hpp"
#include "core/diagnostic.hpp"
#include "core/sweep/changed_config.hpp"
#include "core/sweep/input_digest.hpp"
#include "core/sweep/point_queue.hpp"
#include "tests/core/sweep/error_of.hpp"

namespace railyard::core::sweep {
namespace {

namespace fs = std::filesystem;
using testing::error_of;
using ::testing::HasSubstr;
using ::testing::Not;

class InputsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) / ("railyard_inputs_" + std::to_string(getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    write("gpu.json", R"({"memory": "80 GiB"})");
    write("node.json", R"({"gpu": "gpu.json", "cards": [{"rate": 1}, {"rate": 2}]})");
    write("cluster.json", R"({"node": "node.json", "fabric": {"kind": "clos3"}})");
  }
  void TearDown() override { fs::remove_all(folder_); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }
  std::string path(const std::string& name) const { return folder_ / name; }
  std::string digest(const std::vector<std::string>& words,
                     const std::string& version = "1") const {
    return InputDigests(version).digest(words);
  }
  fs::path folder_;
};

TEST_F(InputsTest, DigestChangesWithWordsVersionAndFilesThatAreNamed) {
  const std::vector<std::string> words{"sim", "--cluster=" + path("cluster.json")};
  const std::string before = digest(words);
  EXPECT_EQ(digest(words), before);
  EXPECT_NE(digest(words, "2"), before);
  EXPECT_NE(digest({"sim", "--cluster=" + path("cluster.json"), "--nodes=2"}), before);
  // The GPU is named by the node that the cluster names.
  write("gpu.json", R"({"memory": "96 GiB"})");
  EXPECT_NE(digest(words), before);
  write("gpu.json", R"({"memory": "80 GiB"})");
  EXPECT_EQ(digest(words), before);
  write("other.json", "{}");
  EXPECT_EQ(digest(words), before);
}

TEST_F(InputsTest, DigestKnowsShippedConfigsByName) {
  EXPECT_NE(digest({"--cluster", "dgx_h100_ndr400"}), digest({"--cluster", "dgx_a100_hdr200"}));
  // A circle of names ends.
  write("a.json", R"({"next": "b.json"})");
  write("b.json", R"({"next": "a.json"})");
  EXPECT_EQ(digest({path("a.json")}), digest({path("a.json")}));
}

/// Accepts everything.
ChangedConfigs::Check any() {
  return [](std::string_view, const ConfigNode&) {};
}

std::string read(const std::string& file) { return read_text_file(file); }

TEST_F(InputsTest, ChangesFieldsOfACopy) {
  ChangedConfigs configs(any());
  const std::string copy = configs.file(path("cluster.json"), "clusters",
                                        {{"/fabric/leaf_oversubscription", "2"},
                                         {"/fabric/kind", "rail_clos"},
                                         {"/link", "400 Gb/s"}});
  const ConfigNode root = ConfigNode::read(copy);
  EXPECT_EQ(root.find("fabric")->find("leaf_oversubscription")->integer(), 2);
  EXPECT_EQ(root.find("fabric")->find("kind")->text(), "rail_clos");
  EXPECT_EQ(root.find("link")->text(), "400 Gb/s");
  // The node is still found from the folder of the copy.
  EXPECT_TRUE(fs::exists(std::string(*root.find("node")->text())));
  EXPECT_EQ(fs::path(copy).filename(), "cluster.json");
  EXPECT_THAT(read(path("cluster.json")), Not(HasSubstr("rail_clos")));
  EXPECT_EQ(configs.with_original_names("in " + copy + ":/fabric"), "in cluster.json:/fabric");
}

TEST_F(InputsTest, ChangesFieldsBehindNames) {
  ChangedConfigs configs(any());
  const std::string copy =
      configs.file(path("cluster.json"), "clusters",
                   {{"/node/gpu/memory", "141 GiB"}, {"/node/cards/1/rate", "5"}});
  const ConfigNode node =
      ConfigNode::read(std::string(*ConfigNode::read(copy).find("node")->text()));
  EXPECT_EQ(node.find("cards")->elements()[1].find("rate")->integer(), 5);
  const ConfigNode gpu = ConfigNode::read(std::string(*node.find("gpu")->text()));
  EXPECT_EQ(gpu.find("memory")->text(), "141 GiB");
}

TEST_F(InputsTest, NamesPlacesThatDoNotExist) {
  ChangedConfigs configs(any());
  const auto error = [&](const std::string& pointer) {
    return error_of([&] { (void)configs.file(path("node.json"), "nodes", {{pointer, "1"}}); });
  };
  EXPECT_THAT(error("/cards/2/rate"), HasSubstr("the list has no element '2'"));
  EXPECT_THAT(error("/cards/0/rate/x"), HasSubstr("has no field 'x'"));
  EXPECT_THAT(error_of([&] {
                (void)configs.file("nothing", "nodes", {{"/a", "1"}});
              }),
              HasSubstr("there is no 'nothing'"));
  ChangedConfigs strict([](std::string_view kind, const ConfigNode& copy) {
    throw InputError(copy.file(), "/a", std::string(kind) + " has no a");
  });
  EXPECT_THAT(error_of([&] {
                (void)strict.file(path("node.json"), "nodes", {{"/a", "1"}});
              }),
              HasSubstr("node.json:/a: nodes has no a"));
}

TEST_F(InputsTest, RemovesItsCopies) {
  std::string copy;
  {
    ChangedConfigs configs(any());
    copy = configs.file(path("gpu.json"), "gpus", {{"/memory", "1 GiB"}});
    EXPECT_TRUE(fs::exists(copy));
  }
  EXPECT_FALSE(fs::exists(copy));
}

TEST(PointQueue, GivesPointsInOrderAndEndsWhenAllAreFinished) {
  PointQueue points({5, 3, 4});
  EXPECT_EQ(points.next(), 5u);
  EXPECT_EQ(points.next(), 3u);
  EXPECT_EQ(points.next(), 4u);
  for (const std::size_t point : {3u, 4u, 5u}) points.finish(point);
  EXPECT_EQ(points.next(), std::nullopt);
}

// A worker waits at the end while another one holds the last point, and gets it when that one is
// lost; the second loss of a point finishes it.
TEST(PointQueue, GivesThePointOfALostWorkerToAnotherOne) {
  PointQueue points({1});
  EXPECT_EQ(points.next(), 1u);
  std::optional<std::size_t> got;
  std::thread waiting([&] { got = points.next(); });
  EXPECT_TRUE(points.give_back(1));
  waiting.join();
  EXPECT_EQ(got, 1u);
  EXPECT_FALSE(points.give_back(1));
  EXPECT_EQ(points.next(), std::nullopt);
}

TEST(PointQueue, StopsWhenTold) {
  PointQueue points({1, 2});
  EXPECT_EQ(points.next(), 1u);
  points.stop();
  EXPECT_EQ(points.next(), std::nullopt);
}

}  // namespace
}  // namespace railyard::core::sweep
