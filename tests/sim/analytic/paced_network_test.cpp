#include "sim/analytic/paced_network.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnostic.hpp"
#include "sim/flow/flow_network.hpp"
#include "tests/sim/sim_cluster.hpp"

namespace railyard::sim {
namespace {

using namespace testing;
using collectives::Pace;
using collectives::PaceModel;
using collectives::Run;
using collectives::Schedule;
using collectives::Task;

/// Every task by one pace.
PaceModel all_by(const Pace& pace) {
  return [pace](const Schedule&) { return std::optional<Pace>(pace); };
}

Pace pace(Time bytes) {
  return {.launch = 10_us,
          .latency = 20_us,
          .bytes = bytes,
          .bound = LinkId::none(),
          .messages = {},
          .inside_hop = 1_us,
          .outside_hop = 5_us};
}

Run flow(const topology::Cluster& cluster, std::vector<Task> tasks, FlowOptions options) {
  options.certify = true;
  return FlowNetwork(cluster, std::move(options)).run(tasks);
}

Run analytic(const topology::Cluster& cluster, const Schedule& schedule,
             PacedNetwork::Options options) {
  const Task task{.schedule = &schedule, .start = {}, .name = {}};
  return PacedNetwork(cluster, std::move(options)).run({&task, 1});
}

TEST(Paced, AloneEveryAlgorithmTakesItsPaceInBothEngines) {
  // Links would do with 200 MB in (n - 1)/n · 200 MB / 50 GB/s = 3 ms and less; the pace says 9.
  const auto cluster = single_switch(4, 2);
  for (const char* name : {"ring", "tree", "nvls_tree"}) {
    const auto task = schedule(cluster, name, {.bytes = 200_MB});
    const auto by_flow = flow(cluster, {{&task, {}, ""}}, {.pace = all_by(pace(9_ms))});
    EXPECT_NEAR(duration(by_flow).microseconds(), 9030, 1e-3) << name;
    const auto by_pace = analytic(cluster, task, {.pace = all_by(pace(9_ms))});
    EXPECT_EQ(duration(by_pace), 9_ms + 30_us) << name;
  }
  const auto sends_all =
      schedule(cluster, "direct", {.kind = collectives::Kind::all_to_all, .bytes = 200_MB});
  const auto run = flow(cluster, {{&sends_all, {}, ""}}, {.pace = all_by(pace(9_ms))});
  EXPECT_NEAR(duration(run).microseconds(), 9030, 1e-3);
}

TEST(Paced, WhatIsSharedIsAllThatIsSlower) {
  // 50 MB each over one 50 GB/s port, by a pace of 1.6 ms (31.25 GB/s): together they get 25 GB/s
  // each, 2 ms, since the port is full; by a pace of 4 ms (12.5 GB/s) the port has room for both.
  const auto cluster = single_switch(2, 1);
  const auto send = sends(cluster, 50_MB, {{0, 1}});
  const auto both = [&](Time bytes) {
    return flow(cluster, {{&send, {}, "a"}, {&send, {}, "b"}}, {.pace = all_by(pace(bytes))});
  };
  EXPECT_NEAR(duration(both(1600_us)).microseconds(), 2030, 1e-3);
  EXPECT_NEAR(duration(both(4_ms)).microseconds(), 4030, 1e-3);
}

TEST(Paced, PortsGiveWhatSoftwareGetsOfThem) {
  // At 80 % of 50 GB/s: two of 50 MB take 100 MB / 40 GB/s = 2.5 ms.
  const auto cluster = single_switch(2, 1);
  const auto send = sends(cluster, 50_MB, {{0, 1}});
  const auto run = flow(cluster, {{&send, {}, "a"}, {&send, {}, "b"}},
                        {.pace = all_by(pace(1600_us)), .network_share = 0.8});
  EXPECT_NEAR(duration(run).microseconds(), 2530, 1e-3);
}

TEST(Paced, ADegradedPortHoldsBackWhatItsPaceDoesNot) {
  // A ring all-reduce of 4 nodes sends 1.5 x 100 MB by each port; at a tenth of 50 GB/s: 30 ms.
  const auto cluster = single_switch(4, 1);
  const auto ring = schedule(cluster, "ring", {.bytes = 100_MB}, {.channels = 1});
  const topology::TimedFault fault = topology::parse_degradation(cluster, "node1/nic0:0.1");
  const auto by_flow =
      flow(cluster, {{&ring, {}, ""}}, {.faults = {fault}, .pace = all_by(pace(4_ms))});
  EXPECT_NEAR(duration(by_flow).microseconds(), 30030, 1e-3);
  // On the bottleneck the fault costs 30 - 3 ms more than sound ports; that much is added.
  const auto by_pace =
      analytic(cluster, ring, {.pace = all_by(pace(4_ms)), .bottleneck = {.faults = fault.faults}});
  EXPECT_EQ(duration(by_pace), 4_ms + 27_ms + 30_us);
  EXPECT_THAT(by_pace.tasks[0].bound_by.text, ::testing::HasSubstr("node1/"));
}

TEST(Paced, LinksInsideNodesAreRaisedToAMeasuredPaceAndNoOthers) {
  // NVLink of 360 GB/s as counted carries 25/20.6 of that, 436.9 GB/s: 360 MB by a pace of 0.9 ms
  // are 400 GB/s, which it is believed; by one of 0.8 ms 450 GB/s, which it is not.
  const auto cluster = single_switch(2, 2);
  const auto inside = sends(cluster, 360_MB, {{0, 1}});
  const auto fast = flow(cluster, {{&inside, {}, ""}}, {.pace = all_by(pace(900_us))});
  EXPECT_NEAR(duration(fast).microseconds(), 930, 1e-3);
  const auto faster = flow(cluster, {{&inside, {}, ""}}, {.pace = all_by(pace(800_us))});
  const double line = 360e3 * 25 / 20.6;  // bytes a microsecond
  EXPECT_NEAR(duration(faster).microseconds(), 30 + 360e6 / line, 1e-3);
  EXPECT_EQ(duration(analytic(cluster, inside, {.pace = all_by(pace(800_us))})),
            Time::from_seconds((30 + 360e6 / line) * 1e-6));
  // A degraded one has half of that.
  const auto broken = flow(cluster, {{&inside, {}, ""}},
                           {.faults = {topology::parse_degradation(cluster, "node0/gpu0:0.5")},
                            .pace = all_by(pace(800_us))});
  EXPECT_NEAR(duration(broken).microseconds(), 30 + 2 * 360e6 / line, 1e-3);
  // Ports are physical: 50 MB take 1 ms at least.
  const auto outside = sends(cluster, 50_MB, {{0, 2}});
  const auto port = flow(cluster, {{&outside, {}, ""}}, {.pace = all_by(pace(500_us))});
  EXPECT_NEAR(duration(port).microseconds(), 1030, 1e-3);
}

TEST(Paced, WaysToFarNicsKeepTheirCount) {
  // PCIe Gen4 x16, counted 24 GB/s, before ports of 50: by a pace of 1.8 ms 50 MB run at 27.8 GB/s,
  // of the 28.8 that the way to the nearest NIC carries. To NIC 1 GPU 0 goes by its switch, the CPU
  // and the other switch, of which the pace says nothing: 50 MB / 24 GB/s.
  topology::ClusterSpec spec = single_switch(2, 2).spec();
  for (topology::PcieSpec& bridge : spec.node_specs[0].cpus[0].pcie)
    for (topology::PcieSpec* function : {&bridge, &bridge.children[0], &bridge.children[1]})
      function->link_speed = "16.0 GT/s PCIe";
  const auto cluster = topology::build_cluster(std::move(spec));
  const auto by_nic = [&](std::int8_t nic) {
    const auto transfers = std::make_shared<const std::vector<collectives::Transfer>>(
        1,
        collectives::Transfer{.source = 0, .destination = 2, .first_chunk = 0, .source_nic = nic});
    return schedule_of(
        cluster, 50_MB,
        {{1, collectives::Coupling::independent, {{collectives::ListPattern{transfers}}}}});
  };
  const auto near = by_nic(0), far = by_nic(1);
  const FlowOptions options{.pace = all_by(pace(1800_us))};
  EXPECT_NEAR(duration(flow(cluster, {{&near, {}, ""}}, options)).microseconds(), 30 + 1800, 1e-3);
  EXPECT_NEAR(duration(flow(cluster, {{&far, {}, ""}}, options)).microseconds(), 30 + 50e6 / 24e3,
              1e-3);
  // By a pace beyond the line rate the link counts: 32 GB/s x 128/130 x 256/280.
  EXPECT_NEAR(
      duration(flow(cluster, {{&near, {}, ""}}, {.pace = all_by(pace(1_ms))})).microseconds(),
      30 + 50e6 / (32e3 * 128 / 130 * 256 / 280), 1e-2);
  // The analytic fidelity notes what it does not know.
  const auto notes = [&](const Schedule& task) {
    return analytic(cluster, task, {.pace = all_by(pace(1800_us))}).notes;
  };
  EXPECT_EQ(notes(near).size(), 1u);
  ASSERT_EQ(notes(far).size(), 2u);
  EXPECT_THAT(notes(far)[1], ::testing::HasSubstr("NICs that are not next to the sending GPU"));
}

TEST(Paced, LinksCarryTheSameBytesByAPaceAsWithout) {
  const auto cluster = testing::cluster(4, 2, leaf_spine(2));
  for (const char* name : {"ring", "tree", "nvls_tree"}) {
    const auto task = schedule(cluster, name, {.bytes = 64_MB});
    const auto nominal = flow(cluster, {{&task, {}, ""}}, {});
    const auto paced = flow(cluster, {{&task, {}, ""}}, {.pace = all_by(pace(9_ms))});
    ASSERT_EQ(nominal.link_loads.size(), paced.link_loads.size()) << name;
    for (std::size_t i = 0; i < nominal.link_loads.size(); ++i) {
      EXPECT_EQ(nominal.link_loads[i].link, paced.link_loads[i].link);
      EXPECT_NEAR(nominal.link_loads[i].bytes / paced.link_loads[i].bytes, 1, 1e-9) << name;
    }
  }
}

TEST(Paced, EveryStepOfARingTakesAsLongAsItsStream) {
  // Transfer by transfer: launch, 2 (n - 1) = 6 hops of 5 us, and the bytes at the ring's rate. The
  // pace's own latency, which stands for the same hops, is not added.
  const auto cluster = single_switch(4, 1);
  const auto ring = schedule(cluster, "ring", {.bytes = 100_MB}, {.channels = 1});
  const auto run = flow(cluster, {{&ring, {}, ""}}, {.expand = true, .pace = all_by(pace(6_ms))});
  EXPECT_NEAR(duration(run).microseconds(), 10 + 30 + 6000, 1e-3);
}

TEST(Paced, EveryChunkOfAPipelineIsPassedOnWhole) {
  // A broadcast of 96 MB in 12 chunks of 8 over 3 hops of 5 us, by a pace of 6 ms, 500 us a chunk:
  // the first takes 3 (5 + 500) us, the others follow by 500. The stream has no such filling; what
  // there is of it is in the pace's latency of 20 us.
  const auto cluster = single_switch(4, 1);
  const auto chain =
      schedule(cluster, "ring", {.kind = collectives::Kind::broadcast, .bytes = 96_MB},
               {.channels = 1, .chunk = 8_MB});
  const auto expanded =
      flow(cluster, {{&chain, {}, ""}}, {.expand = true, .pace = all_by(pace(6_ms))});
  EXPECT_NEAR(duration(expanded).microseconds(), 10 + 3 * 5 + (12 + 3 - 1) * 500, 1e-3);
  const auto stream = flow(cluster, {{&chain, {}, ""}}, {.pace = all_by(pace(6_ms))});
  EXPECT_NEAR(duration(stream).microseconds(), 10 + 20 + 6000, 1e-3);
}

TEST(Paced, WhoIsHeldBackByItsPaceIsBoundByTheLinkThatThePaceNames) {
  const auto cluster = single_switch(2, 1);
  const auto send = sends(cluster, 50_MB, {{0, 1}});
  Pace slow = pace(4_ms);
  slow.bound = link(cluster, "node0/nic0 -> pod0/leaf0");
  const auto run = flow(cluster, {{&send, {}, ""}}, {.pace = all_by(slow)});
  EXPECT_EQ(run.tasks[0].bound_by.link, slow.bound);
  // 50 MB of 50 GB/s in 4.03 ms.
  EXPECT_NEAR(run.tasks[0].bound_by.utilisation, 1 / 4.03, 1e-6);
  Pace hopping = slow;
  hopping.latency = 5_ms;
  EXPECT_EQ(flow(cluster, {{&send, {}, ""}}, {.pace = all_by(hopping)}).tasks[0].bound_by.text,
            "latency");
}

TEST(Paced, ATaskThatTheModelDoesNotKnowIsTimedByItsLinks) {
  const auto cluster = single_switch(2, 1);
  const auto send = sends(cluster, 50_MB, {{0, 1}});
  const PaceModel unknown = [](const Schedule&) { return std::nullopt; };
  EXPECT_EQ(duration(flow(cluster, {{&send, {}, ""}}, {.pace = unknown})), 1_ms);
  EXPECT_EQ(duration(analytic(cluster, send, {.pace = unknown})), 1_ms);
}

TEST(Paced, AScheduleThatTheFabricHasNoWayForIsRefused) {
  const auto cluster = testing::cluster(2, 2, fabric(topology::FabricKind::rail_only));
  const auto across = sends(cluster, 50_MB, {{0, 3}});
  EXPECT_THROW((void)analytic(cluster, across, {.pace = all_by(pace(1_ms))}), InputError);
}

}  // namespace
}  // namespace railyard::sim
