#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/style/source_rules.hpp"

namespace railyard::style {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Every place in the project where a rule is broken.
Violations all_of(const std::vector<Source>& sources, Violations (*rule)(const Source&)) {
  Violations found;
  for (const Source& source : sources) {
    const Violations here = rule(source);
    found.insert(found.end(), here.begin(), here.end());
  }
  return found;
}

std::vector<Source> rooms() { return read_rooms(RAILYARD_SOURCE_DIR); }

TEST(Rooms, AreFound) { EXPECT_GT(rooms().size(), 20u); }

TEST(Rooms, IncludeDownwardOnly) { EXPECT_THAT(all_of(rooms(), room_order), IsEmpty()); }

TEST(Rooms, KeepLibrariesWhereTheyBelong) { EXPECT_THAT(all_of(rooms(), third_party), IsEmpty()); }

TEST(Rooms, HaveProperHeaders) { EXPECT_THAT(all_of(rooms(), header_form), IsEmpty()); }

TEST(Rooms, NameFilesAfterIdeas) { EXPECT_THAT(all_of(rooms(), file_name), IsEmpty()); }

TEST(Rooms, KeepFilesShort) { EXPECT_THAT(all_of(rooms(), file_size), IsEmpty()); }

TEST(Configs, NameTheirSchema) {
  EXPECT_THAT(all_of(read_configs(RAILYARD_SOURCE_DIR), config_schema), IsEmpty());
}

TEST(RoomOrderRule, FindsUpwardSidewaysAndRelativeIncludes) {
  const Source source{"sim/engine.cpp",
                      "#include \"sim/engine.hpp\"\n"
                      "#include \"collectives/schedule/schedule.hpp\"\n"
                      "#include <vector>\n"
                      "#include \"placement/model/job.hpp\"\n"
                      "#include \"engine.hpp\"\n"};
  EXPECT_THAT(room_order(source),
              ElementsAre("sim/engine.cpp:4: sim may not include placement/model/job.hpp",
                          "sim/engine.cpp:5: \"engine.hpp\" is not a path from the top"));
  EXPECT_THAT(room_order({"core/units.hpp", "#include \"topology/cluster/cluster.hpp\"\n"}),
              SizeIs(1));
  EXPECT_THAT(room_order({"apps/main.cpp", "#include \"hw/probe.hpp\"\n"}), IsEmpty());
}

TEST(ThirdPartyRule, FindsLibrariesOutsideTheirPlace) {
  EXPECT_THAT(third_party({"sim/flags.cpp", "#include <CLI/CLI.hpp>\n"}), SizeIs(1));
  EXPECT_THAT(third_party({"apps/flags.hpp", "#include <CLI/CLI.hpp>\n"}), IsEmpty());
  EXPECT_THAT(third_party({"core/a.hpp", "#include <nlohmann/json.hpp>\n"}), SizeIs(1));
  EXPECT_THAT(third_party({"core/a.cpp", "#include <nlohmann/json.hpp>\n"}), IsEmpty());
  EXPECT_THAT(third_party({"topology/a.hpp", "#include <boost/graph/graph_traits.hpp>\n"}),
              SizeIs(1));
  EXPECT_THAT(third_party({"sim/a.cpp", "#include <boost/graph/graph_traits.hpp>\n"}), SizeIs(1));
  EXPECT_THAT(third_party({"hw/local.cpp", "#include <mpi.h>\n"}), SizeIs(1));
  EXPECT_THAT(third_party({"hw/mpi/runner.cpp", "#include <mpi.h>\n"}), IsEmpty());
}

TEST(HeaderRule, FindsAMissingPragmaAndUsingDirectives) {
  EXPECT_THAT(header_form({"core/a.hpp", "using namespace std;\n"}), SizeIs(2));
  EXPECT_THAT(header_form({"core/a.hpp", "#pragma once\n"}), IsEmpty());
  EXPECT_THAT(header_form({"core/a.cpp", "using namespace literals;\n"}), IsEmpty());
}

TEST(FileNameRule, FindsDrawersForEverything) {
  EXPECT_THAT(file_name({"sim/utils.cpp", ""}), SizeIs(1));
  EXPECT_THAT(file_name({"sim/flow_helpers.hpp", ""}), SizeIs(1));
  EXPECT_THAT(file_name({"sim/utilisation.cpp", ""}), IsEmpty());
}

TEST(FileSizeRule, FindsMoreThan450Lines) {
  EXPECT_THAT(file_size({"sim/a.cpp", std::string(450, '\n')}), IsEmpty());
  EXPECT_THAT(file_size({"sim/a.cpp", std::string(451, '\n')}), SizeIs(1));
}

TEST(ConfigRule, FindsConfigsWithoutSchemaAndBrokenOnes) {
  EXPECT_THAT(config_schema({"configs/a.json", "// c\n{\"$schema\": \"a.schema.json\"}"}),
              IsEmpty());
  EXPECT_THAT(config_schema({"configs/a.json", "{}"}), SizeIs(1));
  EXPECT_THAT(config_schema({"configs/a.json", "{"}), SizeIs(1));
}

}  // namespace
}  // namespace railyard::style
