#include "placement/model/batch_notes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace railyard::placement {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// 2016 = 2^5 x 3^2 x 7. 512 has no odd factor, 504 = 2^3 x 3^2 x 7 has all, 768 = 2^8 x 3 one 3.
TEST(BatchNotes, AMissingFactorIsOdd) {
  EXPECT_EQ(missing_factor(512, 2016), 63);
  EXPECT_EQ(missing_factor(504, 2016), 1);
  EXPECT_EQ(missing_factor(768, 2016), 21);
  EXPECT_EQ(missing_factor(1, 2048), 1);
  EXPECT_EQ(missing_factor(512, 2 * 1013), 1013);
  EXPECT_EQ(missing_factor(512, 1), 1);
}

Job job_of(int batch, int sequence) {
  Job job;
  job.batch = batch;
  job.sequence = sequence;
  return job;
}

// 512 / 63 is 8.1, so 504. 2048 is nearest to 2016 = 63 x 2^5, 512 to 504 = 21 x (3 x 2^3). 4M
// tokens in sequences of 128,000 are 32.8.
TEST(BatchNotes, TellWhatWouldDivideAndWhatABatchCounts) {
  EXPECT_THAT(batch_notes(job_of(512, 8192), 2048), IsEmpty());
  EXPECT_THAT(batch_notes(job_of(512, 8192), 2016),
              ElementsAre(HasSubstr("factor 63 of 2016 GPUs, so tp, pp or cp must contain this "
                                    "factor; a divisible batch is --batch 504")));
  EXPECT_THAT(batch_notes(job_of(2048, 8192), 2016), ElementsAre(HasSubstr("--batch 2016")));
  EXPECT_THAT(batch_notes(job_of(512, 8192), 24), ElementsAre(HasSubstr("--batch 504")));
  // 288 = 2^5 x 3^2 and 15360 = 2^10 x 3 x 5: a 3 is missing, 53 x 288 = 15264.
  EXPECT_THAT(batch_notes(job_of(15360, 4096), 288), ElementsAre(HasSubstr("--batch 15264")));
  EXPECT_THAT(batch_notes(job_of(4'000'000, 128'000), 64),
              ElementsAre("a step has 512B tokens, because a batch is a number of sequences; "
                          "4M tokens are a batch of 32"));
}

}  // namespace
}  // namespace railyard::placement
