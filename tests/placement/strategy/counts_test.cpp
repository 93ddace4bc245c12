#include "placement/strategy/counts.hpp"

#include <gtest/gtest.h>

#include "core/diagnostic.hpp"

namespace railyard::placement {
namespace {

TEST(Counts, RunsAreWrittenWithAStar) {
  EXPECT_EQ(parse_counts("10*2/6/5", "--fix"), (std::vector<int>{10, 10, 6, 5}));
  EXPECT_EQ(to_counts_text({10, 10, 6, 5}), "10*2/6/5");
  EXPECT_EQ(to_counts_text({7}), "7");
}

TEST(Counts, AnythingElseIsRefused) {
  for (const char* text : {"", "/", "3/", "a", "3*", "3*0", "-3", "3*2*2", "3*9999999"})
    EXPECT_THROW((void)parse_counts(text, "--fix"), InputError) << text;
}

}  // namespace
}  // namespace railyard::placement
