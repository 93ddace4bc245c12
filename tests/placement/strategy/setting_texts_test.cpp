#include "placement/strategy/setting_texts.hpp"

#include <gtest/gtest.h>

namespace railyard::placement {
namespace {

TEST(SettingTexts, DefaultsAreNotNamed) {
  EXPECT_EQ(overlap_text({.tp_overlap = false, .dp_overlap = false}), "");
  EXPECT_EQ(other_settings_text({.tp = 8, .pp = 4, .dp = 2}), "");
}

TEST(SettingTexts, OverlapListsTheDimensionsInOrder) {
  Strategy s;
  s.tp_overlap = s.pp_overlap = true;
  s.dp_overlap = s.ep_overlap = false;
  EXPECT_EQ(overlap_text(s), "tp pp");
}

TEST(SettingTexts, CountsHaveAValueAndChoicesTheirName) {
  Strategy s{.pp = 4};
  s.etp = 8;
  s.schedule = PipelineSchedule::zero_bubble;
  s.offload_optimizer = true;
  EXPECT_EQ(other_settings_text(s), "etp=8 zero_bubble offload_optimizer");
  // Without a pipeline its schedule has no effect.
  s.pp = 1;
  EXPECT_EQ(other_settings_text(s), "etp=8 offload_optimizer");
}

}  // namespace
}  // namespace railyard::placement
