#include "sim/trace.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace railyard::sim {
namespace {

using namespace railyard::literals;

TEST(Trace, SpansCountersAndNamesAreWrittenOnce) {
  collectives::Run run;
  run.timeline = {{"job \"a\" / channel 0", "latency", 0_us, 2_us, Bytes(0)},
                  {"job \"a\" / channel 0", "ring", 2_us, 4_us + 1_ps, Bytes(4096)},
                  // 3000 B in 2 us is 1.5 GB/s.
                  {"load: nvlink", "", 0_us, 2_us, Bytes(3000)}};
  std::ostringstream out;
  write_trace(out, run);
  EXPECT_EQ(out.str(),
            R"({"displayTimeUnit":"ns","traceEvents":[
{"ph":"M","pid":1,"name":"process_name","args":{"name":"job \"a\""}},
{"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":"channel 0"}},
{"ph":"X","pid":1,"tid":1,"name":"latency","ts":0.000000,"dur":2.000000,"args":{"bytes":0}},
{"ph":"X","pid":1,"tid":1,"name":"ring","ts":2.000000,"dur":2.000001,"args":{"bytes":4096}},
{"ph":"C","pid":0,"name":"load: nvlink","ts":0.000000,"args":{"GB/s":1.5}},
{"ph":"C","pid":0,"name":"load: nvlink","ts":2.000000,"args":{"GB/s":0}}
]}
)");
}

// Of spans of 1, 3, 2, 2 and 2 us the limit of 3 leaves that of 3 us and the first two of 2 us.
TEST(Trace, TheShortestSpansAreLeftOutAndCounted) {
  collectives::Run run;
  for (const std::int64_t us : {1, 3, 2, 2, 2})
    run.timeline.push_back(
        {"a", "x" + std::to_string(run.timeline.size()), 0_us, Time::microseconds(us), Bytes(8)});
  run.timeline.push_back({"load: nvlink", "", 0_us, 1_us, Bytes(3000)});
  std::ostringstream out;
  EXPECT_EQ(write_trace(out, run, 3), 2U);
  for (const char* kept : {"x1", "x2", "x3", "load: nvlink"})
    EXPECT_NE(out.str().find(kept), std::string::npos) << kept;
  for (const char* gone : {"x0", "x4"}) EXPECT_EQ(out.str().find(gone), std::string::npos) << gone;
  EXPECT_NE(out.str().find(R"("otherData":{"left_out_spans":2})"), std::string::npos);
  EXPECT_EQ(write_trace(out, run), 0U);
}

TEST(Trace, AnEmptyRunIsValidJson) {
  std::ostringstream out;
  write_trace(out, {});
  EXPECT_EQ(out.str(), "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n]}\n");
}

}  // namespace
}  // namespace railyard::sim
