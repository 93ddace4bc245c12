#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "core/diagnostic.hpp"
#include "sim/packet/parameter_check.hpp"
#include "tests/sim/packet/star.hpp"

namespace railyard::sim::packet {
namespace {

using namespace railyard::literals;
using testing::Star;

/// Flows of equal messages from hosts 0, 1, ... into the last host of a star, which may read them.
/// Every cable has 1 us.
class Incast {
 public:
  static constexpr std::int64_t kMessage = 64'000;

  struct What {
    std::uint32_t flows;
    Bandwidth rate;
    Bytes payload;  ///< of a packet
    bool reads = false;
  };
  Incast(const What& what, Parameters parameters)
      : flows_(what.flows),
        rate_(what.rate),
        star_(std::vector<Bandwidth>(what.flows + 1, what.rate), std::move(parameters), 1,
              {.payload = what.payload, .overhead = Bytes(82), .latency = 1_us}) {
    star_.engine().sample_queues(5_us);
    for (std::uint32_t i = 0; i < flows_; ++i)
      pairs_.push_back(what.reads ? star_.connect_reader(flows_, i) : star_.connect(i, flows_));
  }
  /// Messages that take `duration` at a fair share, from `start` on.
  void send(std::uint32_t flow, Time start, Time duration) {
    const double bytes = static_cast<double>(rate_.bits_per_second()) / 8 * duration.seconds();
    const auto messages = static_cast<std::int64_t>(bytes / flows_ / kMessage);
    for (std::int64_t i = 0; i < messages; ++i) {
      owner_.push_back(flow);
      star_.send(pairs_[flow], Bytes(kMessage), start);
    }
  }
  void run() { star_.run(); }

  /// Payload in bit/s that a flow delivers in [from, to).
  [[nodiscard]] double goodput(std::uint32_t flow, Time from, Time to) const {
    double bytes = 0;
    for (std::uint32_t tag = 0; tag < owner_.size(); ++tag) {
      const Time at = Time::picoseconds(star_.done(tag));
      if (owner_[tag] == flow && at >= from && at < to) bytes += kMessage;
    }
    return bytes * 8 / (to - from).seconds();
  }
  /// Mean over time of the bytes that wait for the shared link.
  [[nodiscard]] double mean_queue(Time from, Time to) {
    double sum = 0;
    for (const QueueSample& sample : star_.engine().queue_samples())
      if (sample.link == Star::down(flows_) && sample.time >= from.picoseconds() &&
          sample.time < to.picoseconds())
        sum += sample.bytes;
    return sum / ((to - from).seconds() / 5e-6);
  }
  Engine& engine() { return star_.engine(); }

 private:
  std::uint32_t flows_;
  Bandwidth rate_;
  Star star_;
  std::vector<std::uint32_t> pairs_, owner_;
};

/// Jain's index of fairness.
double fairness(const std::vector<double>& shares) {
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  double squares = 0;
  for (const double share : shares) squares += share * share;
  return sum * sum / (static_cast<double>(shares.size()) * squares);
}

Parameters with(Congestion congestion) {
  auto parameters = Star::store_and_forward();
  parameters.congestion = congestion;
  return parameters;
}

/// The marking probability at which n flows are at the fixed point of DCQCN's fluid model (Zhu et
/// al., SIGCOMM 2015, section 5; "ECN or delay", CoNEXT 2016, section 3.1), R in packets per
/// second:
///
///     a^2 alpha = tau^2 R_AI R (b + d) (c + e), tau: the least time between CNPs
///     a = 1 - (1-p)^(tau R), alpha = 1 - (1-p)^(tau' R), b = p / ((1-p)^-B - 1),
///     d = p / ((1-p)^(-T R) - 1), c = (1-p)^(F B) b, e = (1-p)^(F T R) d
double dcqcn_marking(double rate, double additive, double packet, double tau = 50e-6) {
  const double r = rate / 8 / packet, rai = additive / 8 / packet, b_packets = 10e6 / packet;
  constexpr double kAlpha = 55e-6, kTimer = 55e-6, kRecovery = 5;
  const auto excess = [&](double p) {
    const double l = -std::log1p(-p);
    const double a = -std::expm1(-l * tau * r), alpha = -std::expm1(-l * kAlpha * r);
    const double b = p / std::expm1(l * b_packets), d = p / std::expm1(l * kTimer * r);
    const double c = std::exp(-l * kRecovery * b_packets) * b;
    const double e = std::exp(-l * kRecovery * kTimer * r) * d;
    return a * a * alpha - tau * tau * rai * r * (b + d) * (c + e);
  };
  double low = 1e-9, high = 0.5;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (excess(middle) > 0 ? high : low) = middle;
  }
  return low;
}

/// The same from the times between cuts, which the fluid model takes as a Poisson process although
/// a receiver waits tau between CNPs: a cut is followed by X = tau + E, E exponential with mean 1 /
/// (p R), and by K = floor(X / T) increases, P(K >= k) = exp(-p R (k T - tau)). Over a cycle the
/// target loses its lead over the rate, half the cut after each increase, and gains R_AI for each
/// increase beyond F; with n = max(0, K - F) of them,
///
///     (alpha / 2) R E[2^-K] = R_AI (E[n] - E[1 - 2^-n]),  alpha = 1 / (1 + E[K])
double dcqcn_marking_by_cycles(double rate, double additive, double packet) {
  const double r = rate / 8 / packet;
  constexpr double kTau = 50e-6, kTimer = 55e-6;
  constexpr int kRecovery = 5, kTerms = 4000;
  const auto excess = [&](double p) {
    const double events = -std::log1p(-p) * r;
    const auto at_least = [&](int k) {
      return k == 0 ? 1.0 : std::exp(-events * std::max(0.0, k * kTimer - kTau));
    };
    double steps = 0, additive_steps = 0, left = 0, left_additive = 1 - at_least(kRecovery + 1);
    for (int k = 0; k < kTerms; ++k) {
      const double exactly = at_least(k) - at_least(k + 1);
      if (k > 0) steps += at_least(k);
      if (k > kRecovery) {
        additive_steps += at_least(k);
        left_additive += exactly * std::exp2(kRecovery - k);
      }
      left += exactly * std::exp2(-k);
    }
    const double alpha = 1 / (1 + steps);
    return alpha / 2 * rate * left - additive * (additive_steps - (1 - left_additive));
  };
  double low = 1e-6, high = 0.3;
  for (int i = 0; i < 60; ++i) {
    const double middle = std::sqrt(low * high);
    (excess(middle) > 0 ? high : low) = middle;
  }
  return low;
}

/// Flows of 40 Gb/s links at their fixed point, in a switch that marks 2 % of the packets at 400
/// KB.
struct FixedPoint {
  double queue = 0;            ///< bytes
  std::vector<double> shares;  ///< of the link
};

FixedPoint fixed_point(std::uint32_t flows, const DcqcnParameters& dcqcn, Time measured,
                       Bytes k_min = 5'000_B, bool reads = false) {
  auto parameters = with(Congestion::dcqcn);
  parameters.dcqcn = dcqcn;
  parameters.switches.ecn = {
      .k_min = k_min, .k_max = 400'000_B, .p_max = 0.02, .reference = 40_Gbps};
  const Time from = 50_ms, to = from + measured;
  Incast incast({.flows = flows, .rate = 40_Gbps, .payload = 1000_B, .reads = reads}, parameters);
  for (std::uint32_t i = 0; i < flows; ++i) incast.send(i, Time(), to + 10_ms);
  incast.run();
  FixedPoint result{.queue = incast.mean_queue(from, to), .shares = {}};
  for (std::uint32_t i = 0; i < flows; ++i)
    result.shares.push_back(incast.goodput(i, from, to) / (40e9 * 1000 / 1082));
  return result;
}

/// Of the switch in fixed_point() that marks with probability p.
double queue_at(double p, double k_min = 5e3) { return k_min + p / 0.02 * (400e3 - k_min); }

class DcqcnFixedPoint : public ::testing::TestWithParam<int> {};

TEST_P(DcqcnFixedPoint, QueueAndSharesAreThoseOfTheCycleModel) {
  const auto flows = static_cast<std::uint32_t>(GetParam());
  const FixedPoint found = fixed_point(flows, {}, 200_ms);
  const double fluid = queue_at(dcqcn_marking(40e9 / flows, 40e6, 1082));
  const double cycles = queue_at(dcqcn_marking_by_cycles(40e9 / flows, 40e6, 1082));
  RecordProperty("queue", std::to_string(found.queue));
  EXPECT_NEAR(found.queue / cycles, 1, 0.06);
  // The fluid model lets CNPs follow each other without a wait, so its probability is too low.
  EXPECT_GT(found.queue, fluid);
  for (const double share : found.shares) EXPECT_NEAR(share * flows, 1, 0.07);
  EXPECT_GT(fairness(found.shares), 0.998);
}

// What the fluid model assumes: a receiver answers each mark (a CNP may follow the last one after 1
// us), and alpha changes by its timer alone. Then the queue is that of the published equations.
TEST_P(DcqcnFixedPoint, QueueIsThatOfTheFluidModelWhereItsAssumptionsHold) {
  const auto flows = static_cast<std::uint32_t>(GetParam());
  const DcqcnParameters dcqcn{.cnp_interval = 1_us, .decrease_interval = 1_us};
  const FixedPoint found = fixed_point(flows, dcqcn, 200_ms, 0_B);
  const double fluid = queue_at(dcqcn_marking(40e9 / flows, 40e6, 1082, 1e-6), 0);
  std::printf("%u flows: queue %.1f KB, fluid model %.1f KB, %+.1f %%\n", flows, found.queue / 1e3,
              fluid / 1e3, 100 * (found.queue / fluid - 1));
  EXPECT_NEAR(found.queue / fluid, 1, 0.06);
}

// A share differs from the fair one by the cuts within the time of the measurement, about alpha / 2
// = 8 % for some milliseconds each: four times the time halves the difference.
TEST(DcqcnShares, AreFairWithinFivePercentOverASecond) {
  const FixedPoint found = fixed_point(4, {}, 800_ms);
  for (const double share : found.shares) {
    std::printf("share %.4f of the fair one\n", 4 * share);
    EXPECT_NEAR(4 * share, 1, 0.05);
  }
}

// Requesters send the notifications.
TEST(ReadsUnder, DcqcnHaveTheQueueOfTheCycleModel) {
  const FixedPoint found = fixed_point(2, {}, 200_ms, 5'000_B, true);
  EXPECT_NEAR(found.queue / queue_at(dcqcn_marking_by_cycles(20e9, 40e6, 1082)), 1, 0.06);
  for (const double share : found.shares) EXPECT_NEAR(share * 2, 1, 0.07);
}

INSTANTIATE_TEST_SUITE_P(Flows, DcqcnFixedPoint, ::testing::Values(2, 4, 10));

TEST(Hpcc, QueuesStayNearZeroAtTheTargetUtilisation) {
  Incast incast({.flows = 4, .rate = 100_Gbps, .payload = 1000_B}, with(Congestion::hpcc));
  for (std::uint32_t i = 0; i < 4; ++i) incast.send(i, Time(), 4_ms);
  incast.run();
  double sum = 0;
  for (std::uint32_t i = 0; i < 4; ++i) sum += incast.goodput(i, 1_ms, 3_ms);
  const double queue = incast.mean_queue(1_ms, 3_ms);
  EXPECT_NEAR(sum * 1082 / 1000 / 100e9, 0.95, 0.02);
  EXPECT_LT(queue, 4 * 1082);  // a packet a flow
  EXPECT_EQ(incast.engine().counters().pauses, 0U);
}

// A second flow joins one that has the link.
TEST(Hpcc, ANewFlowGetsItsShare) {
  Incast incast({.flows = 2, .rate = 100_Gbps, .payload = 1000_B}, with(Congestion::hpcc));
  incast.send(0, Time(), 30_ms);
  incast.send(1, 1_ms, 20_ms);
  incast.run();
  const double first = incast.goodput(0, 10_ms, 18_ms), second = incast.goodput(1, 10_ms, 18_ms);
  EXPECT_GT(fairness({first, second}), 0.99);
}

TEST(Swift, FlowsConvergeToEqualSharesBelowTheTargetDelay) {
  Incast incast({.flows = 4, .rate = 100_Gbps, .payload = 4096_B}, with(Congestion::swift));
  for (std::uint32_t i = 0; i < 4; ++i) incast.send(i, 1_us * (200 * i), 12_ms);
  incast.run();
  std::vector<double> shares;
  for (std::uint32_t i = 0; i < 4; ++i) shares.push_back(incast.goodput(i, 2_ms, 10_ms));
  const double queue = incast.mean_queue(2_ms, 10_ms);
  EXPECT_GT(fairness(shares), 0.99);
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  EXPECT_GT(sum * 4178 / 4096, 0.97 * 100e9);
  // 2 us of queueing and at most 10 us of flow scaling at 12,500 bytes a microsecond.
  EXPECT_GT(queue, 0.3 * 2 * 12'500);
  EXPECT_LT(queue, 12 * 12'500);
}

// Patched TIMELY: rtt = reference (1 + n additive / (beta C)) for every flow.
void expect_fixed_point_of_timely(bool reads) {
  auto parameters = with(Congestion::timely);
  parameters.timely.patched = true;
  parameters.timely.beta = 0.008;
  parameters.nic.ack_interval = 16;
  Incast incast({.flows = 2, .rate = 10_Gbps, .payload = 1000_B, .reads = reads}, parameters);
  incast.send(0, Time(), 300_ms);
  incast.send(1, 5_ms, 300_ms);
  incast.run();
  const std::vector<double> shares{incast.goodput(0, 150_ms, 290_ms),
                                   incast.goodput(1, 150_ms, 290_ms)};
  const double reference = 100 * (1 + 2 * 10e6 / (0.008 * 10e9));
  const double queue_us = incast.mean_queue(150_ms, 290_ms) / 1250;
  const double base = 2 * 2 + 2 * 1082 / 1250.0;
  EXPECT_GT(fairness(shares), 0.99);
  EXPECT_NEAR((queue_us + base) / reference, 1, 0.05);
}

TEST(Timely, ThePatchedOneConvergesToItsFixedPoint) { expect_fixed_point_of_timely(false); }

TEST(ReadsUnder, PatchedTimelyConvergeToItsFixedPoint) { expect_fixed_point_of_timely(true); }

/// Two flows that send without end to the same host, or two reads of it, and what they do from 2 to
/// 10 ms.
struct Shared {
  std::vector<double> shares;  ///< of the link, headers included
  double queue = 0;            ///< bytes
};

Shared two_flows(const Parameters& parameters, bool reads) {
  Incast incast({.flows = 2, .rate = 100_Gbps, .payload = 4096_B, .reads = reads}, parameters);
  for (std::uint32_t i = 0; i < 2; ++i) incast.send(i, 1_us * (200 * i), 13_ms);
  incast.run();
  Shared result{.shares = {}, .queue = incast.mean_queue(2_ms, 10_ms)};
  for (std::uint32_t i = 0; i < 2; ++i)
    result.shares.push_back(incast.goodput(i, 2_ms, 10_ms) * 4178 / 4096 / 100e9);
  EXPECT_EQ(incast.engine().counters().delivered_bytes, incast.engine().counters().posted_bytes);
  return result;
}

// W = Wc eta / U + W_AI holds for n flows of W = U C T / n, W_AI = C T (1 - eta) / flows, where
// U = eta + n (1 - eta) / flows: 0.951.
TEST(ReadsUnder, HpccFillTheLinkToItsTarget) {
  for (const bool reads : {false, true}) {
    const Shared found = two_flows(with(Congestion::hpcc), reads);
    EXPECT_NEAR(found.shares[0] + found.shares[1], 0.951, 0.01);
    EXPECT_GT(fairness(found.shares), 0.99);
    EXPECT_LT(found.queue, 2 * 4178);  // a packet a flow
  }
}

// The delay d stays within a packet of each flow around the target at the window w = C d / 2, in
// packets of 4178 bytes:
//
//     d = base + queueing + a / sqrt(w) - b,  a = 10 us / (1 / sqrt(0.1) - 1 / sqrt(100)), b = a /
//     10
TEST(ReadsUnder, SwiftKeepTheDelayAtItsTarget) {
  constexpr double kBase = 4 + 2 * (4178 + 84) * 8e-5;  // us, of a packet and its acknowledgement
  const double a = 10 / (1 / std::sqrt(0.1) - 0.1), b = a / 10;
  double d = kBase;
  for (int i = 0; i < 100; ++i) d = kBase + 2 + a / std::sqrt(12'500 * d / 2 / 4178) - b;
  for (const bool reads : {false, true}) {
    const Shared found = two_flows(with(Congestion::swift), reads);
    EXPECT_NEAR(found.queue, 12'500 * (d - kBase), 2 * 4178);
    EXPECT_GT(found.shares[0] + found.shares[1], 0.99);
    EXPECT_GT(fairness(found.shares), 0.99);
  }
}

struct Control {
  const char* name;
  Parameters parameters;
};

Parameters infiniband() {
  auto made = with(Congestion::ibcc);
  made.transport = Transport::ib;
  made.switches.credits = 256_KiB;
  made.switches.ecn = {.k_min = 64_KiB, .k_max = 64_KiB, .p_max = 1, .reference = 100_Gbps};
  return made;
}

Parameters ultra_ethernet(Congestion congestion) {
  auto made = with(congestion);
  made.transport = congestion == Congestion::ndp ? Transport::ndp : Transport::uec;
  made.switches.lossless = false;
  made.switches.trim = true;
  made.switches.control = ControlQueue::strict;
  made.switches.queue = Bytes(12 * Star::kPacket);
  made.switches.ecn = {.k_min = 10'000_B, .k_max = 40'000_B, .p_max = 1, .reference = 100_Gbps};
  made.nic.recovery = Recovery::selective;
  made.nic.retransmit_timeout = 200_us;
  return made;
}

class ReadsUnderAny : public ::testing::TestWithParam<Control> {};

// The other controls, and the two that settle within milliseconds: what they measure is the same.
// Shares of two flows of NSCC settle slowly, so their sum is compared.
TEST_P(ReadsUnderAny, ControlShareALinkAsWritesDo) {
  const Shared writes = two_flows(GetParam().parameters, false);
  const Shared reads = two_flows(GetParam().parameters, true);
  EXPECT_NEAR(reads.shares[0] + reads.shares[1], writes.shares[0] + writes.shares[1], 0.01);
  EXPECT_NEAR(reads.queue, writes.queue, 0.2 * writes.queue + 4178);
}

INSTANTIATE_TEST_SUITE_P(Controls, ReadsUnderAny,
                         ::testing::Values(Control{"hpcc", with(Congestion::hpcc)},
                                           Control{"swift", with(Congestion::swift)},
                                           Control{"ibcc", infiniband()},
                                           Control{"nscc", ultra_ethernet(Congestion::nscc)},
                                           Control{"rccc", ultra_ethernet(Congestion::rccc)},
                                           Control{"ndp", ultra_ethernet(Congestion::ndp)}),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(Congestion, WindowsNeedAnAcknowledgementPerPacket) {
  auto parameters = with(Congestion::hpcc);
  EXPECT_EQ(ack_interval_of(parameters), 1);
  EXPECT_NO_THROW(check(parameters));
  parameters.nic.ack_interval = 16;
  EXPECT_THROW(check(parameters), InputError);
}

}  // namespace
}  // namespace railyard::sim::packet
