#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "core/config/text_file.hpp"
#include "topology/cluster/cluster_fields.hpp"
#include "topology/cluster/launch_mode_fields.hpp"
#include "topology/fabric/switch_model_fields.hpp"
#include "topology/node/node_fields.hpp"

namespace railyard::topology {
namespace {

/// configs/schema/<name> must be what the Fields say; RAILYARD_WRITE_SCHEMAS=1 writes it.
void expect_schema(const std::string& name, const std::string& schema) {
  const std::filesystem::path path =
      std::filesystem::path(RAILYARD_SOURCE_DIR) / "configs" / "schema" / name;
  if (std::getenv("RAILYARD_WRITE_SCHEMAS") != nullptr) std::ofstream(path) << schema;
  EXPECT_EQ(core::read_text_file(path), schema)
      << "run topology_tests with RAILYARD_WRITE_SCHEMAS=1 and look at the difference";
}

TEST(Schema, GpuFileIsUpToDate) { expect_schema("gpu.schema.json", core::json_schema<GpuFile>()); }
TEST(Schema, NodeFileIsUpToDate) {
  expect_schema("node.schema.json", core::json_schema<NodeFile>());
}
TEST(Schema, ClusterFileIsUpToDate) {
  expect_schema("cluster.schema.json", core::json_schema<ClusterFile>());
}
TEST(Schema, GenerationFileIsUpToDate) {
  expect_schema("generation.schema.json", core::json_schema<GpuTimingFile>());
}
TEST(Schema, FabricFileIsUpToDate) {
  expect_schema("fabric.schema.json", core::json_schema<FabricTimingFile>());
}
TEST(Schema, LaunchModeFileIsUpToDate) {
  expect_schema("launch_mode.schema.json", core::json_schema<LaunchMode>());
}
TEST(Schema, SwitchFileIsUpToDate) {
  expect_schema("switch.schema.json", core::json_schema<SwitchModel>());
}

}  // namespace
}  // namespace railyard::topology
