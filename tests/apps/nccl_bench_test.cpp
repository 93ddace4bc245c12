#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "tests/apps/command_result.hpp"
#include "tests/free_port.hpp"

// `railyard bench --backend nccl` from the command line, with tests/hw/fake_nccl in NCCL's place.
namespace railyard::apps::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// `environment` is "NAME=value ..." before the command.
Ended bench(const std::string& environment, const std::string& flags) {
  const std::string command = "env -u RANK -u WORLD_SIZE -u MASTER_ADDR " + environment + " " +
                              RAILYARD_EXECUTABLE + " bench --backend nccl --libraries " +
                              RAILYARD_FAKE_GPU + " " + flags + " 2>&1";
  return run_in_shell(command);
}

/// One process per rank, as torchrun starts them; how each ended.
std::vector<Ended> launch(int processes, const std::string& environment, const std::string& flags) {
  const std::uint16_t port = railyard::testing::free_port();
  std::vector<Ended> ended(static_cast<std::size_t>(processes));
  std::vector<std::thread> threads;
  for (int process = 0; process < processes; ++process) {
    threads.emplace_back([&, process] {
      const std::string place = "RANK=" + std::to_string(process) +
                                " WORLD_SIZE=" + std::to_string(processes) +
                                " MASTER_ADDR=127.0.0.1 MASTER_PORT=" + std::to_string(port) + " ";
      ended[static_cast<std::size_t>(process)] = bench(place + environment, flags);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return ended;
}

TEST(NcclBench, SchedulesAndNativeCollectivesRunOnAllGpusOfAProcess) {
  const Ended ours = bench("FAKE_GPUS=3", "--bytes 12000 -n 2 --algorithm ring --csv - ");
  EXPECT_EQ(ours.code, 0) << ours.text;
  EXPECT_THAT(ours.text, HasSubstr("all_reduce,ring,simple,1,nccl,3,1,12000,"));
  const Ended native = bench(
      "", "--gpus 4 --bytes 4K -n 2 --algorithm native --place both --graph --registered --csv -");
  EXPECT_EQ(native.code, 0) << native.text;
  EXPECT_THAT(native.text, HasSubstr("all_reduce,native,,0,nccl,4,1,4096,"));
}

TEST(NcclBench, WhatNcclChoseIsReadFromItsLogInBothForms) {
  for (const char* version : {"FAKE_NCCL_VERSION=23007", "FAKE_NCCL_VERSION=22005"}) {
    const Ended ended =
        bench(version, "--gpus 2 --bytes 256K -n 2 --algorithm native --nccl-log --csv -");
    EXPECT_EQ(ended.code, 0) << ended.text;
    EXPECT_THAT(ended.text, HasSubstr("all_reduce,native:ring,simple,")) << version;
  }
}

TEST(NcclBench, PredictionsAreThoseOfTheLoadedRelease) {
  const std::string flags =
      "--gpus 2 --bytes 256K -n 2 --algorithm native --predict dgx_b200_ndr400 --ranks 0-1 --csv -";
  const Ended modelled = bench("FAKE_NCCL_VERSION=23206", flags);
  EXPECT_EQ(modelled.code, 0) << modelled.text;
  EXPECT_THAT(modelled.text, Not(HasSubstr("is not modelled")));
  const Ended newer = bench("FAKE_NCCL_VERSION=23301", flags);
  EXPECT_EQ(newer.code, 0) << newer.text;
  EXPECT_THAT(newer.text, HasSubstr("note: predictions: NCCL 2.33.1 is not modelled; the answer "
                                    "uses NCCL 2.32.6, the nearest modelled release"));
}

TEST(NcclBench, AWrongElementIsAFinding) {
  const Ended ended =
      bench("FAKE_FAULT=corrupt:recv:1::9", "--gpus 2 --bytes 4K -n 1 -w 1 --algorithm ring");
  // Two receives a run: warm-up, one iteration and the check make six; the ninth never comes.
  EXPECT_EQ(ended.code, 0) << ended.text;
  const Ended found =
      bench("FAKE_FAULT=corrupt:recv:1::6", "--gpus 2 --bytes 4K -n 1 -w 1 --algorithm ring");
  EXPECT_EQ(found.code, 1) << found.text;
  EXPECT_THAT(found.text, HasSubstr("1 wrong elements; rank 1, block 0"));
}

TEST(NcclBench, ProcessesFindEachOtherWithoutMpi) {
  const auto ended = launch(3, "", "--bytes 64K -n 2 --algorithm ring --timeout '20 s' --csv -");
  for (const Ended& one : ended) EXPECT_EQ(one.code, 0) << one.text;
  EXPECT_THAT(ended[0].text, HasSubstr("all_reduce,ring,simple,1,nccl,3,1,65536,"));
  EXPECT_EQ(ended[1].text, "");
}

TEST(NcclBench, ADeadPeerEndsAllWithExitCode3) {
  const auto ended = launch(3, "FAKE_FAULT=die:ncclGroupEnd:2",
                            "--bytes 64K -n 2 --algorithm ring --timeout '10 s'");
  EXPECT_EQ(ended[2].code, 3) << "the child was killed, which railyard reports as 3";
  for (const int rank : {0, 1}) {
    const Ended& one = ended[static_cast<std::size_t>(rank)];
    EXPECT_EQ(one.code, 3) << one.text;
    EXPECT_THAT(one.text, ::testing::ContainsRegex("host [^ ]+, rank [012]: "));
  }
  EXPECT_THAT(ended[0].text, HasSubstr("remote process exited or there was a network error (6)"));
}

TEST(NcclBench, AHungRankIsNamedWithinTheTimeout) {
  const Ended ended = bench("FAKE_FAULT=hang:ncclGroupEnd:1",
                            "--gpus 3 --bytes 1K --algorithm ring --timeout '1 s'");
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.text, HasSubstr("rank 1: ncclGroupEnd did not end within 1 s; 2 more ranks"));
}

TEST(NcclBench, FailuresNameHostRankAndCall) {
  const Ended error = bench("FAKE_FAULT=fail:ncclSend:1:3", "--gpus 2 --bytes 1K --algorithm ring");
  EXPECT_EQ(error.code, 3);
  EXPECT_THAT(error.text, ::testing::ContainsRegex("host [^ ]+, rank 1: ncclSend: internal error"));
  const Ended missing = bench("FAKE_GPUS=2", "--gpus 3 --bytes 1K");
  EXPECT_EQ(missing.code, 3);
  EXPECT_THAT(missing.text, HasSubstr("rank 2: cudaSetDevice: GPU 2 is wanted, and there are 2"));
  const Ended driver = bench("FAKE_CUDA_ERROR=35", "--bytes 1K");
  EXPECT_EQ(driver.code, 3);
  EXPECT_THAT(driver.text, HasSubstr("cudaGetDeviceCount: CUDA driver version is insufficient"));
}

TEST(NcclBench, RanksThatShareAGpuAreWarnedAbout) {
  const Ended ended =
      bench("FAKE_GPUS=1", "--gpus 2 --share-gpus --bytes 1K -n 1 --algorithm native");
  EXPECT_EQ(ended.code, 0) << ended.text;
  EXPECT_THAT(ended.text, HasSubstr("bandwidths are not those of the hardware"));
  const Ended old =
      bench("FAKE_GPUS=1 FAKE_NCCL_VERSION=22809", "--gpus 2 --share-gpus --bytes 1K");
  EXPECT_EQ(old.code, 3);
  EXPECT_THAT(old.text, HasSubstr("--share-gpus needs NCCL 2.30, and this is 2.28.9"));
}

TEST(NcclBench, WhatHasNoFormInPlaceRunsOutOfPlace) {
  const Ended ended = bench(
      "", "--gpus 2 --bytes 1K -n 1 --algorithm native --collective all_to_all --csv - -d bf16");
  EXPECT_EQ(ended.code, 0) << ended.text;
  EXPECT_THAT(ended.text, HasSubstr(",false\n"));
  EXPECT_THAT(ended.text, ::testing::Not(HasSubstr(",true\n")));
}

TEST(NcclBench, WrongFlagsAreWrongInput) {
  EXPECT_EQ(bench("", "--bytes 1K --env PATH=x").code, 2);
  const Ended in_place =
      bench("", "--gpus 2 --bytes 1K --algorithm native --collective all_to_all --place in");
  EXPECT_EQ(in_place.code, 2);
  EXPECT_THAT(in_place.text, HasSubstr("ncclAlltoAll does not run in place"));
  EXPECT_EQ(bench("", "--gpus 2 --bytes 1K --trace /tmp/never.json").code, 2);
}

}  // namespace
}  // namespace railyard::apps::testing
