#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "sim/packet/engine/engine.hpp"
#include "sim/packet/parameter_check.hpp"
#include "tests/sim/packet/reference_text.hpp"

namespace railyard::sim::packet {
namespace {

using namespace railyard::literals;
using testing::number_after;
using testing::reference_lines;
using testing::rows_after;
using testing::text_after;

/// A reference run of uet-htsim (truth/packet/reference/README.md): flows of [source, destination,
/// bytes, start, completion].
struct Case {
  std::string name, protocol;
  std::string topology;  ///< in words, behind its name
  double gigabits = 0, latency_ns = 0, cwnd = 0, queue = 0, rto_us = 0, network_rtt_us = 0;
  double ecn_low = 0, ecn_high = 0;
  std::vector<std::vector<double>> flows{};
};

std::vector<Case> cases(const std::string& group) {
  std::vector<Case> found;
  for (const std::string& line : reference_lines("htsim/" + group + ".jsonl")) {
    Case one{.name = text_after(line, "\"case\""),
             .protocol = text_after(line, "\"proto\""),
             .topology = line.substr(0, line.find("\"proto\""))};
    one.gigabits = number_after(line, "\"link_gbps\"");
    one.latency_ns = number_after(line, "\"latency_ns\"");
    one.cwnd = number_after(line, "\"-cwnd\"");
    one.queue = number_after(line, "\"queue_limit_bytes\"");
    one.rto_us = number_after(line, "\"Setting min RTO\"");
    one.network_rtt_us = number_after(line, "\"network_max_unloaded_rtt\"");
    one.ecn_low = number_after(line, "parameters low");
    one.ecn_high = number_after(line, " high");
    one.flows = rows_after(line, "\"rows\"", line.find("\"flows\""));
    if (!one.flows.empty()) found.push_back(std::move(one));
  }
  return found;
}

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

constexpr std::int64_t kPayload = 4096, kHeader = 64;

/// Hosts below leaves, leaves below spines, or a fat tree of k = 4 with hosts in pairs.
struct Tree {
  std::uint32_t hosts = 0, per_leaf = 0, spines = 0;
  bool is_fat = false;
};

Tree tree_of(const Case& one) {
  if (has(one.topology, "star")) return {.hosts = 33, .per_leaf = 33, .spines = 0};
  if (has(one.topology, "fat tree"))
    return {.hosts = 16, .per_leaf = 2, .spines = 2, .is_fat = true};
  const std::uint32_t spines = has(one.topology, "1 spine")    ? 1
                               : has(one.topology, "2 spines") ? 2
                                                               : 4;
  return {.hosts = 16, .per_leaf = 4, .spines = spines};
}

class Network final : Deliveries {
 public:
  Network(const Case& one, const Parameters& parameters)
      : one_(one), tree_(tree_of(one)), engine_(links(), parameters, 1), draw_(13) {}

  /// Completion of each flow with the acknowledgement of its last byte, us, sorted.
  std::vector<double> run() {
    std::uint32_t tag = 0;
    for (const auto& flow : one_.flows) {
      const auto from = static_cast<std::uint32_t>(flow[0]),
                 to = static_cast<std::uint32_t>(flow[1]);
      engine_.post(connect(from, to), Time::picoseconds(std::llround(flow[3] * 1e6)),
                   Bytes(static_cast<std::int64_t>(flow[2])), tag++);
      back_us_.push_back(static_cast<double>(hops_) *
                         (one_.latency_ns / 1e3 + kHeader * 8 / one_.gigabits / 1e3));
    }
    times_.resize(tag);
    engine_.run(*this);
    std::sort(times_.begin(), times_.end());
    return times_;
  }
  Engine& engine() { return engine_; }

 private:
  using Links = std::vector<std::uint32_t>;

  NetworkSpec links() {
    NetworkSpec spec{.links = {}, .mtu = Bytes(kPayload), .overhead = Bytes(kHeader)};
    const std::uint32_t leaves = (tree_.hosts + tree_.per_leaf - 1) / tree_.per_leaf;
    const auto add = [&](std::uint32_t from, std::uint32_t to) {
      const auto number = static_cast<std::uint32_t>(spec.links.size());
      const auto one = [&](std::uint32_t a, std::uint32_t b, std::uint32_t reverse) {
        spec.links.push_back(
            {.from = a,
             .to = b,
             .rate = Bandwidth::gigabits_per_second(static_cast<std::int64_t>(one_.gigabits)),
             .latency = Time::nanoseconds(static_cast<std::int64_t>(one_.latency_ns)),
             .reverse = reverse,
             .is_sender = a < tree_.hosts,
             .is_last = b < tree_.hosts});
      };
      one(from, to, number + 1);
      one(to, from, number);
    };
    for (std::uint32_t host = 0; host < tree_.hosts; ++host)
      add(host, tree_.hosts + host / tree_.per_leaf);
    const std::uint32_t spines = tree_.is_fat ? leaves : tree_.spines;
    for (std::uint32_t leaf = 0; leaf < leaves; ++leaf)
      for (std::uint32_t s = 0; s < tree_.spines; ++s)
        add(tree_.hosts + leaf, tree_.hosts + leaves + (tree_.is_fat ? leaf / 2 * 2 + s : s));
    spec.devices = tree_.hosts + leaves + spines;
    if (!tree_.is_fat) return spec;
    // Aggregation switch a of a pod to cores 2a and 2a + 1.
    for (std::uint32_t pod = 0; pod < leaves / 2; ++pod)
      for (std::uint32_t a = 0; a < 2; ++a)
        for (std::uint32_t c = 0; c < 2; ++c)
          add(tree_.hosts + leaves + 2 * pod + a, tree_.hosts + leaves + spines + 2 * a + c);
    spec.devices += 4;
    return spec;
  }
  [[nodiscard]] std::uint32_t up(std::uint32_t leaf, std::uint32_t s) const {
    return 2 * (tree_.hosts + leaf * tree_.spines + s);
  }
  [[nodiscard]] std::uint32_t to_core(std::uint32_t pod, std::uint32_t a, std::uint32_t c) const {
    return 2 * (tree_.hosts + tree_.hosts / tree_.per_leaf * tree_.spines + 4 * pod + 2 * a + c);
  }
  /// All paths, each once.
  [[nodiscard]] std::vector<Links> paths(std::uint32_t from, std::uint32_t to) const {
    const std::uint32_t a = from / tree_.per_leaf, b = to / tree_.per_leaf;
    if (a == b) return {{2 * from, 2 * to + 1}};
    std::vector<Links> all;
    for (std::uint32_t s = 0; s < tree_.spines; ++s) {
      if (!tree_.is_fat || a / 2 == b / 2) {
        all.push_back({2 * from, up(a, s), up(b, s) + 1, 2 * to + 1});
        continue;
      }
      for (std::uint32_t c = 0; c < 2; ++c)
        all.push_back({2 * from, up(a, s), to_core(a / 2, s, c), to_core(b / 2, s, c) + 1,
                       up(b, s) + 1, 2 * to + 1});
    }
    return all;
  }
  std::uint32_t connect(std::uint32_t from, std::uint32_t to) {
    const std::vector<Links> all = paths(from, to);
    const std::vector<Links> reverse = paths(to, from);
    hops_ = all.front().size();
    // NDP permutes the paths anew when all are used; EQDS and UEC have 64 and 128 path numbers,
    // which switches hash.
    const std::size_t count = all.size() == 1 ? 1 : 64;
    std::vector<std::size_t> order;
    std::uint32_t first = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (order.empty()) {
        for (std::size_t p = 0; p < all.size(); ++p) order.push_back(p);
        std::shuffle(order.begin(), order.end(), draw_);
      }
      std::size_t pick = order.back();
      order.pop_back();
      if (one_.protocol != "ndp") pick = draw_() % all.size();
      const auto route = engine_.add_route({.links = all[pick], .before = {}, .behind = {}});
      if (i == 0) first = route;
    }
    const auto back =
        engine_.add_route({.links = reverse[draw_() % reverse.size()], .before = {}, .behind = {}});
    return engine_.add_pair(first, static_cast<std::uint32_t>(count), back);
  }
  void delivered(std::uint32_t tag, Time at) override {
    times_[tag] = at.microseconds() - one_.flows[tag][3] + back_us_[tag];
  }

  const Case& one_;
  Tree tree_;
  Engine engine_;
  std::mt19937_64 draw_;
  std::size_t hops_ = 0;
  std::vector<double> times_, back_us_;
};

/// 2:1.
bool is_oversubscribed(const Case& one) {
  const Tree tree = tree_of(one);
  return !tree.is_fat && tree.spines > 0 && 2 * tree.spines == tree.per_leaf;
}

Parameters emulation(const Case& one) {
  Parameters p;
  const auto rate = Bandwidth::gigabits_per_second(static_cast<std::int64_t>(one.gigabits));
  p.switches.cut_through = false;
  p.nic.ack_bytes = p.switches.trimmed_bytes = Bytes(kHeader);
  if (one.protocol == "roce_pfc") {
    // A fixed threshold of 15 packets of 4,096 bytes: a small part of a buffer without end.
    p.congestion = Congestion::none;
    p.switches.buffer = Bytes(61'440'000'000'000);
    p.switches.alpha = 1e-9;
    p.switches.reserved = Bytes(0);
    p.switches.resume_gap = Bytes(3 * kPayload);
    p.nic.ack_interval = 1;
    return p;
  }
  p.transport = one.protocol == "ndp" ? Transport::ndp : Transport::uec;
  p.congestion = one.protocol == "ndp"       ? Congestion::ndp
                 : has(one.protocol, "nscc") ? Congestion::nscc
                                             : Congestion::rccc;
  const bool is_uec = has(one.protocol, "uec");
  // One bandwidth-delay product of the longest path, rounded up to packets, as printed for ECN.
  const double product = one.network_rtt_us * one.gigabits * 1e3 / 8;
  const double packet = kPayload + kHeader;
  const double queue = is_uec ? std::ceil(product / packet) * packet : one.queue;
  p.switches.lossless = false;
  p.switches.alpha = 1;
  p.switches.buffer = Bytes(1 << 30);
  // htsim counts the packet on the wire.
  p.switches.queue = Bytes(static_cast<std::int64_t>(queue - packet));
  p.switches.trim = true;
  p.switches.control = one.protocol == "ndp" ? ControlQueue::weighted : ControlQueue::strict;
  p.nic.recovery = Recovery::selective;
  if (is_uec) {
    p.switches.ecn = {.k_min = Bytes(static_cast<std::int64_t>(one.ecn_low)),
                      .k_max = Bytes(static_cast<std::int64_t>(one.ecn_high)),
                      .p_max = 1,
                      .reference = rate};
    p.nscc.network_rtt = Time::picoseconds(std::llround(one.network_rtt_us * 1e6));
    p.nic.path_choice = has(one.protocol, "oblivious") ? PathChoice::in_turn
                        : has(one.protocol, "reps")    ? PathChoice::reps
                                                       : PathChoice::mixed;
    // Receivers slow down where the topology is oversubscribed and senders have no window.
    if (p.congestion == Congestion::rccc && is_oversubscribed(one)) p.rccc.oversubscription = 2;
    p.rccc.interval = p.nscc.network_rtt;
  }
  const double window = is_uec ? 1.5 * product / packet : one.cwnd;
  p.nic.initial_window = Bytes(static_cast<std::int64_t>(window) * kPayload);
  p.nic.retransmit_timeout =
      one.rto_us > 0 ? Time::picoseconds(std::llround(one.rto_us * 1e6)) : 1_ms;
  return p;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

/// Compares the completion times in their order, as paths are drawn: the median over all flows of
/// the difference. Runs the cases that `wanted` takes.
template <class Wanted>
void compare(const std::vector<std::string>& groups, double most, Wanted wanted) {
  std::vector<double> errors;
  for (const std::string& group : groups) {
    for (const Case& one : cases(group)) {
      if (has(one.name, "mtu1000") || !wanted(one)) continue;
      const Parameters parameters = emulation(one);
      check(parameters);
      Network network(one, parameters);
      const std::vector<double> times = network.run();
      std::vector<double> theirs, of_case;
      double sum = 0, their_sum = 0;
      for (const auto& flow : one.flows) theirs.push_back(flow[4]);
      std::sort(theirs.begin(), theirs.end());
      for (std::size_t i = 0; i < times.size(); ++i) {
        of_case.push_back(std::abs(times[i] / theirs[i] - 1));
        sum += times[i];
        their_sum += theirs[i];
      }
      errors.insert(errors.end(), of_case.begin(), of_case.end());
      std::printf(
          "%-42s mean %9.2f / %9.2f us %+6.2f %%  last %+6.2f %%  median of flows %5.2f %%  "
          "trimmed %5.0f  lost %3.0f  timeouts %3.0f\n",
          one.name.c_str(), sum / static_cast<double>(times.size()),
          their_sum / static_cast<double>(times.size()), 100 * (sum / their_sum - 1),
          100 * (times.back() / theirs.back() - 1), 100 * median(of_case),
          static_cast<double>(network.engine().counters().trimmed),
          static_cast<double>(network.engine().counters().lost),
          static_cast<double>(network.engine().counters().timeouts));
    }
  }
  if (errors.empty()) GTEST_SKIP() << "no reference runs in ../shared/truth/packet";
  std::printf("median over %zu flows: %.2f %%\n", errors.size(), 100 * median(errors));
  EXPECT_LE(median(errors), most);
}

const std::vector<std::string> kAll{"a_single", "b_incast", "b_share", "c_dynamics", "d_perm16"};

TEST(Htsim, RoceOnOneSwitchIsThatOfHtsim) {
  compare({"a_single", "b_incast"}, 0.05,
          [](const Case& one) { return one.protocol == "roce_pfc" && has(one.topology, "star"); });
}

TEST(Htsim, NdpIsThatOfHtsim) {
  compare(kAll, 0.05, [](const Case& one) { return one.protocol == "ndp"; });
}

TEST(Htsim, ReceiverCreditsAreThoseOfHtsim) {
  compare(kAll, 0.05,
          [](const Case& one) { return one.protocol == "eqds" || one.protocol == "uec_rccc"; });
}

TEST(Htsim, NsccIsThatOfHtsim) {
  compare(kAll, 0.05, [](const Case& one) { return has(one.protocol, "nscc"); });
}

}  // namespace
}  // namespace railyard::sim::packet
