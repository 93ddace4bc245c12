#include "placement/cost/gemm_tables.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <unistd.h>

#include "core/diagnostic.hpp"

namespace railyard::placement {
namespace {

using ::testing::HasSubstr;

class GemmTables : public ::testing::Test {
 protected:
  GemmTables()
      : file_(std::filesystem::path(::testing::TempDir()) /
              ("railyard_gemm_" + std::to_string(getpid()) + ".csv")) {
    std::ofstream(file_) << "m,n,k,ms\n1024,1024,1024,0.01\n";
    types_[0].gpu.gpu.name = "H100";
    types_[1].gpu.gpu.name = "A100";
  }
  ~GemmTables() override { std::filesystem::remove(file_); }

  [[nodiscard]] std::string error_of(const std::string& table) {
    const std::array tables{table};
    try {
      add_gemm_tables(tables, types_, "--gemm-table");
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }

  std::string file_;
  std::array<GpuType, 2> types_{};
};

TEST_F(GemmTables, ATableIsThatOfItsType) {
  EXPECT_EQ(error_of("B=" + file_), "");
  EXPECT_TRUE(types_[0].gpu.measured.empty());
  EXPECT_EQ(types_[1].gpu.measured.size(), 1U);
}

TEST_F(GemmTables, OnlyASingleTypeNeedsNoName) {
  EXPECT_THAT(error_of(file_), HasSubstr("applies to one type of GPU; these are A: H100, B: A100"));
  const std::array tables{file_};
  add_gemm_tables(tables, std::span(types_).first(1), "--gemm-table");
  EXPECT_EQ(types_[0].gpu.measured.size(), 1U);
}

TEST_F(GemmTables, ATypeThatDoesNotExistIsAnErrorOfTheFlag) {
  EXPECT_THAT(error_of("C=" + file_), HasSubstr("--gemm-table: there is no GPU type C"));
}

}  // namespace
}  // namespace railyard::placement
