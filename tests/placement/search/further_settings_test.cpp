#include "placement/search/further_settings.hpp"

#include <gtest/gtest.h>

#include <array>

#include "core/diagnostic.hpp"

namespace railyard::placement {
namespace {

TEST(FurtherSettings, AreAddedByName) {
  const std::array<std::string, 2> some{"zero_bubble", "uneven_stages"};
  const SearchSpace space = search_space(some, false, true);
  EXPECT_TRUE(space.zero_bubble);
  EXPECT_TRUE(space.uneven_stages);
  EXPECT_FALSE(space.dualpipe);
  EXPECT_FALSE(space.overlap);
  EXPECT_TRUE(space.offload);
}

TEST(FurtherSettings, AllAreAllOfThem) {
  const std::array<std::string, 1> all{"all"};
  const SearchSpace space = search_space(all, true, false);
  EXPECT_TRUE(space.dualpipe && space.ep_overlap && space.shard_groups && space.sharded_stages &&
              space.recompute_operations);
}

TEST(FurtherSettings, OtherNamesAreRefused) {
  const std::array<std::string, 1> wrong{"zero_buble"};
  EXPECT_THROW((void)search_space(wrong, true, false), InputError);
}

}  // namespace
}  // namespace railyard::placement
