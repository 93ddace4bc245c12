#include "collectives/formats/nccl_tests_types.hpp"

#include <gtest/gtest.h>

#include "core/config/enum_names.hpp"

namespace railyard::collectives {
namespace {

TEST(NcclTestsTypes, EveryTypeComesBackFromItsNames) {
  for (const auto& [type, name] : core::EnumNames<DataType>::table) {
    EXPECT_EQ(type_of_nccl_tests(name), type) << name;
    EXPECT_EQ(type_of_nccl_tests(nccl_tests_type(type)), type) << name;
  }
  // nccl-tests src/common.cu, test_typenames.
  EXPECT_EQ(nccl_tests_type(DataType::float16), "half");
  EXPECT_EQ(nccl_tests_type(DataType::float8_e4m3), "f8e4m3");
  EXPECT_EQ(nccl_tests_type(DataType::bfloat16), "bfloat16");
  EXPECT_EQ(type_of_nccl_tests("fp32"), std::nullopt);
}

}  // namespace
}  // namespace railyard::collectives
