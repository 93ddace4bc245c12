#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "core/config/config_path.hpp"
#include "core/config/text_file.hpp"
#include "sim/packet/parameter_fields.hpp"

namespace railyard::sim::packet {
namespace {

/// configs/schema/packet.schema.json must be what the Fields say; RAILYARD_WRITE_SCHEMAS=1 writes
/// it.
TEST(PacketSchema, IsUpToDate) {
  const auto path =
      std::filesystem::path(RAILYARD_SOURCE_DIR) / "configs/schema/packet.schema.json";
  const std::string schema = core::json_schema<Parameters>();
  if (std::getenv("RAILYARD_WRITE_SCHEMAS") != nullptr) std::ofstream(path) << schema;
  EXPECT_EQ(core::read_text_file(path), schema)
      << "run sim_tests with RAILYARD_WRITE_SCHEMAS=1 and look at the difference";
}

// roce.json writes down what the defaults are.
TEST(PacketSchema, TheShippedConfigurationsAreRead) {
  const auto read = [](const char* name) {
    return core::read_config<Parameters>(std::filesystem::path(RAILYARD_SOURCE_DIR) /
                                         "configs/packet" / (std::string(name) + ".json"));
  };
  EXPECT_EQ(read("roce").switches.buffer, Parameters().switches.buffer);
  EXPECT_EQ(read("roce").switches.ecn.k_max, Parameters().switches.ecn.k_max);
  EXPECT_EQ(read("roce").dcqcn.additive_increase, Parameters().dcqcn.additive_increase);
  EXPECT_FALSE(read("lossy").switches.lossless);
  EXPECT_EQ(read("ns3_hpcc").nic.ack_interval, 1);
  EXPECT_EQ(read("alibaba").dcqcn.increase_timer, Time::microseconds(300));
  EXPECT_EQ(read("alibaba").dcqcn.decrease_interval, Time::microseconds(4));
}

}  // namespace
}  // namespace railyard::sim::packet
