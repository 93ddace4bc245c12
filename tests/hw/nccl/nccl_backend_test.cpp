#include "hw/nccl/nccl_backend.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "collectives/algorithms/algorithm.hpp"
#include "core/config/enum_names.hpp"
#include "core/diagnostic.hpp"
#include "hw/nccl/rank_program.hpp"
#include "tests/hw/schedules.hpp"

// NCCL and CUDA are tests/hw/fake_nccl: the same code runs, on host memory.
namespace railyard::hw::nccl {
namespace {

using collectives::Collective;
using collectives::DataType;
using collectives::Kind;
using collectives::ReduceOp;
using testing::cluster_of;

/// An environment variable, for as long as it lives.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    setenv(name, value.c_str(), 1);
  }
  ~Variable() { unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

LiveOptions options_for(std::uint32_t ranks) {
  LiveOptions options{.ranks = ranks, .timeout = Time::nanoseconds(20'000'000'000)};
  options.gpu.libraries = RAILYARD_FAKE_GPU;
  return options;
}

/// Elements that no number of ranks or channels divides evenly, in each of the blocks.
Bytes uneven_bytes(Kind kind, std::uint32_t ranks, Bytes element) {
  const bool in_blocks =
      kind == Kind::all_gather || kind == Kind::reduce_scatter || kind == Kind::all_to_all;
  return element * (in_blocks ? 203LL * ranks : 2003LL);
}

/// Runs twice, so that what one run leaves behind shows in the next, and checks the second.
CheckResult checked(NcclBackend& backend, const LiveTask& task) {
  EXPECT_EQ(backend.why_not(task), "");
  const auto run = backend.prepare(task);
  run->reset();
  (void)run->run(1);
  run->restore();
  const std::vector<Span> spans = run->run(1);
  EXPECT_EQ(spans.size(), backend.ranks());
  for (const Span& span : spans) EXPECT_LE(span.begin, span.end);
  return run->check();
}

void run_every_algorithm(NcclBackend& backend, const topology::Cluster& cluster,
                         Collective collective) {
  const auto group = std::make_shared<const collectives::Group>(
      collectives::Group::first(cluster, cluster.rank_count()));
  collective.bytes = uneven_bytes(collective.kind, group->size(), size_of(collective.type));
  int ran = 0;
  for (const collectives::Algorithm& algorithm : collectives::algorithms()) {
    const collectives::Request request{
        .cluster = cluster, .group = group, .collective = collective, .options = {}};
    if (!algorithm.supports(collective.kind) || !algorithm.why_not(request).empty()) continue;
    SCOPED_TRACE(std::string(algorithm.name));
    const collectives::Schedule schedule = algorithm.build(request);
    const LiveTask task{.collective = collective, .schedule = &schedule};
    if (!schedule.reducers().empty()) {
      EXPECT_THAT(backend.why_not(task), ::testing::HasSubstr("reduces in switches"));
      continue;
    }
    const CheckResult check = checked(backend, task);
    EXPECT_EQ(check.wrong, 0) << check.first_wrong;
    ++ran;
  }
  EXPECT_GT(ran, 0);
}

struct Shape {
  int nodes, gpus;
};

TEST(NcclBackend, EveryAlgorithmOfEveryKindGivesTheRightResult) {
  const Variable gpus("FAKE_GPUS", "9");
  for (const Shape shape : {Shape{1, 1}, Shape{1, 2}, Shape{2, 2}, Shape{1, 7}, Shape{3, 3}}) {
    const auto cluster = cluster_of(shape.nodes, shape.gpus);
    const auto ranks = static_cast<std::uint32_t>(cluster.rank_count());
    NcclBackend backend(std::make_unique<SingleProcessWorld>(), options_for(ranks));
    ASSERT_EQ(backend.ranks(), ranks);
    for (const auto& [kind, name] : core::EnumNames<Kind>::table) {
      SCOPED_TRACE(std::string(name) + " on " + std::to_string(shape.nodes) + " nodes of " +
                   std::to_string(shape.gpus));
      run_every_algorithm(backend, cluster, {.kind = kind, .bytes = Bytes(), .root = ranks - 1});
    }
  }
}

TEST(NcclBackend, EveryTypeAndOperationIsReducedByTheKernelAndByNccl) {
  const auto cluster = cluster_of(1, 3);
  NcclBackend backend(std::make_unique<SingleProcessWorld>(), options_for(3));
  for (const auto& [type, type_name] : core::EnumNames<DataType>::table) {
    for (const auto& [op, op_name] : core::EnumNames<ReduceOp>::table) {
      SCOPED_TRACE(std::string(type_name) + " " + std::string(op_name));
      const Collective collective{
          .kind = Kind::all_reduce, .bytes = size_of(type) * 1009LL, .type = type, .op = op};
      run_every_algorithm(backend, cluster, collective);
      const CheckResult check = checked(backend, {.collective = collective});
      EXPECT_EQ(check.wrong, 0) << check.first_wrong;
    }
  }
}

TEST(NcclBackend, NativeCollectivesInPlaceAndOutOfPlace) {
  NcclBackend backend(std::make_unique<SingleProcessWorld>(), options_for(4));
  for (const auto& [kind, name] : core::EnumNames<Kind>::table) {
    for (const bool in_place : {true, false}) {
      SCOPED_TRACE(std::string(name) + (in_place ? " in place" : ""));
      const LiveTask task{
          .collective = {.kind = kind, .bytes = uneven_bytes(kind, 4, Bytes(4)), .root = 2},
          .in_place = in_place};
      if (in_place && (kind == Kind::all_to_all || kind == Kind::send_recv)) {
        EXPECT_THAT(backend.why_not(task), ::testing::HasSubstr("does not run in place"));
        continue;
      }
      const CheckResult check = checked(backend, task);
      EXPECT_EQ(check.wrong, 0) << check.first_wrong;
    }
  }
}

TEST(NcclBackend, GraphsRegisteredBuffersAndEventsGiveTheSameResult) {
  LiveOptions options = options_for(4);
  options.gpu.graph = true;
  options.gpu.registered = true;
  options.gpu.events = true;
  NcclBackend backend(std::make_unique<SingleProcessWorld>(), options);
  run_every_algorithm(backend, cluster_of(2, 2), {.kind = Kind::all_reduce, .bytes = Bytes()});
  const LiveTask task{.collective = {.kind = Kind::all_gather, .bytes = Bytes(4096)}};
  EXPECT_EQ(checked(backend, task).wrong, 0);
}

TEST(NcclBackend, LargeMessagesThroughARelayGoInPartsAndArriveWhole) {
  const auto cluster = cluster_of(2, 2);
  const auto group = std::make_shared<const collectives::Group>(
      collectives::Group::first(cluster, cluster.rank_count()));
  // Blocks of 3 MiB and a bit: three parts of what PXN relays.
  const Collective collective{.kind = Kind::all_to_all,
                              .bytes = Bytes(4 * ((std::int64_t{3} << 20) + 4 * 77))};
  const auto schedule =
      collectives::find_algorithm("rail_pxn")
          ->build({.cluster = cluster, .group = group, .collective = collective, .options = {}});
  EXPECT_GT(compile_rank(schedule, 0).rounds.size(), 2u);
  NcclBackend backend(std::make_unique<SingleProcessWorld>(), options_for(4));
  const CheckResult check = checked(backend, {.collective = collective, .schedule = &schedule});
  EXPECT_EQ(check.wrong, 0) << check.first_wrong;
}

TEST(NcclBackend, SchedulesRunOutOfPlace) {
  const auto cluster = cluster_of(1, 4);
  const auto group = std::make_shared<const collectives::Group>(
      collectives::Group::first(cluster, cluster.rank_count()));
  const Collective collective{.kind = Kind::all_reduce, .bytes = Bytes(8012)};
  const auto schedule = collectives::find_algorithm("ring")->build(
      {.cluster = cluster, .group = group, .collective = collective, .options = {}});
  NcclBackend backend(std::make_unique<SingleProcessWorld>(), options_for(4));
  EXPECT_EQ(
      checked(backend, {.collective = collective, .schedule = &schedule, .in_place = false}).wrong,
      0);
}

TEST(NcclBackend, AByteThatArrivesWrongIsFound) {
  const Variable fault("FAKE_FAULT", "corrupt:recv:1");
  const auto run_once = [] {
    NcclBackend backend(std::make_unique<SingleProcessWorld>(), options_for(2));
    const Collective collective{.kind = Kind::send_recv, .bytes = Bytes(4096)};
    const auto run = backend.prepare({.collective = collective, .in_place = false});
    run->reset();
    (void)run->run(1);
    const CheckResult check = run->check();
    std::fprintf(stderr, "wrong %lld: %s", static_cast<long long>(check.wrong),
                 check.first_wrong.c_str());
    std::_Exit(check.wrong == 1 ? 0 : 1);
  };
  EXPECT_EXIT(run_once(), ::testing::ExitedWithCode(0), "wrong 1: rank 1, block 0, byte offset 0");
}

/// What a backend says when it fails, in a process of its own.
void expect_failure(std::uint32_t ranks, const std::string& fault, const std::string& text) {
  const Variable variable("FAKE_FAULT", fault);
  const auto run_once = [ranks] {
    try {
      LiveOptions options = options_for(ranks);
      options.timeout = Time::nanoseconds(500'000'000);
      NcclBackend backend(std::make_unique<SingleProcessWorld>(), options);
      const auto run =
          backend.prepare({.collective = {.kind = Kind::all_reduce, .bytes = Bytes(4096)}});
      run->reset();
      (void)run->run(1);
      std::_Exit(0);
    } catch (const BackendError& error) {
      std::fprintf(stderr, "%s", error.what());
      std::_Exit(3);
    }
  };
  EXPECT_EXIT(run_once(), ::testing::ExitedWithCode(3), text);
}

TEST(NcclBackend, FailuresNameHostRankAndCall) {
  expect_failure(2, "fail:ncclAllReduce:1:2",
                 "host [^ ]+, rank 1: ncclAllReduce: unhandled system error");
  expect_failure(2, "fail:ncclCommInitRank:0:1", "rank 0: ncclCommInitRank: unhandled cuda error");
  expect_failure(2, "fail:cudaMalloc:1:2",
                 "rank 1: cudaMalloc: out of memory \\(2\\) for 0.00 GiB");
  expect_failure(9, "", "rank [4-8]: cudaSetDevice: GPU [4-8] is wanted, and there are 4");
}

TEST(NcclBackend, WhatHangsIsNamedWithinTheTimeout) {
  expect_failure(2, "hang:ncclAllReduce:1",
                 "rank 1: ncclAllReduce did not end within 500 ms; 1 more");
  expect_failure(2, "stall:stream:0",
                 "waiting for the GPU \\(cudaStreamQuery\\) did not end within 500 ms");
  expect_failure(2, "hang:ncclCommInitRank:0", "rank 0: ncclCommInitRank did not end");
}

TEST(NcclBackend, WithoutDriverOrLibraryItSaysSo) {
  const Variable error("FAKE_CUDA_ERROR", "35");
  try {
    NcclBackend backend(std::make_unique<SingleProcessWorld>(), options_for(0));
    FAIL();
  } catch (const BackendError& failure) {
    EXPECT_THAT(
        failure.what(),
        ::testing::HasSubstr("rank 0: cudaGetDeviceCount: CUDA driver version is insufficient"));
  }
  try {
    const GpuLibraries libraries("/nowhere");
    FAIL();
  } catch (const BackendError& failure) {
    EXPECT_THAT(failure.what(), ::testing::HasSubstr("libnccl.so.2 was not found"));
    EXPECT_THAT(failure.what(), ::testing::HasSubstr("--libraries"));
  }
}

TEST(NcclBackend, RanksShareAGpuFromNccl230On) {
  const Variable gpus("FAKE_GPUS", "1");
  LiveOptions options = options_for(3);
  options.gpu.share = true;
  {
    NcclBackend backend(std::make_unique<SingleProcessWorld>(), options);
    EXPECT_THAT(
        backend.notes(),
        ::testing::ElementsAre(::testing::HasSubstr("bandwidths are not those of the hardware")));
    EXPECT_EQ(
        checked(backend, {.collective = {.kind = Kind::all_reduce, .bytes = Bytes(64)}}).wrong, 0);
  }
  unsetenv("NCCL_MULTI_RANK_GPU_ENABLE");
  const Variable version("FAKE_NCCL_VERSION", "22809");
  EXPECT_THROW(NcclBackend(std::make_unique<SingleProcessWorld>(), options), BackendError);
}

}  // namespace
}  // namespace railyard::hw::nccl
