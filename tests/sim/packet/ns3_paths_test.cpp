#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "tests/sim/packet/ns3.hpp"
#include "tests/sim/packet/reference_text.hpp"

namespace railyard::sim::packet {
namespace {

using testing::Case;
using testing::emulation;
using testing::has;
using testing::number_after;
using testing::reference_lines;
using testing::rows_after;
using testing::text_after;

using Rows = std::vector<std::vector<double>>;

/// Links [a, b, Gb/s, ns] and flows [source, destination, port, bytes, start, completion with
/// acknowledgement, last byte] in ns; paths: [source, destination, port, switches...].
struct Run {
  Case one;
  double longest_rtt_ns = 0;
  Rows links, flows, paths;
};

std::vector<Run> runs(const std::string& group) {
  std::string topologies;
  for (const std::string& line : reference_lines("ns3/topologies.json")) topologies += line;
  std::vector<Run> found;
  for (const std::string& line : reference_lines("ns3/" + group + ".jsonl")) {
    Run run;
    run.one.name = text_after(line, "\"case\"");
    run.one.protocol = text_after(line, "\"cc\"");
    if (has(run.one.name, "dcqcn_paper")) run.one.protocol = "dcqcn_paper";
    run.one.gigabits = static_cast<std::int64_t>(number_after(line, "\"link_gbps\""));
    run.one.payload = static_cast<std::int64_t>(number_after(line, "\"payload_bytes\""));
    run.one.buffer_mib = static_cast<std::int64_t>(number_after(line, "\"buffer_mib\""));
    run.longest_rtt_ns = number_after(line, "\"max_rtt_ns\"");
    run.flows = rows_after(line, "\"rows\"", line.find("\"flows\""));
    run.paths = rows_after(line, "\"rows\"", line.find("\"paths\""));
    run.links = rows_after(topologies, "\"links\"",
                           topologies.find("\"" + text_after(line, "\"topo_id\"") + "\""));
    if (!run.flows.empty()) found.push_back(std::move(run));
  }
  return found;
}

class Network final : Deliveries {
 public:
  explicit Network(const Run& run) : run_(run), engine_(network(), parameters(), 1) {}

  /// Time of the last byte of each flow, ns.
  std::vector<double> simulate() {
    times_.resize(run_.flows.size());
    for (std::uint32_t i = 0; i < run_.flows.size(); ++i) {
      const auto& flow = run_.flows[i];
      engine_.post(connect(flow), Time::nanoseconds(std::llround(flow[4])),
                   Bytes(std::llround(flow[3])), i);
    }
    engine_.run(*this);
    return times_;
  }

 private:
  [[nodiscard]] std::uint32_t hosts() const {
    double most = 0;
    for (const auto& flow : run_.flows) most = std::max({most, flow[0], flow[1]});
    return static_cast<std::uint32_t>(most) + 1;
  }
  NetworkSpec network() {
    NetworkSpec spec{.links = {},
                     .mtu = Bytes(run_.one.payload),
                     .overhead = Bytes(testing::overhead(run_.one))};
    for (const auto& link : run_.links) {
      const auto a = static_cast<std::uint32_t>(link[0]), b = static_cast<std::uint32_t>(link[1]);
      const auto number = static_cast<std::uint32_t>(spec.links.size());
      const auto add = [&](std::uint32_t from, std::uint32_t to, std::uint32_t reverse) {
        number_[{from, to}] = static_cast<std::uint32_t>(spec.links.size());
        spec.links.push_back({.from = from,
                              .to = to,
                              .rate = Bandwidth::gigabits_per_second(std::llround(link[2])),
                              .latency = Time::nanoseconds(std::llround(link[3])),
                              .reverse = reverse,
                              .is_sender = from < hosts(),
                              .is_last = to < hosts()});
      };
      add(a, b, number + 1);
      add(b, a, number);
      spec.devices = std::max<std::size_t>({spec.devices, a + 1U, b + 1U});
    }
    return spec;
  }
  Parameters parameters() const {
    const Time latency = Time::nanoseconds(std::llround(run_.links.front()[3]));
    Parameters p = emulation(run_.one, latency);
    p.hpcc.base_rtt = Time::nanoseconds(std::llround(run_.longest_rtt_ns));
    if (has(run_.one.name, "k100_400")) {
      p.switches.ecn.k_min = Bytes(100'000);
      p.switches.ecn.k_max = Bytes(400'000);
    }
    return p;
  }
  std::uint32_t connect(const std::vector<double>& flow) {
    const auto from = static_cast<std::uint32_t>(flow[0]), to = static_cast<std::uint32_t>(flow[1]);
    std::vector<std::uint32_t> devices{from};
    for (const auto& path : run_.paths)
      if (path[0] == flow[0] && path[1] == flow[1] && path[2] == flow[2])
        for (std::size_t i = 3; i < path.size(); ++i)
          devices.push_back(static_cast<std::uint32_t>(path[i]));
    if (devices.size() == 1) append_line(devices, to);
    devices.push_back(to);
    RouteSpec there, back;
    for (std::size_t i = 0; i + 1 < devices.size(); ++i) {
      there.links.push_back(number_.at({devices[i], devices[i + 1]}));
      back.links.insert(back.links.begin(), number_.at({devices[i + 1], devices[i]}));
    }
    const auto first = engine_.add_route(there);
    return engine_.add_pair(first, 1, engine_.add_route(back));
  }
  /// Switches in a line, for which no paths are recorded.
  void append_line(std::vector<std::uint32_t>& devices, std::uint32_t to) const {
    while (!number_.contains({devices.back(), to})) {
      const std::uint32_t at = devices.back();
      const auto next = std::find_if(number_.begin(), number_.end(), [&](const auto& link) {
        return link.first.first == at && std::ranges::count(devices, link.first.second) == 0 &&
               link.first.second >= hosts();
      });
      devices.push_back(next->first.second);
    }
  }
  void delivered(std::uint32_t tag, Time at) override {
    times_[tag] = at.microseconds() * 1e3 - run_.flows[tag][4];
  }

  const Run& run_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> number_;
  Engine engine_;
  std::vector<double> times_;
};

/// Flow by flow, the last byte. `most`: of the median over all flows.
template <class Wanted>
void compare(const std::vector<std::string>& groups, double most, Wanted wanted) {
  std::vector<double> errors;
  for (const std::string& group : groups) {
    for (const Run& run : runs(group)) {
      if (!wanted(run.one) || run.one.protocol == "dctcp") continue;
      std::vector<double> times = Network(run).simulate(), theirs, of_case;
      for (const auto& flow : run.flows) theirs.push_back(flow[6]);
      for (std::size_t i = 0; i < times.size(); ++i)
        of_case.push_back(std::abs(times[i] / theirs[i] - 1));
      errors.insert(errors.end(), of_case.begin(), of_case.end());
      std::sort(of_case.begin(), of_case.end());
      const double sum = std::accumulate(times.begin(), times.end(), 0.0);
      const double their_sum = std::accumulate(theirs.begin(), theirs.end(), 0.0);
      std::printf(
          "%-34s flows %3zu  mean %9.1f / %9.1f us %+6.2f %%  median %5.2f %%  worst %6.2f %%\n",
          run.one.name.c_str(), times.size(), sum / 1e3 / static_cast<double>(times.size()),
          their_sum / 1e3 / static_cast<double>(times.size()), 100 * (sum / their_sum - 1),
          100 * of_case[of_case.size() / 2], 100 * of_case.back());
    }
  }
  if (errors.empty()) GTEST_SKIP() << "no reference runs in ../shared/truth/packet";
  std::sort(errors.begin(), errors.end());
  std::printf("median over %zu flows: %.2f %%\n", errors.size(), 100 * errors[errors.size() / 2]);
  EXPECT_LE(errors[errors.size() / 2], most);
}

TEST(Ns3Paths, FlowsWithPausesAreThoseOfNs3) {
  compare({"a_single", "b_share", "d_perm16"}, 0.01,
          [](const Case& one) { return one.protocol == "pfc" && !has(one.name, "pfcmicro"); });
}

TEST(Ns3Paths, FlowsUnderHpccAreThoseOfNs3) {
  compare({"a_single", "b_share", "c_dynamics", "d_perm16"}, 0.05,
          [](const Case& one) { return one.protocol == "hpcc"; });
}

TEST(Ns3Paths, FlowsUnderDcqcnAreThoseOfNs3) {
  compare({"a_single", "b_share", "c_dynamics", "d_perm16"}, 0.05,
          [](const Case& one) { return has(one.protocol, "dcqcn"); });
}

}  // namespace
}  // namespace railyard::sim::packet
