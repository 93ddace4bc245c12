#include "apps/output/table_stream.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace railyard::apps {
namespace {

RowTable row(std::int64_t bytes, double time) {
  return {.columns = {{"kind", {.joins_heading = true}},
                      {"bytes", {.is_size = true}},
                      {"nothing", {}},
                      {"time_us", {.decimals = 2}}},
          .rows = {{std::string("ring"), bytes, RowValue(), time}}};
}

// Columns have room for 12 letters; one without a value in the first row is left out.
TEST(TableStream, HeadingsComeOnceAndRowsAlign) {
  std::ostringstream out;
  TableStream stream(out);
  EXPECT_TRUE(stream.is_empty());
  stream.add(row(1024, 1.5));
  EXPECT_EQ(out.str(),
            "# kind ring\n"
            "       bytes       time_us\n"
            "          1K          1.50\n");
  stream.add(row(1 << 20, 12345.678));
  EXPECT_TRUE(out.str().ends_with("\n          1M      12345.68\n"));
  EXPECT_FALSE(stream.is_empty());
}

}  // namespace
}  // namespace railyard::apps
