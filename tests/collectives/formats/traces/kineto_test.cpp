#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "collectives/formats/traces/import_workload.hpp"
#include "collectives/formats/traces/kineto_order.hpp"
#include "collectives/formats/traces/kineto_trace.hpp"
#include "collectives/workload/check_workload.hpp"
#include "core/diagnostic.hpp"
#include "tests/truth_path.hpp"

namespace railyard::collectives {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

/// A profile, event by event; times in microseconds.
class Profile {
 public:
  explicit Profile(const std::string& head = R"("distributedInfo": {"rank": 0, "world_size": 2},)")
      : head_(head) {}

  Profile& call(const std::string& name, double begin, double duration, int correlation,
                int thread = 1) {
    return event(R"("cat": "cuda_runtime", "name": ")" + name + "\"", begin, duration,
                 R"("correlation": )" + std::to_string(correlation), thread);
  }
  Profile& kernel(const std::string& name, double begin, double duration, int stream,
                  int correlation, const std::string& more = "") {
    return event(R"("cat": "kernel", "name": ")" + name + "\"", begin, duration,
                 R"("device": 0, "stream": )" + std::to_string(stream) + R"(, "correlation": )" +
                     std::to_string(correlation) + more,
                 stream);
  }
  Profile& event(const std::string& what, double begin, double duration,
                 const std::string& arguments, int thread) {
    events_ += events_.empty() ? "" : ",\n";
    events_ += R"({"ph": "X", )" + what + R"(, "pid": 0, "tid": )" + std::to_string(thread) +
               R"(, "ts": )" + std::to_string(begin) + R"(, "dur": )" + std::to_string(duration) +
               R"(, "args": {)" + arguments + "}}";
    return *this;
  }
  [[nodiscard]] std::string text() const {
    return "{\"schemaVersion\": 1, " + head_ + " \"traceEvents\": [" + events_ + "]}";
  }
  [[nodiscard]] std::string write(const std::string& name = "rank0.json") const {
    const fs::path path = fs::path(::testing::TempDir()) / ("kineto_test_" + name);
    std::ofstream(path) << text();
    return path.string();
  }

 private:
  std::string head_, events_;
};

constexpr const char* kSizes =
    R"(, "Collective name": "allreduce", "In msg nelems": 1000, "Out msg nelems": 1000,)"
    R"( "Group size": 2, "dtype": "BFloat16", "Process Group Name": "0",)"
    R"( "Process Group Ranks": "[0, 1]")";

/// A backward pass with an overlapped all-reduce, as c10d issues it:
///   host      0 launch a   10 launch b   20 record, wait, launch nccl   30 launch c
///             40 wait (work.wait)   44 launch d
///   stream 7  a 5-105, b 106-206, c 207-307, d 400-410 (waits for nccl)
///   stream 9  nccl 208-395 (waits for b)
Profile overlapped() {
  return Profile()
      .call("cudaLaunchKernel", 0, 3, 1)
      .kernel("a", 5, 100, 7, 1)
      .call("cudaLaunchKernel", 10, 3, 2)
      .kernel("b", 106, 100, 7, 2)
      .call("cudaEventRecord", 20, 1, 50)
      .call("cudaStreamWaitEvent", 22, 1, 51)
      .call("cudaLaunchKernelExC", 24, 3, 3)
      .kernel("ncclDevKernel_AllReduce_Sum_bf16", 208, 187, 9, 3, kSizes)
      .call("cudaEventRecord", 27, 1, 52)
      .call("cudaStreamWaitEvent", 28, 1, 53)  // NCCL's own
      .call("cudaLaunchKernel", 30, 3, 4)
      .kernel("c", 207, 100, 7, 4)
      .call("cudaStreamWaitEvent", 40, 1, 54)
      .call("cudaLaunchKernel", 44, 3, 5)
      .kernel("d", 400, 10, 7, 5);
}

/// Begins of GPU events, in nanoseconds from the begin of the trace, when the steps run one behind
/// another as their order says, `longer` with that much longer NCCL kernels.
std::map<std::string, std::int64_t> begins(const KinetoTrace& trace, const KinetoOrder& order,
                                           std::int64_t longer = 0) {
  std::map<std::string, std::int64_t> found;
  std::map<std::int64_t, std::int64_t> streams;
  std::int64_t host = 0;
  std::vector<std::int64_t> ends;
  for (const KinetoStep& step : order.steps) {
    const bool is_host = step.gpu == KinetoStep::kHost;
    std::int64_t& stream = is_host ? host : streams[trace.gpu[step.gpu].stream];
    std::int64_t begin = stream;
    for (const std::uint32_t other : step.after) begin = std::max(begin, ends[other]);
    begin += step.delay;
    stream = begin;
    if (!is_host) {
      const KinetoGpuEvent& event = trace.gpu[step.gpu];
      stream += event.span.end - event.span.begin + (event.is_nccl ? longer : 0);
      found[event.name] = begin;
    }
    ends.push_back(stream);
  }
  return found;
}

TEST(KinetoOrder, KeepsTheRecordedTimes) {
  const KinetoTrace trace = read_kineto(overlapped().write());
  const KinetoOrder order = order_of_kineto(trace);
  EXPECT_EQ(order.begin, 0);
  EXPECT_EQ(order.end, 410'000);
  EXPECT_EQ(order.inferred_waits, 2U);
  EXPECT_EQ(order.contradicted, 0U);
  for (const auto& [name, begin] : begins(trace, order)) {
    for (const KinetoGpuEvent& event : trace.gpu) {
      if (event.name == name) {
        EXPECT_EQ(begin, event.span.begin) << name;
      }
    }
  }
}

// nccl longer by 50 us: d, which waits for it, begins at 450; c, which overlaps, as before.
TEST(KinetoOrder, LetsALongerCollectiveDelayOnlyWhatWaitsForIt) {
  const KinetoTrace trace = read_kineto(overlapped().write());
  const auto later = begins(trace, order_of_kineto(trace), 50'000);
  EXPECT_EQ(later.at("c"), 207'000);
  EXPECT_EQ(later.at("d"), 450'000);
}

// Recorded: stream 7 waits at call 54 for the record 52 of stream 9.
TEST(KinetoOrder, PrefersWaitsThatTheProfilerRecorded) {
  const auto wait = [](int correlation, int stream, int other, int record) {
    return R"("stream": )" + std::to_string(stream) + R"(, "correlation": )" +
           std::to_string(correlation) + R"(, "wait_on_stream": )" + std::to_string(other) +
           R"(, "wait_on_cuda_event_record_corr_id": )" + std::to_string(record);
  };
  Profile profile = overlapped();
  const std::string sync = R"("cat": "cuda_sync", "name": "Stream Wait Event")";
  profile.event(sync, 22, 1, wait(51, 9, 7, 50), 9).event(sync, 40, 1, wait(54, 7, 9, 52), 7);
  const KinetoTrace trace = read_kineto(profile.write());
  const KinetoOrder order = order_of_kineto(trace);
  EXPECT_EQ(order.recorded_waits, 2U);
  EXPECT_EQ(order.inferred_waits, 0U);
  EXPECT_EQ(begins(trace, order, 50'000).at("d"), 450'000);
  EXPECT_EQ(begins(trace, order, 50'000).at("c"), 207'000);
}

// The host blocks from 20 to 120 for kernel a, which ends at 115, and launches b 10 us later. With
// an all-reduce behind a, what the host does next is later, too.
TEST(KinetoOrder, HostWaitsForWhatItSynchronisesWith) {
  Profile profile;
  profile.call("cudaLaunchKernel", 0, 3, 1)
      .kernel("nccl_a", 15, 100, 7, 1)
      .call("cudaDeviceSynchronize", 20, 100, 9)
      .call("cudaLaunchKernel", 130, 3, 2)
      .kernel("b", 140, 10, 7, 2);
  const KinetoTrace trace = read_kineto(profile.write());
  const KinetoOrder order = order_of_kineto(trace);
  EXPECT_EQ(begins(trace, order).at("b"), 140'000);
  EXPECT_EQ(begins(trace, order, 7'000).at("b"), 147'000);
}

// Without cudaStreamWaitEvent: d was launched, its stream was free, and it begins 5 us behind nccl.
TEST(KinetoOrder, InfersWaitsFromTimesWhereNoCallTells) {
  Profile profile;
  profile.call("cudaLaunchKernel", 0, 3, 1)
      .kernel("a", 5, 100, 7, 1)
      .call("cudaLaunchKernel", 24, 3, 3)
      .kernel("nccl", 110, 200, 9, 3)
      .call("cudaLaunchKernel", 30, 3, 4)
      .kernel("c", 106, 100, 7, 4)
      .call("cudaLaunchKernel", 44, 3, 5)
      .kernel("d", 315, 10, 7, 5);
  const KinetoTrace trace = read_kineto(profile.write());
  const KinetoOrder order = order_of_kineto(trace);
  EXPECT_EQ(begins(trace, order).at("d"), 315'000);
  EXPECT_EQ(begins(trace, order, 50'000).at("d"), 365'000);
  EXPECT_EQ(begins(trace, order, 50'000).at("c"), 106'000);
}

TEST(KinetoWorkload, MakesCollectivesOfNcclKernels) {
  const ImportedWorkload imported = import_workload(std::vector{overlapped().write()}, {});
  const Workload& workload = imported.workload;
  EXPECT_EQ(imported.format, "kineto");
  EXPECT_EQ(workload.ranks(), 2U);
  ASSERT_EQ(workload.roles().size(), 1U) << "rank 1 is as rank 0";
  EXPECT_EQ(imported.recorded, Time::microseconds(410));
  EXPECT_THAT(imported.notes.front(), HasSubstr("only rank 0 of 2 has a trace"));
  std::vector<Operation> collectives;
  for (const Operation& operation : workload.program_of(0).operations)
    if (operation.kind == OperationKind::collective) collectives.push_back(operation);
  ASSERT_EQ(collectives.size(), 1U);
  EXPECT_EQ(collectives[0].collective, Kind::all_reduce);
  EXPECT_EQ(collectives[0].bytes, Bytes(2000)) << "1000 elements of 2 bytes";
  EXPECT_EQ(workload.program_of(0).streams[collectives[0].stream], "stream 9");
}

// all_gather: 500 elements of each of 4 ranks in groups {0, 2} and {1, 3}; only rank 0 is traced.
TEST(KinetoWorkload, GivesPeersGroupsOfTheSameShape) {
  Profile profile(R"("distributedInfo": {"rank": 0, "world_size": 4,
      "pg_config": [{"pg_name": "3", "ranks": [0, 2]}]},)");
  profile.call("cudaLaunchKernel", 0, 3, 1)
      .kernel("ncclDevKernel_AllGather_RING_LL", 5, 100, 9, 1,
              R"(, "Collective name": "_allgather_base", "In msg nelems": 500, "dtype": "Float",)"
              R"( "Group size": 2, "Process Group Name": "3")");
  const Workload workload = import_workload(std::vector{profile.write()}, {}).workload;
  ASSERT_EQ(workload.families().size(), 1U);
  EXPECT_EQ(workload.families()[0].groups,
            (std::vector<std::vector<std::uint32_t>>{{0, 2}, {1, 3}}));
  const auto& operations = workload.program_of(3).operations;
  const auto found = std::find_if(operations.begin(), operations.end(), [](const Operation& its) {
    return its.kind == OperationKind::collective;
  });
  ASSERT_NE(found, operations.end());
  EXPECT_EQ(found->bytes, Bytes(4000)) << "500 elements of 4 bytes of each of 2 ranks";
}

TEST(KinetoWorkload, TakesSizesFromAnnotationsOfOlderProfilers) {
  Profile profile;
  profile
      .event(R"("cat": "user_annotation", "name": "nccl:all_reduce")", 0, 10,
             R"("Input Dims": [[300]], "Input type": ["double"])", 1)
      .call("cudaLaunchKernel", 2, 3, 1)
      .kernel("ncclKernel_AllReduce_RING_LL_Sum_double(ncclDevComm*)", 6, 100, 9, 1);
  const ImportedWorkload imported = import_workload(std::vector{profile.write()}, {});
  const Program& program = imported.workload.program_of(0);
  EXPECT_EQ(program.operations.back().kind, OperationKind::collective);
  EXPECT_EQ(program.operations.back().bytes, Bytes(2400));
}

TEST(KinetoWorkload, CountsWhatKeepsItsRecordedTime) {
  Profile profile;
  profile.call("cudaLaunchKernel", 0, 3, 1).kernel("ncclDevKernel_SendRecv", 5, 100, 9, 1);
  const ImportedWorkload imported = import_workload(std::vector{profile.write()}, {});
  EXPECT_EQ(imported.workload.program_of(0).operations.back().duration, Time::microseconds(100));
  EXPECT_THAT(imported.notes,
              ::testing::Contains(HasSubstr("1 NCCL kernels keep their recorded time: no size")));
}

TEST(KinetoWorkload, RejectsWhatItCannotRead) {
  const auto error_of = [](const std::string& text, const TraceImport& how = {}) {
    const fs::path path = fs::path(::testing::TempDir()) / "kineto_test_bad.json";
    std::ofstream(path) << text;
    try {
      (void)import_workload(std::vector{path.string()}, how);
    } catch (const InputError& error) {
      return to_text(error.diagnostics().front());
    }
    return std::string();
  };
  const std::string whole = overlapped().text();
  EXPECT_THAT(error_of(whole.substr(0, whole.size() / 2)), HasSubstr("is not JSON"));
  EXPECT_THAT(error_of(R"({"traceEvents": []})"), HasSubstr("no event of a GPU"));
  std::string deep = R"({"schemaVersion": 1, "traceEvents": )";
  for (int i = 0; i < 100; ++i) deep += "[";
  EXPECT_THAT(error_of(deep), HasSubstr("deeper than 64"));
  TraceImport three;
  three.world = 3;
  EXPECT_THAT(error_of(whole, three), HasSubstr("process group '0' of ranks 0-1 does not repeat"));
  EXPECT_EQ(error_of(whole), "");
}

// Two A100, three iterations of data-parallel training. 2 % is what a re-timing may be off; most
// events begin within a microsecond of the record.
TEST(KinetoOrder, ReproducesARecordedTraining) {
  const fs::path file = railyard::testing::truth_path("traces/kineto/ddp_2xA100_rank0.json.gz");
  if (file.empty()) GTEST_SKIP() << "no ../shared/truth/traces beside this checkout";
  const KinetoTrace trace = read_kineto(file.string());
  EXPECT_EQ(trace.gpu.size(), 2700U + 960 + 114);
  EXPECT_EQ(std::ranges::count_if(trace.gpu, &KinetoGpuEvent::is_nccl), 21);
  const KinetoOrder order = order_of_kineto(trace);
  std::int64_t host = 0, end = 0;
  std::map<std::int64_t, std::int64_t> streams;
  std::vector<std::int64_t> ends;
  std::size_t close = 0;
  for (const KinetoStep& step : order.steps) {
    const bool is_host = step.gpu == KinetoStep::kHost;
    std::int64_t& stream = is_host ? host : streams[trace.gpu[step.gpu].stream];
    for (const std::uint32_t other : step.after) stream = std::max(stream, ends[other]);
    stream += step.delay;
    if (!is_host) {
      const KinetoSpan& span = trace.gpu[step.gpu].span;
      close += std::abs(stream - (span.begin - order.begin)) <= 1000 ? 1 : 0;
      stream += span.end - span.begin;
    }
    end = std::max(end, stream);
    ends.push_back(stream);
  }
  const double recorded = static_cast<double>(order.end - order.begin);
  EXPECT_NEAR(static_cast<double>(end), recorded, 0.02 * recorded);
  EXPECT_GT(close, trace.gpu.size() * 95 / 100);
}

}  // namespace
}  // namespace railyard::collectives
