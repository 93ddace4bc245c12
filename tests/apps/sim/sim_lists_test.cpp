#include "apps/sim/sim_lists.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnostic.hpp"
#include "tests/apps/command_result.hpp"

namespace railyard::apps::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Words = std::vector<std::string>;

TEST(SimLists, EveryCombinationIsACommandLine) {
  const auto lines =
      command_lines_of_lists({"sim", "--routing=ecmp,spray", "--nodes", "1,2", "--bytes", "1M"});
  EXPECT_THAT(lines, ElementsAre(Words{"sim", "--routing=ecmp", "--nodes", "1", "--bytes", "1M"},
                                 Words{"sim", "--routing=spray", "--nodes", "1", "--bytes", "1M"},
                                 Words{"sim", "--routing=ecmp", "--nodes", "2", "--bytes", "1M"},
                                 Words{"sim", "--routing=spray", "--nodes", "2", "--bytes", "1M"}));
}

// Jobs and traffic patterns contain commas too.
TEST(SimLists, OtherFlagsKeepTheirCommas) {
  const Words words{"sim", "--job", "name=a,ranks=0-7", "--nodes", "2"};
  EXPECT_THAT(command_lines_of_lists(words), ElementsAre(words));
  EXPECT_THROW((void)command_lines_of_lists({"sim", "--nodes", "1,,2"}), InputError);
}

std::string rows_of(const std::string& flags) {
  return run_in_shell(std::string(RAILYARD_EXECUTABLE) +
                      " sim --cluster clos_baidu_roce --bytes 64M --csv - 2>&1 " + flags)
      .text;
}
std::string without_head(const std::string& csv) { return csv.substr(csv.find('\n') + 1); }

TEST(SimLists, RowsAreThoseOfTheSingleRuns) {
  EXPECT_EQ(rows_of("--nodes 2,4 --routing ecmp,spray"),
            rows_of("--nodes 2 --routing ecmp") +
                without_head(rows_of("--nodes 2 --routing spray")) +
                without_head(rows_of("--nodes 4 --routing ecmp")) +
                without_head(rows_of("--nodes 4 --routing spray")));
}

TEST(SimLists, AWrongValueIsTheErrorOfItsRun) {
  const Ended ended = run_in_shell(std::string(RAILYARD_EXECUTABLE) +
                                   " sim --cluster dgx_h100_ndr400 --nodes 1,zero 2>&1");
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.text, HasSubstr("'zero' is not a whole number of at least 1"));
  const Ended trace =
      run_in_shell(std::string(RAILYARD_EXECUTABLE) +
                   " sim --cluster dgx_h100_ndr400 --nodes 1,2 --trace t.json 2>&1");
  EXPECT_EQ(trace.code, 2);
  EXPECT_THAT(trace.text, HasSubstr("--trace: supports only a single run"));
}

}  // namespace
}  // namespace railyard::apps::testing
