#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

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

TEST(Rooms, KeepLinesShort) {
  EXPECT_THAT(all_of(rooms(), line_width), IsEmpty());
  EXPECT_THAT(all_of(read_tests(RAILYARD_SOURCE_DIR), line_width), IsEmpty());
}

TEST(Rooms, HaveAReadmeInEachFolder) {
  EXPECT_THAT(readme_faults(RAILYARD_SOURCE_DIR, rooms()), IsEmpty());
}

TEST(Rooms, HaveNoCirclesBetweenUnits) {
  const std::vector<Source> sources = rooms();
  for (const Circle& circle : unit_circles(sources))
    ADD_FAILURE() << "circle: " << describe_circle(circle, sources);
}

TEST(Configs, NameTheirSchema) {
  EXPECT_THAT(all_of(read_configs(RAILYARD_SOURCE_DIR), config_schema), IsEmpty());
}

TEST(Pages, CiteFilesThatExist) {
  const std::vector<Source> pages = read_pages(RAILYARD_SOURCE_DIR);
  EXPECT_GT(pages.size(), 200u);
  Violations found;
  for (const Source& page : pages)
    for (std::string& missing : cited_files(RAILYARD_SOURCE_DIR, page))
      found.push_back(std::move(missing));
  EXPECT_THAT(found, IsEmpty());
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

TEST(FileSizeRule, FindsMoreThan900Lines) {
  EXPECT_THAT(file_size({"sim/a.cpp", std::string(900, '\n')}), IsEmpty());
  EXPECT_THAT(file_size({"sim/a.cpp", std::string(901, '\n')}), SizeIs(1));
}

TEST(LineWidthRule, CountsColumnsNotBytes) {
  EXPECT_THAT(line_width({"sim/a.cpp", std::string(100, 'x') + "\n"}), IsEmpty());
  const std::string wide(101, 'x');
  EXPECT_THAT(line_width({"sim/a.cpp", "k = R\"(\n" + wide + "\nend)\";\n"}), IsEmpty());
  EXPECT_THAT(line_width({"sim/a.cpp", "k = R\"(\nend)\";\n" + wide + "\n"}), SizeIs(1));
  EXPECT_THAT(line_width({"sim/a.cpp", "\n" + std::string(101, 'x') + "\n"}),
              ElementsAre("sim/a.cpp:2: 101 columns, at most 100"));
  std::string sharp;
  for (int i = 0; i < 100; ++i) sharp += "\u00d7";  // two bytes each
  EXPECT_THAT(line_width({"sim/a.cpp", sharp}), IsEmpty());
}

// a.cpp -> b -> c -> a is one circle of three; d includes it and is not part of it; a header and
// its own .cpp are one unit.
TEST(CircleRule, FindsUnitsThatIncludeEachOther) {
  const std::vector<Source> sources{
      {"sim/a.hpp", ""},
      {"sim/a.cpp", "#include \"sim/a.hpp\"\n#include \"sim/b.hpp\"\n"},
      {"sim/b.hpp", "#include \"sim/c.hpp\"\n"},
      {"sim/c.hpp", "#include \"sim/a.hpp\"\n#include <vector>\n"},
      {"sim/d.cpp", "#include \"sim/a.hpp\"\n#include \"core/id.hpp\"\n"},
      {"topology/e.hpp", "#include \"topology/f.hpp\"\n"},
      {"topology/f.cpp", "#include \"topology/f.hpp\"\n#include \"topology/e.hpp\"\n"},
  };
  const std::vector<Circle> circles = unit_circles(sources);
  ASSERT_THAT(circles,
              ElementsAre(Circle{"sim/a", "sim/b", "sim/c"}, Circle{"topology/e", "topology/f"}));
  EXPECT_EQ(describe_circle(circles[0], sources),
            "sim/a.cpp includes sim/b, sim/b.hpp includes sim/c, sim/c.hpp includes sim/a");
}

TEST(CircleRule, FindsNoneWhereIncludesGoOneWay) {
  EXPECT_THAT(unit_circles({{"sim/a.hpp", "#include \"sim/b.hpp\"\n"},
                            {"sim/a.cpp", "#include \"sim/a.hpp\"\n#include \"sim/b.hpp\"\n"},
                            {"sim/b.hpp", ""}}),
              IsEmpty());
}

TEST(ReadmeRule, FindsFoldersWithoutOneAndNamesOfNothing) {
  const auto top = std::filesystem::path(::testing::TempDir()) / "readme_rule";
  std::filesystem::create_directories(top / "sim/flow");
  std::filesystem::create_directories(top / "sim/packet");
  std::ofstream(top / "sim/flow/README.md") << "What lives here.\nRead first.\nNever here.\n";
  std::ofstream(top / "sim/packet/README.md") << "Packets: `gone.hpp`.\n";
  EXPECT_THAT(readme_faults(top, {{"sim/flow/a.cpp", ""}, {"sim/packet/b.cpp", ""}}),
              ElementsAre("sim/packet: has no README.md of three lines",
                          "sim/packet/README.md: there is no gone.hpp"));
  std::filesystem::remove_all(top);
}

// docs/here.md exists, docs/gone.md, docs/lost.md and script/gone do not.
TEST(CitationRule, FindsFilesThatAreGone) {
  const auto top = std::filesystem::path(::testing::TempDir()) / "citation_rule";
  std::filesystem::create_directories(top / "docs");
  std::ofstream(top / "docs/here.md") << "text\n";
  EXPECT_THAT(cited_files(top, {"docs/page.md",
                                "See docs/here.md, `docs/gone.md:12`.\n"
                                "script/gone. [a](here.md#part) [b](lost.md) [c](https://d)\n"}),
              ElementsAre("docs/page.md:1: there is no docs/gone.md",
                          "docs/page.md:2: there is no script/gone",
                          "docs/page.md:2: there is no lost.md"));
  // Patterns, folders, units, another tree, what a command makes, and other repositories.
  EXPECT_THAT(cited_files(top, {"configs/a.json",
                                "configs/nodes/*.json docs/<name>.md docs/models core/units\n"
                                "../shared/docs/a.md results/demo/report.html\n"
                                "NVIDIA/NeMo docs/a.md https://github.com/x/y/blob/docs/a.md\n"}),
              IsEmpty());
  std::filesystem::remove_all(top);
}

TEST(ConfigRule, FindsConfigsWithoutSchemaAndBrokenOnes) {
  EXPECT_THAT(config_schema({"configs/a.json", "// c\n{\"$schema\": \"a.schema.json\"}"}),
              IsEmpty());
  EXPECT_THAT(config_schema({"configs/a.json", "{}"}), SizeIs(1));
  EXPECT_THAT(config_schema({"configs/a.json", "{"}), SizeIs(1));
}

}  // namespace
}  // namespace railyard::style
