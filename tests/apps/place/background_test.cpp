#include "apps/place/background.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace railyard::apps {
namespace {

/// What of the first NIC's port (50 GB/s) a job on nodes 0 and 1 takes that sends 10 GB/s a GPU.
double taken_of_first_port(const std::string& pattern) {
  const std::string file = ::testing::TempDir() + "/background_" + pattern + ".json";
  std::ofstream(file)
      << R"({"jobs": [{"name": "a", "nodes": "0-1", "rate": "10 GB/s", "pattern": ")" << pattern
      << "\"}]}";
  PlaceFlags flags;
  flags.cluster.cluster =
      std::string(RAILYARD_SOURCE_DIR) + "/configs/clusters/dgx_h100_ndr400.json";
  flags.cluster.nodes = 4;
  flags.job = std::string(RAILYARD_SOURCE_DIR) + "/configs/jobs/llama3_8b.json";
  flags.occupied = file;
  Provenance provenance;
  const Question q = read_question(flags, provenance);
  const placement::Tiers tiers(q.cluster);
  const Background background = background_of(q, tiers);
  const std::size_t port = tiers.port_up(0);
  return 1 - background.available[port] / tiers.bandwidth()[port];
}

// One ring over 16 GPUs is eight channels of an eighth each; rails are a ring of two for each of
// the eight GPUs of a node, with all of the rate.
TEST(Background, KnowsWhoOfAJobTalksToWhom) {
  EXPECT_NEAR(taken_of_first_port("rails"), 8 * taken_of_first_port("ring"), 1e-9);
  EXPECT_NEAR(taken_of_first_port("rails"), 10.0 / 50.0, 0.02);  // and headers
}

}  // namespace
}  // namespace railyard::apps
