#include "tests/hw/diagnose/made_cluster.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string_view>

#include "core/random.hpp"

namespace railyard::hw::testing {
namespace {

constexpr std::array<std::string_view, 8> kPlaces{"1b", "43", "52", "61", "9d", "c3", "d1", "df"};
constexpr int kIslandNodes = 5;

using Ports = std::set<int>;

/// A fault with what it met by chance.
class Sickness {
 public:
  Sickness(const MadeCluster& cluster, core::RandomStream& random) : fault_(cluster.fault) {
    const auto nodes = static_cast<std::uint64_t>(cluster.nodes);
    first_ = static_cast<int>(random.below(nodes));
    second_ = static_cast<int>((static_cast<std::uint64_t>(first_) + 1 + random.below(nodes - 1)) %
                               nodes);
    gpu_ = static_cast<int>(random.below(static_cast<std::uint64_t>(cluster.gpus)));
    for (int n = 0; n < cluster.nodes; ++n) order_.push_back(n);
    for (std::size_t n = order_.size(); n > 1; --n)
      std::swap(order_[n - 1], order_[random.below(n)]);
  }

  [[nodiscard]] bool meets(int a, int b, const Ports& of_a, const Ports& of_b) const {
    switch (fault_) {
      case Fault::slow_node:
      case Fault::failing_node: return a == first_ || b == first_;
      case Fault::slow_gpu:
        return (a == first_ && of_a.contains(gpu_)) || (b == first_ && of_b.contains(gpu_));
      case Fault::slow_nic: {
        const int nic = gpu_ / 2 * 2;
        const auto uses = [&](const Ports& of) { return of.contains(nic) || of.contains(nic + 1); };
        return (a == first_ && uses(of_a)) || (b == first_ && uses(of_b));
      }
      case Fault::slow_leaf: return is_below(a, 5) != is_below(b, 5);
      case Fault::slow_island: return crosses(a, b, of_a, of_b);
      case Fault::slow_pair: return (a == first_ && b == second_) || (a == second_ && b == first_);
      case Fault::none: break;
    }
    return false;
  }

  [[nodiscard]] MadeFault described(const std::vector<std::string>& names) const {
    MadeFault made;
    const auto add = [&](int n) { made.nodes.push_back(names[static_cast<std::size_t>(n)]); };
    const bool is_group = fault_ == Fault::slow_leaf || fault_ == Fault::slow_island;
    if (is_group)
      for (int n = 0; n < kIslandNodes; ++n) add(order_[static_cast<std::size_t>(n)]);
    else if (fault_ != Fault::none)
      add(first_);
    if (fault_ == Fault::slow_pair) add(second_);
    if (fault_ == Fault::slow_gpu || fault_ == Fault::slow_island) made.gpus.push_back(place(gpu_));
    if (fault_ == Fault::slow_nic) made.gpus = {place(gpu_ / 2 * 2), place(gpu_ / 2 * 2 + 1)};
    std::ranges::sort(made.nodes);
    return made;
  }

 private:
  static std::string place(int gpu) { return std::string(kPlaces[static_cast<std::size_t>(gpu)]); }

  /// Whether a node is one of the first `count` in a drawn order.
  [[nodiscard]] bool is_below(int node, int count) const {
    return std::find(order_.begin(), order_.begin() + count, node) != order_.begin() + count;
  }

  /// Ports of rails that both nodes use send to each other only, others to every port.
  [[nodiscard]] bool crosses(int a, int b, const Ports& of_a, const Ports& of_b) const {
    const bool in_a = is_below(a, kIslandNodes) && of_a.contains(gpu_);
    const bool in_b = is_below(b, kIslandNodes) && of_b.contains(gpu_);
    if (of_a == of_b) return in_a != in_b;
    if (of_a.size() > 1) return in_a || in_b;
    return in_a != in_b;
  }

  Fault fault_;
  int first_ = 0, second_ = 0, gpu_ = 0;
  std::vector<int> order_{};
};

/// One GPU, a half, or all.
Ports drawn_ports(int count, int gpus, core::RandomStream& random) {
  Ports ports;
  const int groups = gpus / count;
  const auto first = static_cast<int>(random.below(static_cast<std::uint64_t>(groups))) * count;
  for (int p = first; p < first + count; ++p) ports.insert(p);
  return ports;
}

std::vector<std::string> names_of(const Ports& ports) {
  std::vector<std::string> names;
  for (const int p : ports) names.emplace_back(kPlaces[static_cast<std::size_t>(p)]);
  return names;
}

/// log of the time over the healthy time by chance.
double drawn_noise(const MadeCluster& cluster, core::RandomStream& random) {
  constexpr double kMostDisturbed = 2.5;
  double noise = cluster.noise * random.normal();
  const double disturbance = std::log(kMostDisturbed) * random.uniform();
  if (random.uniform() < cluster.disturbed) noise += disturbance;
  return noise;
}

void add_tests(const MadeCluster& cluster, double slowdown, core::RandomStream& random,
               PairRun& run) {
  constexpr double kGigabytes = 13.5;  // busbw of one GPU, in GB/s
  const double gpus = run.gpus_per_node, ranks = 2 * gpus;
  const double busbw = kGigabytes * (ranks - 1) / gpus;  // half of the data leaves the node
  for (const std::int64_t megabytes : {32, 512, 4096}) {
    const double bytes = static_cast<double>(megabytes << 20);
    const double healthy = bytes * (ranks - 1) / ranks / (busbw * 1e9) + 20e-6;
    const double out_of_place = slowdown + cluster.repeat * random.normal();
    const double in_place = slowdown + cluster.repeat * random.normal();
    const Time time = Time::from_seconds(healthy * std::exp(out_of_place));
    run.tests.push_back({.bytes = Bytes(megabytes << 20),
                         .time = time,
                         .in_place = Time::from_seconds(healthy * std::exp(in_place)),
                         .busbw_GBps = bytes * (ranks - 1) / ranks / time.seconds() / 1e9});
  }
}

}  // namespace

std::string to_text(Fault fault) {
  constexpr std::array<std::string_view, 8> kNames{"none",      "slow_node",   "slow_gpu",
                                                   "slow_nic",  "slow_leaf",   "slow_island",
                                                   "slow_pair", "failing_node"};
  return std::string(kNames[static_cast<std::size_t>(fault)]);
}

MadeTests make_tests(const MadeCluster& cluster) {
  core::RandomStream random(cluster.seed);
  std::vector<std::string> names;
  for (int n = 0; n < cluster.nodes; ++n) names.push_back(fmt::format("n{:02}", n + 1));
  const Sickness sickness(cluster, random);
  MadeTests made{.runs = {}, .fault = sickness.described(names)};
  for (int a = 0; a < cluster.nodes; ++a)
    for (int b = a + 1; b < cluster.nodes; ++b)
      for (const int count : cluster.counts) {
        const Ports of_a = drawn_ports(count, cluster.gpus, random);
        const Ports of_b = drawn_ports(count, cluster.gpus, random);
        PairRun run{.node_a = names[static_cast<std::size_t>(a)],
                    .node_b = names[static_cast<std::size_t>(b)],
                    .gpus_per_node = count,
                    .gpus_a = names_of(of_a),
                    .gpus_b = names_of(of_b),
                    .collective = cluster.collective};
        const bool is_sick = sickness.meets(a, b, of_a, of_b);
        const bool may_fail = cluster.fault == Fault::failing_node;
        const double fails = is_sick && may_fail ? 0.4 : cluster.failed;
        double slowdown = drawn_noise(cluster, random);
        if (is_sick && !may_fail) slowdown += std::log(cluster.factor);
        if (random.uniform() < fails)
          run.status = RunStatus::failed;
        else
          add_tests(cluster, slowdown, random, run);
        made.runs.push_back(std::move(run));
      }
  return made;
}

std::string csv_of(const std::vector<PairRun>& runs) {
  std::string text =
      "node_a,node_b,gpus_per_node,gpus_a,gpus_b,collective,bytes,time_us,busbw_GBps,"
      "busbw_inplace_GBps,status\n";
  for (const PairRun& run : runs) {
    const std::string head =
        fmt::format("{},{},{},{},{},{}", run.node_a, run.node_b, run.gpus_per_node,
                    fmt::join(run.gpus_a, "+"), fmt::join(run.gpus_b, "+"), run.collective);
    if (run.status == RunStatus::failed) text += head + ",,,,,failed\n";
    for (const PairTest& test : run.tests)
      text += fmt::format("{},{},{:.2f},{:.2f},{:.2f},ok\n", head, test.bytes.count(),
                          test.time.microseconds(), test.busbw_GBps,
                          test.busbw_GBps * test.time.seconds() / test.in_place.seconds());
  }
  return text;
}

}  // namespace railyard::hw::testing
