#include "core/config/csv_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostic.hpp"

namespace railyard::core {
namespace {

constexpr std::array<std::string_view, 1> kRequired{"a"}, kOptional{"b"};
constexpr CsvColumns kColumns{.required = kRequired, .optional = kOptional};

TEST(CsvTable, CellsInQuotesHoldCommasAndQuotes) {
  const CsvTable table =
      parse_csv("t", "# head\r\nb,a\r\n\r\n\"x, \"\"y\"\"\",1\r\n2,\n", kColumns);
  EXPECT_EQ(table.columns, (std::vector<std::string>{"b", "a"}));
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(table.rows[0].line, 4U);
  EXPECT_EQ(table.rows[0].cells, (std::vector<std::string>{"x, \"y\"", "1"}));
  EXPECT_EQ(table.rows[1].cells, (std::vector<std::string>{"2", ""}));
}

TEST(CsvTable, AColumnThatIsThereTwiceIsAnError) {
  EXPECT_THROW((void)parse_csv("t", "a,a\n1,2\n", kColumns), InputError);
  EXPECT_THROW((void)parse_csv("t", "b\n1\n", kColumns), InputError);
  EXPECT_THROW((void)parse_csv("t", "", kColumns), InputError);
}

TEST(CsvTable, PlainCellsAreViewsWithoutBlanks) {
  using ::testing::ElementsAre;
  EXPECT_THAT(plain_csv_cells("a, b ,\tc\r"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(plain_csv_cells("1,,"), ElementsAre("1", "", ""));
  EXPECT_THAT(plain_csv_cells(""), ElementsAre(""));
  const std::string line = "1.5,x";
  EXPECT_EQ(plain_csv_cells(line)[1].data(), line.data() + 4);
}

}  // namespace
}  // namespace railyard::core
