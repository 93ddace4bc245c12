#include "collectives/formats/shipped_tables.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace railyard::collectives {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

TEST(ShippedTables, AreTheTablesOfTheFirstFolderThatHasSome) {
  const fs::path folder = fs::path(::testing::TempDir()) / "railyard_shipped_tables";
  fs::remove_all(folder);
  for (const char* name : {"first", "second/validation/measured", "third/validation/measured"})
    fs::create_directories(folder / name);
  for (const char* name :
       {"second/validation/measured/b.csv", "second/validation/measured/a.jsonc",
        "second/validation/measured/README.md", "third/validation/measured/c.csv"})
    std::ofstream(folder / name) << "";
  const auto path = [&](const char* name) { return (folder / name).string(); };
  const std::string folders = path("first") + ":" + path("second") + ":" + path("third");
  setenv("RAILYARD_CONFIGS", folders.c_str(), 1);
  const std::vector<std::string> tables = shipped_tables();
  unsetenv("RAILYARD_CONFIGS");
  fs::remove_all(folder);
  EXPECT_THAT(tables, ElementsAre(path("second/validation/measured/a.jsonc"),
                                  path("second/validation/measured/b.csv")));
}

}  // namespace
}  // namespace railyard::collectives
