#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "collectives/schedule/pace.hpp"
#include "tests/collectives/nccl_machine.hpp"

// What binds is what shortens the time when there is more of it: each possible limit is relaxed in
// turn, and the one that the model names must be the one that gains most.
namespace railyard::collectives::nccl {
namespace {

Time twice_as_fast(Time time) { return Time::picoseconds(time.picoseconds() / 2); }

using topology::ProtocolTimes;

using Relaxed = std::map<std::string, std::function<void(Machine&)>>;
const Relaxed& relaxations() {
  static const Relaxed all{
      {"gpu links",
       [](Machine& m) {
         m.nvlink *= 2;
         m.link_limit *= 2;
       }},
      {"network",
       [](Machine& m) {
         m.nics *= 2;
         m.exchange_nics *= 2;
       }},
      {"links to NICs", [](Machine& m) { m.nic_limit.rate *= 2; }},
      {"channels per peer",
       [](Machine& m) { m.fabric.exchange_channel = m.fabric.exchange_channel * 2; }},
      {"messages to peers",
       [](Machine& m) {
         m.fabric.message = twice_as_fast(m.fabric.message);
         m.gpu.exchange_peer = twice_as_fast(m.gpu.exchange_peer);
       }},
      {"latency",
       [](Machine& m) {
         for (ProtocolTimes* times : {&m.gpu.launch, &m.gpu.step, &m.fabric.step})
           *times = {twice_as_fast(times->ll), twice_as_fast(times->ll128),
                     twice_as_fast(times->simple)};
         m.gpu.exchange_launch = twice_as_fast(m.gpu.exchange_launch);
         m.gpu.exchange_launch_ll = twice_as_fast(m.gpu.exchange_launch_ll);
         m.gpu.nvls_launch = twice_as_fast(m.gpu.nvls_launch);
         m.fabric.nvls_step = twice_as_fast(m.fabric.nvls_step);
       }},
  };
  return all;
}

std::string named(const TimeTerms& terms) {
  const auto us = [](double value) { return Time::from_seconds(value * 1e-6); };
  Pace pace;
  pace.launch = us(terms.launch);
  pace.latency = us(terms.steps + terms.fill);
  pace.bytes = us(terms.bytes);
  pace.messages = us(terms.messages);
  if (!pace.delay().empty()) return std::string(pace.delay());
  switch (terms.bound) {
    case Bound::gpu_links: return "gpu links";
    case Bound::network: return "network";
    case Bound::node_link: return "links to NICs";
    case Bound::channels: return "channels per peer";
    case Bound::round_trips: return "round trips";
  }
  return {};
}

/// How much shorter the time is when a limit is relaxed, us.
double gain(const Machine& machine, const TimeQuery& query, const std::string& limit) {
  Machine relaxed = machine;
  relaxations().at(limit)(relaxed);
  return collective_time(machine, query).total() - collective_time(relaxed, query).total();
}

/// The name of the limit whose relaxation shortens the time most.
std::string best_relaxation(const Machine& machine, const TimeQuery& query) {
  std::string best;
  double least = collective_time(machine, query).total();
  for (const auto& [name, relax] : relaxations()) {
    Machine relaxed = machine;
    relax(relaxed);
    const double time = collective_time(relaxed, query).total();
    if (time >= least) continue;
    least = time;
    best = name;
  }
  return best;
}

/// 128 nodes whose sends have one channel for each peer.
Machine many_nodes() {
  Machine m = machine(128);
  m.sends = {.nodes = 128, .ranks = 1024, .channels = 1, .per_peer = 1, .step = 128 << 10};
  return m;
}

TEST(Binding, SendsOfOneChannelAreBoundByIt) {
  const TimeQuery query{.kind = Kind::send_recv, .bytes = 1 << 30};
  const Machine m = many_nodes();
  EXPECT_EQ(named(collective_time(m, query)), "channels per peer");
  EXPECT_EQ(best_relaxation(m, query), "channels per peer");
}

// A channel carries 14 GB/s (NCCL_P2P_PER_CHANNEL_NET_BW): 2^30 B by one take 76.7 ms, by two half
// of that, and more than NCCL gives a send change nothing.
TEST(Binding, ALimitOnChannelsLimitsSends) {
  Machine m = machine(2);
  m.sends = {.nodes = 2, .ranks = 16, .channels = 32, .per_peer = 4, .step = 128 << 10};
  TimeQuery query{.kind = Kind::send_recv, .bytes = 1 << 30};
  const double own = collective_time(m, query).bytes;
  query.channels = 1;
  const TimeTerms one = collective_time(m, query);
  EXPECT_EQ(named(one), "channels per peer");
  EXPECT_NEAR(one.bytes, (1 << 30) / 14e3, 1);
  query.channels = 2;
  EXPECT_NEAR(collective_time(m, query).bytes, (1 << 30) / 28e3, 1);
  query.channels = 64;
  EXPECT_EQ(collective_time(m, query).bytes, own);
  EXPECT_LT(own, (1 << 30) / 28e3);
}

TEST(Binding, ManyPeersAreBoundByTheirMessages) {
  // 1016 peers x 2 us against 16 MiB / 47.5 GB/s = 353 us.
  Machine m = machine(128);
  const TimeQuery query{.kind = Kind::all_to_all, .bytes = 16 << 20};
  EXPECT_EQ(named(collective_time(m, query)), "messages to peers");
  EXPECT_EQ(best_relaxation(m, query), "messages to peers");
}

TEST(Binding, WhatIsNamedIsWhatShortensTheTime) {
  Machine slow_pcie = machine(4);
  slow_pcie.nic_limit = {.rate = 115, .link = 3};
  Machine few_nics = machine(4);
  few_nics.nics = few_nics.exchange_nics = 100;
  std::map<std::string, int> seen;
  for (const Machine& m : {machine(1), machine(2), many_nodes(), slow_pcie, few_nics}) {
    for (const Kind kind :
         {Kind::all_reduce, Kind::all_gather, Kind::broadcast, Kind::all_to_all, Kind::send_recv}) {
      for (std::int64_t bytes = 1 << 10; bytes <= std::int64_t{1} << 32; bytes *= 16) {
        const TimeQuery query{.kind = kind, .bytes = bytes};
        const TimeTerms terms = collective_time(m, query);
        const std::string name = named(terms);
        const auto where = [&] {
          return std::string(to_text(kind)) + " of " + std::to_string(bytes) + " on " +
                 std::to_string(m.nodes) + " nodes";
        };
        EXPECT_GT(gain(m, query, name), 0) << name << ": " << where();
        // A rate that is relaxed may be followed by the next one soon, so that delays that are
        // smaller gain more; but no other rate gains anything.
        const bool is_delay = name == "latency" || name == "messages to peers";
        if (is_delay) {
          EXPECT_EQ(name, best_relaxation(m, query)) << where();
        }
        for (const char* rate : {"gpu links", "network", "links to NICs", "channels per peer"}) {
          if (!is_delay && rate != name) {
            EXPECT_NEAR(gain(m, query, rate), 0, 1e-9) << where();
          }
        }
        ++seen[named(terms)];
      }
    }
  }
  for (const char* limit : {"gpu links", "network", "links to NICs", "channels per peer",
                            "messages to peers", "latency"})
    EXPECT_GT(seen[limit], 0) << limit;
}

}  // namespace
}  // namespace railyard::collectives::nccl
