#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "collectives/baseline/suite_fields.hpp"
#include "collectives/nccl/timing/fit/system_map_fields.hpp"
#include "collectives/nccl/timing/range/prediction_ranges_fields.hpp"
#include "core/config/text_file.hpp"
#include "core/sweep/sweep_file.hpp"

namespace railyard::apps {
namespace {

/// configs/schema/<name> must be what the Fields say; RAILYARD_WRITE_SCHEMAS=1 writes it.
void expect_schema(const std::string& name, const std::string& schema) {
  const auto path = std::filesystem::path(RAILYARD_SOURCE_DIR) / "configs" / "schema" / name;
  if (std::getenv("RAILYARD_WRITE_SCHEMAS") != nullptr) std::ofstream(path) << schema;
  EXPECT_EQ(core::read_text_file(path), schema)
      << "run apps_tests with RAILYARD_WRITE_SCHEMAS=1 and look at the difference";
}

TEST(SuiteSchema, IsUpToDate) {
  expect_schema("suite.schema.json", core::json_schema<collectives::Suite>());
}
TEST(SweepSchema, IsUpToDate) {
  expect_schema("sweep.schema.json", core::json_schema<core::sweep::SweepFile>());
}
TEST(SystemMapSchema, IsUpToDate) {
  expect_schema("validation.schema.json", core::json_schema<collectives::nccl::SystemMap>());
  expect_schema("ranges.schema.json", core::json_schema<collectives::nccl::PredictionRanges>());
}
}  // namespace
}  // namespace railyard::apps
