#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "apps/suite_fields.hpp"
#include "core/text_file.hpp"

namespace railyard::apps {
namespace {

TEST(SuiteSchema, IsUpToDate) {
  const auto path =
      std::filesystem::path(RAILYARD_SOURCE_DIR) / "configs" / "schema" / "suite.schema.json";
  if (std::getenv("RAILYARD_WRITE_SCHEMAS") != nullptr) {
    std::ofstream(path) << core::json_schema<Suite>();
  }
  EXPECT_EQ(core::read_text_file(path), core::json_schema<Suite>())
      << "run apps_tests with RAILYARD_WRITE_SCHEMAS=1 and look at the difference";
}

}  // namespace
}  // namespace railyard::apps
