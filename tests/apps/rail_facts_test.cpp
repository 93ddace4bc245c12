#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <sstream>

#include "tests/apps/transcript.hpp"

// Public measurements of rails and hashing (sources: docs/studies/all_to_all_rails.md) beside the
// simulation.
namespace railyard::apps::testing {
namespace {

namespace fs = std::filesystem;

/// busbw that `railyard sim` prints: column 11 of a collective row.
double bus_bandwidth(const std::string& flags) {
  const std::string tmp = fs::path(::testing::TempDir()) / "rail_facts";
  fs::create_directories(tmp);
  const Transcript done = run_again(
      {.comment = {}, .command = "railyard sim " + flags + " --csv -", .out = {}, .err = {}}, tmp);
  EXPECT_EQ(done.exit_code, 0) << done.err;
  std::istringstream lines(done.out);
  std::string line, last;
  while (std::getline(lines, line)) last = line;
  std::istringstream row(last);
  std::string cell;
  for (int column = 1; column <= 11; ++column) std::getline(row, cell, ',');
  return cell.empty() ? -1 : std::stod(cell);
}

// nccl-tests issues 130 and 267: 48 to 49 GB/s per ConnectX-7, and N/(N-1) of it on N nodes: 2
// x 48.5 = 97 and 4/3 x 48.5 = 64.7.
TEST(RailFacts, AllToAllOfTwoAndFourNodesIsWhatTheNicsCarry) {
  const std::string flags = "--cluster hgx_h200_ndr400 --collective all_to_all --bytes 4G --nodes ";
  EXPECT_NEAR(bus_bandwidth(flags + "2"), 97, 9.7);
  EXPECT_NEAR(bus_bandwidth(flags + "4"), 64.7, 6.5);
}

// Meta, SIGCOMM 2024: all-reduce gains up to 40 % by E-ECMP and queue pairs. One ring alone may
// gain more: its slowest collision counts.
TEST(RailFacts, QueuePairsGainAtLeastWhatWasMeasuredOverPlainEcmp) {
  const std::string flags =
      "--cluster clos_baidu_roce --nodes 64 --collective all_reduce --algorithm ring --bytes 1G "
      "--routing ecmp --qps ";
  const double gain = bus_bandwidth(flags + "4") / bus_bandwidth(flags + "1");
  EXPECT_GT(gain, 1.3);
  EXPECT_LT(gain, 2.0);
}

// Merged sends are fewer and larger, so that ECMP spreads them worse; balanced ports spread all.
TEST(RailFacts, EcmpCostsPxnMoreThanDirectSendsWhereUnitsHoldAllRails) {
  const std::string flags =
      "--cluster clos_baidu_roce --nodes 16 --collective all_to_all --bytes 256M ";
  const std::string direct = "--env NCCL_PXN_DISABLE=1 ";
  const double ecmp_pxn = bus_bandwidth(flags + "--routing ecmp --qps 1");
  const double ecmp_direct = bus_bandwidth(flags + direct + "--routing ecmp --qps 1");
  const double even_pxn = bus_bandwidth(flags + "--routing balanced");
  const double even_direct = bus_bandwidth(flags + direct + "--routing balanced");
  EXPECT_LT(ecmp_pxn, 0.85 * even_pxn);
  EXPECT_GT(ecmp_direct, 0.9 * even_direct);
  EXPECT_NEAR(even_pxn, even_direct, 0.05 * even_direct);
}

// The demo's headlines (script/demo). Eight nodes a leaf, 2:1: 8 connections of a rail share 4
// uplinks. A ring sends one NIC's rate up from a leaf, which any one uplink carries.
TEST(RailFacts, EcmpCostsAnAllToAllOfTheDemoAndNotItsRing) {
  const std::string tmp = fs::path(::testing::TempDir()) / "rail_facts";
  fs::create_directories(tmp);
  const Transcript imported = run_again(
      {.comment = {},
       .command = "railyard topo import configs/examples/h100_host.xml --nodes 32 --fabric "
                  "rail_clos --transport roce --nodes-per-unit 8 --units-per-pod 2 "
                  "--leaf-oversubscription 2 -o $TMP/demo.json",
       .out = {},
       .err = {}},
      tmp);
  ASSERT_EQ(imported.exit_code, 0) << imported.err;
  const std::string ring = "--cluster $TMP/demo.json --algorithm ring --bytes 1G --routing ";
  EXPECT_EQ(bus_bandwidth(ring + "rail"), bus_bandwidth(ring + "ecmp"));
  const std::string sends =
      "--cluster $TMP/demo.json --collective all_to_all --bytes 256M --routing ";
  EXPECT_LT(bus_bandwidth(sends + "ecmp"), 0.85 * bus_bandwidth(sends + "rail"));
}

}  // namespace
}  // namespace railyard::apps::testing
