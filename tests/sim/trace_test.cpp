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

TEST(Trace, AnEmptyRunIsValidJson) {
  std::ostringstream out;
  write_trace(out, {});
  EXPECT_EQ(out.str(), "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n]}\n");
}

}  // namespace
}  // namespace railyard::sim
