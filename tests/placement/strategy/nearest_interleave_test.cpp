#include "placement/strategy/nearest_interleave.hpp"

#include <gtest/gtest.h>

namespace railyard::placement {
namespace {

Strategy made(int layers, int pp, int interleave, std::string& note) {
  Job job;
  job.model.layers = layers;
  Strategy s{.pp = pp, .interleave = interleave, .schedule = PipelineSchedule::interleaved};
  note = make_chunks_divide(job, s);
  return s;
}

// 84 layers in 4 stages of 21, which 7 and 3 divide: 6 becomes 7. 96 in 8 of 12: 5 becomes 4 (4 and
// 6 are as near). 126 in 16: with embedding and head 128 in 16 of 8, which 8 divides. 11 in 4: no
// way, so stages without chunks. What divides stays.
TEST(ChunksOfStages, AreTheNearestThatDivide) {
  std::string note;
  EXPECT_EQ(made(84, 4, 6, note).interleave, 7);
  EXPECT_NE(note.find("84 layers are not divisible by pp 4 x interleave 6, so interleave 7"),
            std::string::npos)
      << note;
  EXPECT_EQ(made(96, 8, 5, note).interleave, 4);
  const Strategy ends = made(126, 16, 8, note);
  EXPECT_EQ(ends.interleave, 8);
  EXPECT_TRUE(ends.even_ends);
  EXPECT_NE(note.find("embedding and head count as layers"), std::string::npos) << note;
  const Strategy alone = made(11, 4, 2, note);
  EXPECT_EQ(alone.interleave, 1);
  EXPECT_EQ(alone.schedule, PipelineSchedule::one_f_one_b);
  EXPECT_EQ(made(96, 8, 6, note).interleave, 6);
  EXPECT_EQ(note, "");
}

}  // namespace
}  // namespace railyard::placement
