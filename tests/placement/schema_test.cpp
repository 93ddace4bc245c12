#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "core/config/text_file.hpp"
#include "placement/capacity/goodput/failure_model_fields.hpp"
#include "placement/capacity/price_list_fields.hpp"
#include "placement/jobs/occupancy_fields.hpp"
#include "placement/jobs/queue_fields.hpp"
#include "placement/model/job_fields.hpp"
#include "placement/model/model_fields.hpp"
#include "placement/serving/step/calibrated_efficiency.hpp"

namespace railyard::placement {
namespace {

/// configs/schema/<name> must be what the Fields say; RAILYARD_WRITE_SCHEMAS=1 writes it.
void expect_schema(const std::string& name, const std::string& schema) {
  const std::filesystem::path path =
      std::filesystem::path(RAILYARD_SOURCE_DIR) / "configs" / "schema" / name;
  if (std::getenv("RAILYARD_WRITE_SCHEMAS") != nullptr) std::ofstream(path) << schema;
  EXPECT_EQ(core::read_text_file(path), schema)
      << "run placement_tests with RAILYARD_WRITE_SCHEMAS=1 and look at the difference";
}

TEST(Schema, ModelFileIsUpToDate) {
  expect_schema("model.schema.json", core::json_schema<Model>());
}
TEST(Schema, JobFileIsUpToDate) { expect_schema("job.schema.json", core::json_schema<Job>()); }
TEST(Schema, OccupancyFileIsUpToDate) {
  expect_schema("occupancy.schema.json", core::json_schema<Occupancy>());
}
TEST(Schema, PriceListIsUpToDate) {
  expect_schema("prices.schema.json", core::json_schema<PriceList>());
}
TEST(Schema, CalibratedEfficiencyIsUpToDate) {
  expect_schema("efficiency.schema.json", core::json_schema<serving::CalibratedEfficiency>());
}
TEST(Schema, QueueFileIsUpToDate) {
  expect_schema("queue.schema.json", core::json_schema<Queue>());
}
TEST(Schema, FailuresFileIsUpToDate) {
  expect_schema("failures.schema.json", core::json_schema<FailureModel>());
}

}  // namespace
}  // namespace railyard::placement
