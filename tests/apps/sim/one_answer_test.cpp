#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/apps/command_result.hpp"
#include "tests/apps/csv_rows.hpp"

/// Two commands, or two flags, that ask for the same get the same answer.
namespace railyard::apps::testing {
namespace {

Ended railyard(const std::string& arguments) {
  return run_in_shell("cd \"" RAILYARD_SOURCE_DIR "\" && " RAILYARD_EXECUTABLE " " + arguments);
}

/// The rows of a command's CSV, none of which has a quoted comma before the columns read here.
std::vector<CsvRow> rows_of(const std::string& arguments) {
  return csv_rows(railyard(arguments + " --csv - 2>/dev/null").text);
}

double time_of(const std::string& arguments) {
  const auto rows = rows_of(arguments);
  EXPECT_EQ(rows.size(), 1u) << arguments;
  return rows.empty() ? std::nan("") : std::stod(rows.front().at("time_us"));
}

TEST(OneAnswer, ALimitOnChannelsByFlagOrByEnvironment) {
  const std::string one_node = "sim --cluster dgx_h100_ndr400 --nodes 1 --bytes 256M ";
  for (const char* fidelity : {"analytic", "flow"}) {
    const std::string base = one_node + "--fidelity " + fidelity;
    EXPECT_EQ(time_of(base + " --algorithm ring --env NCCL_MAX_NCHANNELS=1"),
              time_of(base + " --algorithm ring --channels 1"));
    EXPECT_EQ(time_of(base + " --algorithm nvls --env NCCL_NVLS_NCHANNELS=4"),
              time_of(base + " --algorithm nvls --channels 4"));
    EXPECT_GT(time_of(base + " --algorithm nvls --env NCCL_MAX_CTAS=4"),
              3 * time_of(base + " --algorithm nvls"));
  }
}

/// Every algorithm and protocol that NCCL may choose takes as long in explain as in sim.
void expect_explain_is_sim(const std::string& arguments) {
  int compared = 0;
  for (const CsvRow& row : rows_of("explain " + arguments)) {
    if (row.at("allowed") != "true" || row.at("predicted_us").empty()) continue;
    const double simulated = time_of("sim --fidelity analytic " + arguments + " --algorithm " +
                                     row.at("algorithm") + " --protocol " + row.at("protocol"));
    EXPECT_NEAR(std::stod(row.at("predicted_us")), simulated, 1e-6 * simulated)
        << arguments << ": " << row.at("algorithm") << " " << row.at("protocol");
    ++compared;
  }
  EXPECT_GT(compared, 0) << arguments;
}

TEST(OneAnswer, OfExplainAndAnalyticSim) {
  const std::string h100 = "--cluster dgx_h100_ndr400 --nodes 4 --bytes 64M ";
  expect_explain_is_sim(h100);
  expect_explain_is_sim(h100 + "--degrade node0/nic0:0.1");
  expect_explain_is_sim(h100 + "--fail node1/nic3");
  expect_explain_is_sim(h100 + "--channels 2");
  expect_explain_is_sim(h100 + "--env NCCL_MAX_NCHANNELS=2");
  expect_explain_is_sim(h100 + "--timing nominal");
  expect_explain_is_sim(
      "--cluster clos_baidu_roce --nodes 32 --collective all_to_all --bytes 64M --routing ecmp "
      "--qps 2 --seed 5");
}

// The multicast kernel of 8 H100 puts 64 MiB (1 + 1/8) on the bus at 480 GiB/s, which two blocks of
// 8 * 65 GiB/s reach: 7.8 + 146.48 - 1 us by NCCL's estimate. A GPU's NVLinks carry 450 GB/s:
// 167.77 us. One process per GPU adds 0.5 us to a call.
TEST(OneAnswer, RegisteredBuffersHaveTheKernelThatExplainChooses) {
  const std::string base = "--cluster dgx_h100_ndr400 --nodes 1 --bytes 64M --nccl 2.32 ";
  for (const char* fidelity : {"analytic", "flow"}) {
    const auto rows = rows_of("sim --registered --fidelity " + std::string(fidelity) + " " + base);
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows.front().at("algorithm"), "AllReduce_RSxLDMC_AGxSTMC");
    const double bus = 64.0 * 1048576 * 9 / 8 / 450e3;
    EXPECT_NEAR(std::stod(rows.front().at("time_us")), 7.8 + bus + 0.5, 0.02) << fidelity;
  }
  // The estimate itself, before links hold it back: 7.8 + 146.48 - 1 us, on two blocks.
  std::istringstream lines(railyard("explain --registered " + base + "2>/dev/null").text);
  for (std::string line; std::getline(lines, line);) {
    if (line.find("AllReduce_RSxLDMC_AGxSTMC") == std::string::npos) continue;
    EXPECT_NE(line.find("153.29"), std::string::npos) << line;
  }
  // An algorithm by name is what runs, and there are no kernels for other collectives.
  EXPECT_EQ(time_of("sim --registered --algorithm ring " + base),
            time_of("sim --algorithm ring " + base));
  EXPECT_EQ(time_of("sim --registered --collective broadcast " + base),
            time_of("sim --collective broadcast " + base));
}

// 8 H100 gather 64 MiB by unicast: 17.5 + 8 * 1.957 + 7 * 8 MiB / 392 GB/s = 182.95 us, and 0.5 us
// for one process per GPU. NCCL does not compare that with its kernels, which are faster.
TEST(OneAnswer, CopyEnginesRunWhereThePolicyIsZero) {
  const std::string base =
      "sim --registered --cluster dgx_h100_ndr400 --nodes 1 --bytes 64M --nccl 2.32 "
      "--collective all_gather ";
  for (const char* fidelity : {"analytic", "flow"}) {
    const auto rows = rows_of(base + "--env NCCL_CTA_POLICY=2 --fidelity " + std::string(fidelity));
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows.front().at("algorithm"), "CE AllGather_UC");
    EXPECT_NEAR(std::stod(rows.front().at("time_us")), 182.95 + 0.5, 0.05) << fidelity;
  }
  EXPECT_LT(time_of(base), 183);
  const auto refusal = [](const std::string& arguments) {
    return railyard(arguments + " 2>&1").text;
  };
  EXPECT_NE(refusal("sim --cluster dgx_h100_ndr400 --nodes 1 --bytes 64M --env NCCL_CTA_POLICY=2")
                .find("copy engines move registered buffers only"),
            std::string::npos);
  EXPECT_NE(refusal(base + "--env NCCL_CTA_POLICY=1").find("EFFICIENCY is not modelled"),
            std::string::npos);
}

// A ring crosses every node in the same way; in a tree it matters where the slow node is.
TEST(OneAnswer, AFailedNicIsNotInTheGraphWhereverItIs) {
  const std::string base =
      "sim --cluster dgx_h100_ndr400 --nodes 4 --bytes 256M --fidelity analytic "
      "--algorithm ring ";
  const double healthy = time_of(base);
  const double first = time_of(base + "--fail node0/nic3");
  EXPECT_GT(first, 1.05 * healthy);
  EXPECT_NEAR(time_of(base + "--fail node2/nic3"), first, 1e-6 * first);
  EXPECT_NEAR(time_of(base + "--fail node2/nic3@0s"), first, 1e-6 * first);
}

TEST(OneAnswer, ANicThatFailsDuringTheRunStopsNccl) {
  const std::string base =
      "sim --cluster dgx_h100_ndr400 --nodes 4 --bytes 256M --fail node0/nic3@1ms ";
  const std::string on = "--env NCCL_IB_RESILIENCY_PORT_FAILOVER=1 ";
  const auto error_of = [&](const std::string& flags) {
    const Ended ended = railyard(base + flags + "2>&1");
    EXPECT_EQ(ended.code, 2) << ended.text;
    return ended.text;
  };
  EXPECT_NE(error_of("").find("port failover is off"), std::string::npos);
  EXPECT_NE(error_of(on).find("another NIC of the same GPU"), std::string::npos);
  EXPECT_NE(error_of(on + "--nccl 2.28 ").find("needs 2.29.7"), std::string::npos);
}

TEST(OneAnswer, OfTheSeedInTheClusterFileAndTheFlag) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(::testing::TempDir()) / "railyard_seed";
  fs::create_directories(folder);
  std::ostringstream text;
  text << std::ifstream(RAILYARD_SOURCE_DIR "/configs/clusters/clos_baidu_roce.json").rdbuf();
  std::string spec = text.str();
  const std::string policy = R"("routing": {"policy": "ecmp")";
  const auto at = spec.find(policy);
  ASSERT_NE(at, std::string::npos);
  spec.insert(at + policy.size(), R"(, "seed": 7)");
  const fs::path file = folder / "seeded.json";
  std::ofstream(file) << spec;
  const std::string rest = " --nodes 32 --collective all_to_all --algorithm direct --bytes 64M ";
  const std::string mine = "sim --cluster '" + file.string() + "'" + rest;
  const std::string shipped = "sim --cluster clos_baidu_roce" + rest;
  EXPECT_EQ(time_of(mine), time_of(shipped + "--seed 7"));
  EXPECT_EQ(time_of(mine + "--seed 1"), time_of(shipped));
  EXPECT_NE(time_of(mine), time_of(shipped));
  EXPECT_EQ(rows_of(mine).front().at("seed"), "7");
  EXPECT_EQ(rows_of(shipped).front().at("seed"), "1");
  const std::string placed =
      railyard("place --cluster '" + file.string() +
               "' --nodes 2 --job llama3_8b --fix zero=1 --json - 2>/dev/null")
          .text;
  EXPECT_NE(placed.find("\"seed\":7"), std::string::npos) << placed.substr(0, 400);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace railyard::apps::testing
