#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "apps/cli/setting.hpp"
#include "apps/sim/timing.hpp"
#include "collectives/algorithms/algorithm.hpp"
#include "collectives/nccl/choice/chooser.hpp"
#include "core/diagnostic.hpp"
#include "sim/engine.hpp"
#include "sim/link_capacity.hpp"

namespace railyard::apps {
namespace {

using collectives::Kind;
using collectives::Run;
using collectives::Schedule;

constexpr std::array kKinds{Kind::all_reduce, Kind::all_gather, Kind::reduce_scatter,
                            Kind::all_to_all, Kind::broadcast,  Kind::reduce,
                            Kind::send_recv};

/// A cluster with the engines of each fidelity, with and without the fitted time model.
struct Ground {
  Ground(const std::string& file, int nodes, std::optional<std::int64_t> gpus = {})
      : flags{.cluster = file, .nodes = nodes, .gpus = gpus, .ranks = {}},
        cluster(load_cluster(flags, provenance)),
        group(group_of(cluster, flags)),
        timing(make_timing(cluster, flags, {}, {})),
        routing(cluster.spec().fabric.routing),
        nominal(sim::make_engine(cluster, {.fidelity = "analytic", .routing = routing})),
        nominal_flow(sim::make_engine(cluster, {.fidelity = "flow", .routing = routing})),
        analytic(sim::make_engine(cluster,
                                  {.fidelity = "analytic", .routing = routing, .timing = timing})),
        flow(sim::make_engine(cluster, {.fidelity = "flow", .routing = routing, .timing = timing})),
        chooser(cluster, *nominal, {}) {}

  Provenance provenance;
  ClusterFlags flags;
  topology::Cluster cluster;
  std::shared_ptr<const collectives::Group> group;
  std::shared_ptr<collectives::nccl::FittedPace> timing;
  topology::RoutingOptions routing;
  std::unique_ptr<collectives::Executor> nominal, nominal_flow, analytic, flow;
  collectives::nccl::Chooser chooser;

  [[nodiscard]] Schedule schedule(Kind kind, std::int64_t bytes,
                                  const std::string& algorithm = "auto",
                                  std::optional<int> channels = {}) {
    return chooser.chosen_schedule({.group = group,
                                    .collective = {.kind = kind, .bytes = Bytes(bytes)},
                                    .algorithm = algorithm,
                                    .protocol = {},
                                    .channels = channels});
  }
};

Run run(collectives::Executor& engine, const Schedule& schedule) {
  const collectives::Task task{.schedule = &schedule, .start = Time(), .name = {}};
  return engine.run({&task, 1});
}

double us(collectives::Executor& engine, const Schedule& schedule) {
  return run(engine, schedule).tasks.front().finish.microseconds();
}

/// A shipped file with every `old` replaced, in a folder of the test; its path.
std::string changed(const std::string& shipped, const std::string& name,
                    const std::vector<std::pair<std::string, std::string>>& replacements) {
  std::ostringstream text;
  text << std::ifstream(std::filesystem::path(RAILYARD_SOURCE_DIR) / "configs" / shipped).rdbuf();
  std::string json = text.str();
  for (const auto& [old, now] : replacements) {
    EXPECT_NE(json.find(old), std::string::npos) << old;
    for (auto at = json.find(old); at != std::string::npos; at = json.find(old, at + now.size()))
      json.replace(at, old.size(), now);
  }
  const std::string file = ::testing::TempDir() + "/" + name + ".json";
  std::ofstream(file) << json;
  return file;
}

/// A DGX H100 whose PCIe is of the third generation.
std::string slow_pcie() {
  const std::string node =
      changed("nodes/dgx_h100.json", "dgx_h100_gen3", {{"32.0 GT/s", "8.0 GT/s"}});
  return changed("clusters/dgx_h100_ndr400.json", "dgx_h100_gen3_cluster",
                 {{"\"dgx_h100\"", "\"" + node + "\""}});
}

/// A DGX H100 cluster whose switch ports are slower, or faster, than its NICs.
std::string with_ports(const std::string& rate) {
  return changed("clusters/dgx_h100_ndr400.json", "dgx_h100_ports_" + rate.substr(0, 3),
                 {{"\"fabric\": {", "\"fabric\": {\"port_bandwidth\": \"" + rate + "\", "}});
}

TEST(Capacity, NoLinkCarriesMoreThanItCan) {
  int checked = 0;
  const auto check = [&](const std::string& file, int nodes) {
    Ground ground(file, nodes);
    for (const Kind kind : kKinds) {
      for (const collectives::Algorithm& algorithm : collectives::algorithms()) {
        const std::string name(algorithm.name);
        std::optional<Schedule> schedule;
        try {
          schedule = ground.schedule(kind, 1 << 27, name);
        } catch (const InputError&) {
          continue;  // not for this collective, or not on this machine
        }
        for (auto* engine :
             {&ground.nominal, &ground.nominal_flow, &ground.analytic, &ground.flow}) {
          const auto where = fmt::format("{}, {} nodes, {} by {}, engine {}", file, nodes,
                                         to_text(kind), name, engine - &ground.nominal);
          try {
            EXPECT_EQ(sim::overloaded_link(ground.cluster, run(**engine, *schedule)), "") << where;
            ++checked;
          } catch (const InputError&) {
            continue;  // a rail_only fabric has no way across rails
          } catch (const std::logic_error& error) {
            ADD_FAILURE() << error.what() << ": " << where;
          }
        }
      }
    }
  };
  for (const char* name :
       {"dgx_h100_ndr400", "dgx_a100_hdr200", "dgx1_v100_100g", "pcie8_gen4", "rtx_pro_6000_8",
        "oci_h100", "dual_plane_h800", "rail_only_h100", "a100_hdr_4nic", "dgx_b200_ndr400"})
    for (const int nodes : {1, 2, 3}) check(name, nodes);
  check("gb200_nvl72", 1);
  check(slow_pcie(), 2);
  check(with_ports("200 Gb/s"), 2);
  check(with_ports("800 Gb/s"), 2);
  EXPECT_GT(checked, 1000);
}

// 4 GiB on 32 GPUs: 4 GiB x (62 + tail) / 32 leave each node by 8 NICs at 16 lanes x 8 GT/s x
// 128/130 x 256/280 / 8 = 14.404 GB/s.
TEST(Capacity, PcieOfTheThirdGenerationIsWhatItIs) {
  Ground ground(slow_pcie(), 4);
  const Schedule ring = ground.schedule(Kind::all_reduce, std::int64_t{4} << 30, "ring");
  const double tail = ground.timing->pace(ring) ? 0.5684 : 0;  // configs/generations/hopper.json
  const double bytes = static_cast<double>(std::int64_t{4} << 30) * (62 + tail) / 32;
  const double by_hand = bytes / (8 * 16.0 * 128 / 130 * 256 / 280) / 1e3;
  EXPECT_NEAR(us(*ground.analytic, ring) / by_hand, 1, 0.02);
  EXPECT_NEAR(us(*ground.flow, ring) / by_hand, 1, 0.02);
  EXPECT_EQ(run(*ground.analytic, ring).tasks.front().bound_by.text, "node0/gpu0 -> node0/pcie0");
  // A link that is worse by a thousandth makes no difference of more than a thousandth.
  const auto faults =
      topology::parse_degradation(ground.cluster, "node0/gpu0 -- node0/pcie0:0.999");
  const auto degraded = sim::make_engine(
      ground.cluster, {.fidelity = "flow", .faults = {faults}, .timing = ground.timing});
  EXPECT_NEAR(us(*degraded, ring) / us(*ground.flow, ring), 1, 0.002);
}

// Two GPUs: the NVSwitch reads all of the message from each, and each stores half of it: 1.5 x 8
// GiB at 450 GB/s. all_gather brings all of it to each of 8: 8 GiB at 450 GB/s.
TEST(Capacity, NvlsIsNoFasterThanNvlink) {
  Ground two("dgx_h100_ndr400", 1, 2);
  const double size = static_cast<double>(std::int64_t{8} << 30);
  const auto reduces = two.schedule(Kind::all_reduce, std::int64_t{8} << 30, "nvls");
  EXPECT_GE(us(*two.analytic, reduces), 1.5 * size / 450e3);
  EXPECT_LE(us(*two.analytic, reduces), 1.5 * size / 450e3 * 1.02);
  Ground eight("dgx_h100_ndr400", 1);
  for (const Kind kind : {Kind::all_gather, Kind::reduce_scatter}) {
    const auto schedule = eight.schedule(kind, std::int64_t{8} << 30, "nvls");
    EXPECT_GE(us(*eight.analytic, schedule), size / 450e3);
    EXPECT_LE(us(*eight.flow, schedule), size / 450e3 * 1.02);
  }
}

// Each of four GPUs of a socket sends 120/128 of 1 GiB, half of it by NICs of the other socket over
// the 22 GB/s that NCCL counts: 4 x 0.5 x 120/128 x 1 GiB / 22 GB/s = 91.5 ms.
TEST(Capacity, FarNicsCostTheSameInBothEngines) {
  Ground ground("hgx_h200_roce400", 16);
  const auto schedule = ground.schedule(Kind::all_to_all, 1 << 30, "rail_direct");
  const double by_hand = 4 * 0.5 * 120 / 128 * (1 << 30) / 22e3;
  EXPECT_NEAR(us(*ground.analytic, schedule) / by_hand, 1, 0.01);
  EXPECT_NEAR(us(*ground.flow, schedule) / by_hand, 1, 0.01);
  EXPECT_EQ(run(*ground.analytic, schedule).tasks.front().bound_by.text,
            run(*ground.flow, schedule).tasks.front().bound_by.text);
}

// 16 ports of 200 Gb/s, two on each of eight cards, which NCCL fuses: all of them carry data.
TEST(Capacity, AllPortsOfFusedNicsAreUsed) {
  const std::string node = changed("nodes/dgx_h100.json", "dgx_h100_dual_port", {});
  std::ostringstream text;
  text << std::ifstream(node).rdbuf();
  std::string json = text.str();
  // Each NIC of 400 Gb/s becomes a card with two ports of half of it.
  int dev = 0;
  for (auto at = json.find("\"nets\": ["); at != std::string::npos;
       at = json.find("\"nets\": [", at + 1)) {
    const auto end = json.find(']', at);
    const std::string ports = fmt::format(
        "\"nets\": [{{\"name\": \"a{0}\", \"dev\": {1}, \"bandwidth\": \"200 Gb/s\"}}, "
        "{{\"name\": \"b{0}\", \"dev\": {2}, \"port\": 2, \"bandwidth\": \"200 Gb/s\"}}",
        dev, 2 * dev, 2 * dev + 1);
    json.replace(at, end - at, ports);
    ++dev;
  }
  std::ofstream(node) << json;
  Ground dual(changed("clusters/dgx_h100_ndr400.json", "dual_port_cluster",
                      {{"\"dgx_h100\"", "\"" + node + "\""}}),
              2);
  ASSERT_EQ(dual.cluster.shape(NodeId(0)).nic_count(), 2 * dev);
  Ground plain("dgx_h100_ndr400", 2);
  for (const auto& [kind, algorithm] :
       {std::pair(Kind::all_reduce, "ring"), std::pair(Kind::all_to_all, "rail_pxn")}) {
    const auto by_two = dual.schedule(kind, std::int64_t{8} << 30, algorithm);
    const auto by_one = plain.schedule(kind, std::int64_t{8} << 30, algorithm);
    EXPECT_NEAR(us(*dual.flow, by_two) / us(*plain.flow, by_one), 1, 0.03) << algorithm;
    EXPECT_NEAR(us(*dual.flow, by_two) / us(*dual.analytic, by_two), 1, 0.03) << algorithm;
    std::size_t ports = 0;
    for (const auto& load : run(*dual.flow, by_two).link_loads)
      ports += dual.cluster.link(load.link).kind == topology::LinkKind::port ? 1 : 0;
    EXPECT_EQ(ports, std::size_t{2} * 2 * 2 * static_cast<std::size_t>(dev)) << algorithm;
  }
}

TEST(Capacity, ConnectionsOfADualPlaneFabricUseBothPlanes) {
  Ground ground("dual_plane_h800", 2);
  EXPECT_EQ(ground.cluster.spec().fabric.routing.qps, 2);
  const auto schedule = ground.schedule(Kind::all_to_all, 1 << 30);
  const auto sent = run(*ground.flow, schedule);
  std::size_t ports = 0;
  for (const auto& load : sent.link_loads)
    ports += ground.cluster.link(load.link).kind == topology::LinkKind::port ? 1 : 0;
  EXPECT_EQ(ports, 2u * 8 * 2 * 2);  // nodes, NICs, planes, directions
}

}  // namespace
}  // namespace railyard::apps
