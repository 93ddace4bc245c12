#include "hw/probe/host_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hw/probe/describe.hpp"

namespace railyard::hw {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

ProbedNode node_of(const std::string& host, int ranks, std::int64_t megabits) {
  Machine machine;
  machine.host = host;
  machine.numas = {{.number = 0, .cores = 4, .cpumap = "f"}};
  machine.ports = {{.name = "eth0",
                    .address = {},
                    .guid = "guid of " + host,
                    .rate = Bandwidth::gigabits_per_second(25)}};
  const Bandwidth rate = Bandwidth::megabits_per_second(megabits);
  ProbedNode probed;
  probed.node = describe_host_node(machine, ranks, {.all_cores = rate, .cores = 4}).node;
  probed.transport = "tcp";
  probed.timing = HostTiming{.launch = Time::microseconds(2),
                             .step = Time::nanoseconds(700),
                             .rate = Bandwidth::megabits_per_second(megabits / ranks),
                             .cached_rate = {}};
  probed.notes = {"a note", "another: with 3:7 in it"};
  return probed;
}

TEST(HostReport, TravelsAsItIs) {
  const HostReport report = report_of("h1", node_of("h1", 4, 80'000));
  const HostReport back = unpacked(packed(report));
  EXPECT_EQ(back.host, "h1");
  EXPECT_EQ(back.node_file, report.node_file);
  EXPECT_EQ(back.gpu_file, report.gpu_file);
  EXPECT_EQ(back.rate, 20'000'000'000);
  EXPECT_EQ(back.step, Time::nanoseconds(700).picoseconds());
  EXPECT_EQ(back.notes, report.notes);
}

TEST(HostKinds, EqualMachinesAreOneKindWithTheSlowestsRate) {
  // Names, guids and what was measured differ; 80 and 70 Gb/s are within a quarter.
  const HostKinds kinds = kinds_of({report_of("h1", node_of("h1", 4, 80'000)),
                                    report_of("h2", node_of("h2", 4, 70'000)),
                                    report_of("h3", node_of("h3", 4, 76'000))});
  ASSERT_EQ(kinds.kinds.size(), 1u);
  EXPECT_EQ(kinds.kinds[0].host, "h2");
  EXPECT_THAT(kinds.of_host, ElementsAre(0, 0, 0));
  EXPECT_THAT(kinds.findings, IsEmpty());
}

TEST(HostKinds, WhatDiffersIsSaid) {
  ProbedNode slow_nic = node_of("h3", 4, 80'000);
  slow_nic.node.cpus[0].pcie.back().nets[0].bandwidth = Bandwidth::gigabits_per_second(10);
  const HostKinds kinds = kinds_of(
      {report_of("h1", node_of("h1", 4, 80'000)), report_of("h2", node_of("h2", 4, 40'000)),
       report_of("h3", slow_nic), report_of("h4", node_of("h4", 4, 80'000)),
       report_of("h5", node_of("h5", 2, 80'000))});
  EXPECT_EQ(kinds.kinds.size(), 4u);
  EXPECT_THAT(kinds.of_host, ElementsAre(0, 1, 2, 0, 3));
  EXPECT_THAT(
      kinds.findings,
      ElementsAre(
          "host h2 differs from host h1: a rank copies memory at 10 Gb/s instead of 20 Gb/s",
          HasSubstr("host h3 differs from host h1: \"bandwidth\": \"10 Gb/s\" "
                    "instead of \"bandwidth\": \"25 Gb/s\""),
          HasSubstr("host h5 differs from host h1: ")));
}

/// A world whose processes are where the test says.
class PlacedWorld final : public World {
 public:
  PlacedWorld(std::uint32_t process, std::vector<ProcessPlace> places)
      : process_(process), places_(std::move(places)) {}
  [[nodiscard]] std::string_view name() const override { return "placed"; }
  [[nodiscard]] std::uint32_t process() const override { return process_; }
  [[nodiscard]] std::uint32_t processes() const override {
    return static_cast<std::uint32_t>(places_.size());
  }
  [[nodiscard]] const std::vector<ProcessPlace>& places() const override { return places_; }
  void barrier() override {}
  [[nodiscard]] std::vector<std::string> gather(std::string_view mine) override {
    return {std::string(mine)};
  }
  [[nodiscard]] std::string broadcast(std::string_view mine) override { return std::string(mine); }
  [[nodiscard]] Time now() const override { return {}; }

 private:
  std::uint32_t process_;
  std::vector<ProcessPlace> places_;
};

TEST(ProbeTurns, TheFirstProcessOfAHostDescribesItAndContainersOfAMachineTakeTurns) {
  const std::vector<ProcessPlace> places{
      {"a", 1, "m1"}, {"a", 2, "m1"}, {"b", 3, "m1"}, {"c", 4, "m2"}, {"b", 5, "m1"}};
  const auto turns = [&](std::uint32_t process) { return turns_of(PlacedWorld(process, places)); };
  EXPECT_THAT(turns(0).hosts, ElementsAre("a", "b", "c"));
  EXPECT_EQ(turns(0).turns, 2);
  EXPECT_EQ(turns(0).processes, 2);
  EXPECT_TRUE(turns(0).describes);
  EXPECT_FALSE(turns(1).describes);
  EXPECT_TRUE(turns(2).describes);
  EXPECT_EQ(turns(2).turn, 1);  // b shares a's machine
  EXPECT_EQ(turns(3).turn, 0);
  EXPECT_FALSE(turns(4).describes);
}

}  // namespace
}  // namespace railyard::hw
