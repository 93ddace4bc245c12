#include "sim/packet/engine/domains.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <random>
#include <string>
#include <tuple>

#include "core/diagnostic.hpp"
#include "sim/packet/engine/engine.hpp"

namespace railyard::sim::packet {
namespace {

using namespace railyard::literals;

LinkSpec link(std::uint32_t from, std::uint32_t to, Time latency) {
  return {.from = from, .to = to, .rate = 400_Gbps, .latency = latency};
}

// Devices 0 and 1 of a node, switches 2 and 3: the window is the shortest latency between domains.
TEST(Domains, TheLookaheadIsTheLeastLatencyBetweenDomains) {
  const std::vector<LinkSpec> links{link(0, 2, 1_us), link(2, 3, 700_ns), link(0, 1, 1_ns)};
  Domains parts(4);
  parts.join(0, 1);
  parts.freeze(links, std::vector<std::uint32_t>{0, 1, 2});
  EXPECT_EQ(parts.size(), 3U);
  EXPECT_EQ(parts.of(0), parts.of(1));
  EXPECT_EQ(parts.lookahead(), 700'000);
}

TEST(Domains, ShortLinksJoinTheirEnds) {
  const std::vector<LinkSpec> links{link(0, 2, 1_us), link(2, 3, 1_ns), link(3, 1, 1_us)};
  Domains parts(4);
  parts.freeze(links, std::vector<std::uint32_t>{0, 1, 2});
  EXPECT_EQ(parts.size(), 3U);
  EXPECT_EQ(parts.of(2), parts.of(3));
  EXPECT_EQ(parts.lookahead(), 1'000'000);
}

TEST(Domains, LinksWithoutLatencyMakeOneDomain) {
  const std::vector<LinkSpec> links{link(0, 1, Time()), link(1, 2, Time())};
  Domains parts(3);
  parts.freeze(links, std::vector<std::uint32_t>{0, 1});
  EXPECT_EQ(parts.size(), 1U);
  EXPECT_EQ(parts.lookahead(), Domains::kAlone);
}

/// Random messages between nodes of a GPU and two NICs below leaves and spines. Where a message
/// arrives, another one follows, twice.
class Traffic final : Deliveries {
 public:
  struct How {
    bool together = false;
    int threads = 1;
    std::optional<Parameters> parameters{};  ///< instead of random ones
    bool sprays = false;                     ///< over both spines
    bool reads = false;                      ///< destinations read
    bool may_fail = false;                   ///< queue pairs may run out of retries
  };
  Traffic(std::uint64_t seed, const How& how)
      : draw_(seed),
        sprays_(how.sprays),
        reads_(how.reads),
        network_(make_network()),
        engine_(network_, how.parameters ? *how.parameters : make_parameters(), seed) {
    if (how.together) engine_.keep_together();
    engine_.use_threads(how.threads);
    engine_.sample_queues(2_us);
    for (std::uint32_t p = 0; p < kPairs; ++p) {
      const std::uint32_t other = pick_other(p / 4);
      connect(reads_ ? other : p / 4, reads_ ? p / 4 : other);
    }
    done.assign(kRounds * kMessages, -1);
    for (std::uint32_t i = 0; i < kMessages; ++i) {
      const auto at = Time::picoseconds(static_cast<std::int64_t>(draw_() % 30) * 1'000'000);
      post(i, static_cast<std::uint32_t>(draw_() % kPairs), at);
    }
    try {
      engine_.run(*this);
    } catch (const InputError& failure) {
      if (!how.may_fail) throw;
      error = core::to_text(failure.diagnostics()[0]);
    }
    counters = engine_.counters();
    samples = engine_.queue_samples();
    carried = engine_.carried();
    end = engine_.now();
    for (std::uint32_t i = 0; i < network_.links.size(); ++i) {
      deepest.push_back(engine_.links()[i].most_queued);
      paused.push_back(engine_.pauses(i).total);
    }
  }

  std::vector<std::int64_t> done;      ///< ps, by message
  std::vector<std::uint32_t> deepest;  ///< by link
  std::vector<std::int64_t> paused;
  std::vector<QueueSample> samples;
  std::vector<std::uint64_t> carried;  ///< by link
  Time end;
  Counters counters;
  std::string error;  ///< of a queue pair that failed

 private:
  static constexpr std::uint32_t kHosts = 8, kLeaves = 2, kSpines = 2, kPairs = 4 * kHosts;
  static constexpr std::uint32_t kMessages = 300, kRounds = 3;

  std::uint32_t gpu(std::uint32_t host) const { return 3 * host; }
  std::uint32_t leaf(std::uint32_t host) const { return 3 * kHosts + host / (kHosts / kLeaves); }
  std::uint32_t pick_other(std::uint32_t host) {
    return (host + 1 + static_cast<std::uint32_t>(draw_() % (kHosts - 1))) % kHosts;
  }
  Time latency() {
    return Time::picoseconds(300'000 + static_cast<std::int64_t>(draw_() % 700'000));
  }
  std::uint32_t cable(NetworkSpec& spec, std::uint32_t a, std::uint32_t b, bool first, bool second,
                      Bandwidth rate, Time latency) {
    const auto number = static_cast<std::uint32_t>(spec.links.size());
    spec.links.push_back({.from = a,
                          .to = b,
                          .rate = rate,
                          .latency = latency,
                          .reverse = number + 1,
                          .is_sender = first,
                          .is_last = second});
    spec.links.push_back({.from = b,
                          .to = a,
                          .rate = rate,
                          .latency = latency,
                          .reverse = number,
                          .is_sender = second,
                          .is_last = first});
    return number;
  }
  NetworkSpec make_network() {
    NetworkSpec spec;
    spec.devices = 3 * kHosts + kLeaves + kSpines;
    const auto rate = [&] {
      constexpr std::array kRates{100, 200, 400, 300};
      return Bandwidth::gigabits_per_second(kRates[draw_() % kRates.size()]);
    };
    for (std::uint32_t h = 0; h < kHosts; ++h)
      for (std::uint32_t n = 1; n <= 2; ++n) {
        legs_.push_back(cable(spec, gpu(h), gpu(h) + n, true, true, 500_Gbps, 10_ns));
        const Time delay = latency();  // drawn first, whatever order a compiler gives arguments
        ups_.push_back(cable(spec, gpu(h) + n, leaf(h), true, false, rate(), delay));
      }
    for (std::uint32_t l = 0; l < kLeaves; ++l)
      for (std::uint32_t s = 0; s < kSpines; ++s)
        trunks_.push_back(cable(spec, 3 * kHosts + l, 3 * kHosts + kLeaves + s, false, false,
                                400_Gbps, draw_() % 4 == 0 ? 1_ns : latency()));
    return spec;
  }
  Parameters make_parameters() {
    Parameters p;
    p.congestion = draw_() % 2 == 0 ? Congestion::dcqcn : Congestion::none;
    p.switches.cut_through = draw_() % 2 == 0;
    p.switches.lossless = draw_() % 3 != 0;
    p.switches.buffer = Bytes(p.switches.lossless ? 1'000'000 : 300'000);
    p.switches.alpha = 0.5;
    p.switches.ecn = {.k_min = 5000_B, .k_max = 50'000_B, .p_max = 0.3, .reference = 100_Gbps};
    p.nic.ack_interval = static_cast<int>(1 + draw_() % 16);
    p.nic.retransmit_timeout = 100_us;
    if (draw_() % 2 == 0) p.nic.window = 60'000_B;
    const std::uint64_t classes = draw_() % 3;
    for (std::uint64_t i = 0; i < classes; ++i)
      p.switches.classes.push_back(
          {.scheduling = draw_() % 2 == 0 ? Scheduling::strict : Scheduling::weighted,
           .weight = static_cast<int>(1 + draw_() % 3)});
    classes_ = static_cast<std::uint32_t>(std::max<std::uint64_t>(classes, 1));
    if (classes_ > 1 && p.switches.lossless)  // twice the headroom
      p.switches.buffer = Bytes(1'900'000);
    return p;
  }
  // By one of the NICs, and through a spine between leaves. A quarter of the queue pairs occupy the
  // leg of the first NIC whichever they use.
  // The spines' routes follow each other where the queue pair sprays.
  void connect(std::uint32_t from, std::uint32_t to) {
    const std::uint32_t out = 2 * from + static_cast<std::uint32_t>(draw_() % 2);
    const std::uint32_t in = 2 * to + static_cast<std::uint32_t>(draw_() % 2);
    const auto spine = static_cast<std::uint32_t>(draw_() % kSpines);
    const auto trunk = [&](std::uint32_t host, std::uint32_t by) {
      return trunks_[(leaf(host) - 3 * kHosts) * kSpines + by];
    };
    RouteSpec start{.links = {ups_[out]}, .before = {legs_[out]}, .behind = {legs_[in] + 1}};
    if (draw_() % 4 == 0) start.before = {legs_[2 * from]};
    RouteSpec back{.links = {ups_[in]}, .before = {}, .behind = {}};
    const std::uint32_t paths = sprays_ && leaf(from) != leaf(to) ? kSpines : 1;
    std::uint32_t first = 0;
    for (std::uint32_t path = 0; path < paths; ++path) {
      RouteSpec there = start;
      const std::uint32_t by = (spine + path) % kSpines;
      if (leaf(from) != leaf(to))
        there.links.insert(there.links.end(), {trunk(from, by), trunk(to, by) + 1});
      there.links.push_back(ups_[in] + 1);
      const std::uint32_t number = engine_.add_route(there);
      if (path == 0) first = number;
    }
    if (leaf(from) != leaf(to))
      back.links.insert(back.links.end(), {trunk(to, spine), trunk(from, spine) + 1});
    back.links.push_back(ups_[out] + 1);
    to_.push_back(to);
    pairs_.push_back(engine_.add_pair(first, paths, engine_.add_route(back),
                                      static_cast<std::uint32_t>(pairs_.size()) % classes_));
    if (!reads_) return;
    const std::uint32_t request = engine_.add_route(back);
    RouteSpec way{.links = {}, .before = {}, .behind = {}};
    for (auto it = back.links.rbegin(); it != back.links.rend(); ++it)
      way.links.push_back(network_.links[*it].reverse);
    pairs_.back() = engine_.add_reader(pairs_.back(), request, engine_.add_route(way));
  }
  void post(std::uint32_t tag, std::uint32_t pair, Time at) {
    of_.resize(kRounds * kMessages);
    of_[tag] = pair;
    engine_.post(pairs_[pair], at, Bytes(1 + 7919 * std::int64_t{tag} % 100'000), tag);
  }
  // What follows is a function of the message: the order of deliveries at different hosts is not
  // defined.
  void delivered(std::uint32_t tag, Time at) override {
    done[tag] = at.picoseconds();
    if (tag + kMessages < done.size())
      post(tag + kMessages, to_[of_[tag]] * 4 + tag % 4, at + Time::picoseconds(tag % 2));
  }

  std::mt19937_64 draw_;
  std::vector<std::uint32_t> legs_, ups_, trunks_, to_, pairs_, of_;
  std::uint32_t classes_ = 1;
  bool sprays_, reads_;
  NetworkSpec network_;
  Engine engine_;
};

class Windows : public ::testing::TestWithParam<std::uint64_t> {};

// Windows of time and domains change no completion, queue, pause, mark or loss.
TEST_P(Windows, GiveTheResultsOfOneQueueOfEvents) {
  const Traffic apart(GetParam(), {}), together(GetParam(), {.together = true});
  EXPECT_EQ(apart.done, together.done);
  EXPECT_EQ(apart.deepest, together.deepest);
  EXPECT_EQ(apart.paused, together.paused);
  const Counters &a = apart.counters, &b = together.counters;
  EXPECT_EQ(a.delivered_bytes, a.posted_bytes);
  EXPECT_EQ(std::tie(a.data_hops, a.control_hops, a.data_sent, a.retransmitted, a.lost, a.marked,
                     a.cnps, a.timeouts, a.pauses, a.paused),
            std::tie(b.data_hops, b.control_hops, b.data_sent, b.retransmitted, b.lost, b.marked,
                     b.cnps, b.timeouts, b.pauses, b.paused));
}

INSTANTIATE_TEST_SUITE_P(Seeds, Windows, ::testing::Range<std::uint64_t>(1, 41));

/// Everything that a run reports, as text.
std::string report_of(const Traffic& run) {
  std::string text = run.error;
  const auto add = [&](const auto& number) { text += std::to_string(number) + ' '; };
  for (const std::int64_t one : run.done) add(one);
  for (const std::uint32_t one : run.deepest) add(one);
  for (const std::int64_t one : run.paused) add(one);
  for (const std::uint64_t one : run.carried) add(one);
  for (const QueueSample& one : run.samples) add(one.time), add(one.link), add(one.bytes);
  const Counters& c = run.counters;
  for (const std::uint64_t one :
       {c.events, c.data_hops, c.control_hops, c.data_sent, c.retransmitted, c.lost, c.nic_lost,
        c.trimmed, c.returned, c.pulls, c.marked, c.cnps, c.timeouts, c.pauses, c.storms,
        c.discarded, c.posted_bytes, c.delivered_bytes})
    add(one);
  add(c.paused.picoseconds());
  add(run.end.picoseconds());
  return text;
}

// One, two and four threads, with random parameters: go-back-N, DCQCN, pauses, losses, classes.
TEST_P(Windows, GiveTheSameOnAnyNumberOfThreads) {
  const std::string one = report_of(Traffic(GetParam(), {}));
  EXPECT_EQ(report_of(Traffic(GetParam(), {.threads = 2})), one);
  EXPECT_EQ(report_of(Traffic(GetParam(), {.threads = 4})), one);
}

struct TransportCase {
  const char* name;
  void (*set)(Parameters&);
  bool sprays = false;
  std::uint64_t seeds = 3;
  bool reads = false;
};

class Threads : public ::testing::TestWithParam<TransportCase> {};

// Each transport, congestion control and kind of switch by itself, on some random networks.
TEST_P(Threads, GiveTheSameOnAnyNumberOfThem) {
  for (std::uint64_t seed = 1; seed <= GetParam().seeds; ++seed) {
    Parameters parameters;
    parameters.congestion = Congestion::none;
    parameters.switches.buffer = Bytes(1'000'000);
    parameters.nic.retransmit_timeout = 200_us;
    GetParam().set(parameters);
    const auto with = [&](int threads) {
      return Traffic(seed, {.threads = threads,
                            .parameters = parameters,
                            .sprays = GetParam().sprays,
                            .reads = GetParam().reads});
    };
    const Traffic alone = with(1);
    EXPECT_EQ(alone.counters.delivered_bytes, alone.counters.posted_bytes);
    EXPECT_EQ(report_of(with(2)), report_of(alone)) << "seed " << seed;
    EXPECT_EQ(report_of(with(4)), report_of(alone)) << "seed " << seed;
  }
}

void lossy(Parameters& p) {
  p.switches.lossless = false;
  p.switches.buffer = Bytes(300'000);
}
void selective(Parameters& p) {
  lossy(p);
  p.nic.recovery = Recovery::selective;
}
void trimming(Parameters& p) {
  selective(p);
  p.switches.trim = true;
  p.switches.control = ControlQueue::strict;
  p.switches.trimmed_bytes = 64_B;
  p.switches.queue = 30'000_B;
}

void irn(Parameters& p) {
  selective(p);
  p.nic.retransmit_timeout = 2_ms;
}
void hpcc_lossy(Parameters& p) {
  lossy(p);
  p.congestion = Congestion::hpcc;
}
void nscc(Parameters& p) {
  trimming(p);
  p.congestion = Congestion::nscc;
}
void ndp_returning(Parameters& p) {
  trimming(p);
  p.congestion = Congestion::ndp;
  p.switches.return_to_sender = true;
  p.switches.control_queue = 400_B;
}
void rccc(Parameters& p) {
  trimming(p);
  p.congestion = Congestion::rccc;
  p.rccc.oversubscription = 2;
}
void slow_nics(Parameters& p) {
  p.nic.ingress_rate = 90_Gbps;
  p.nic.ingress_gap = 300_ns;
  p.nic.ingress_buffer = 250'000_B;
}

INSTANTIATE_TEST_SUITE_P(
    Transports, Threads,
    ::testing::Values(
        TransportCase{"roce", [](Parameters&) {}}, TransportCase{"roce_lossy", lossy},
        TransportCase{"dcqcn", [](Parameters& p) { p.congestion = Congestion::dcqcn; }},
        TransportCase{"hpcc", [](Parameters& p) { p.congestion = Congestion::hpcc; }},
        TransportCase{"hpcc_lossy", hpcc_lossy},
        TransportCase{"timely", [](Parameters& p) { p.congestion = Congestion::timely; }},
        TransportCase{"swift", [](Parameters& p) { p.congestion = Congestion::swift; }},
        TransportCase{"ib",
                      [](Parameters& p) {
                        p.congestion = Congestion::ibcc;
                        p.switches.lossless = false;
                        p.switches.credits = 64'000_B;
                      }},
        TransportCase{"irn", irn},
        TransportCase{"ib_small_buffers", [](Parameters& p) { p.switches.credits = 16'000_B; },
                      false, 10},
        TransportCase{"reads", [](Parameters& p) { p.nic.read_latency = 700_ns; }, false, 3, true},
        TransportCase{"reads_lossy",
                      [](Parameters& p) {
                        lossy(p);
                        p.nic.outstanding_reads = 4;
                      },
                      false, 3, true},
        TransportCase{"reads_sprayed", [](Parameters&) {}, true, 3, true},
        TransportCase{"reads_dcqcn", [](Parameters& p) { p.congestion = Congestion::dcqcn; }, false,
                      3, true},
        TransportCase{"reads_ib", [](Parameters& p) { p.switches.credits = 64'000_B; }, false, 3,
                      true},
        TransportCase{"reads_irn", irn, false, 3, true},
        TransportCase{"reads_irn_dcqcn",
                      [](Parameters& p) {
                        irn(p);
                        p.congestion = Congestion::dcqcn;
                        p.nic.outstanding_reads = 3;
                      },
                      true, 3, true},
        TransportCase{"reads_hpcc_lossy", hpcc_lossy, false, 3, true},
        TransportCase{"reads_timely", [](Parameters& p) { p.congestion = Congestion::timely; },
                      false, 3, true},
        TransportCase{"reads_swift_lossy",
                      [](Parameters& p) {
                        lossy(p);
                        p.congestion = Congestion::swift;
                      },
                      false, 3, true},
        TransportCase{"reads_swift_irn",
                      [](Parameters& p) {
                        irn(p);
                        p.congestion = Congestion::swift;
                      },
                      false, 3, true},
        TransportCase{"reads_nscc", nscc, true, 3, true},
        TransportCase{"reads_ndp_returning", ndp_returning, true, 3, true},
        TransportCase{"reads_rccc", rccc, true, 3, true},
        TransportCase{"reads_slow_nics", slow_nics, false, 3, true},
        TransportCase{"slow_nics", slow_nics},
        TransportCase{"slow_nics_lossy",
                      [](Parameters& p) {
                        slow_nics(p);
                        selective(p);
                        p.nic.ingress_buffer = 30'000_B;
                      }},
        TransportCase{"slow_nics_ib",
                      [](Parameters& p) {
                        slow_nics(p);
                        p.nic.ingress_buffer.reset();
                        p.switches.credits = 64'000_B;
                      }},
        TransportCase{"roce_sprayed", [](Parameters&) {}, true}, TransportCase{"nscc", nscc, true},
        TransportCase{"ndp",
                      [](Parameters& p) {
                        trimming(p);
                        p.congestion = Congestion::ndp;
                      },
                      true},
        TransportCase{"ndp_returning", ndp_returning, true}, TransportCase{"rccc", rccc, true}),
    [](const auto& test) { return std::string(test.param.name); });

// Without congestion control 84 % of the packets are lost, and some queue pairs run out of retries.
// The run then ends with the first of them: later than the eight time-outs of 200 us that it takes,
// and long before the others have all arrived.
TEST(FailedQueuePairs, AreTheSameOnAnyNumberOfThreads) {
  Parameters parameters;
  parameters.congestion = Congestion::none;
  parameters.nic.retransmit_timeout = 200_us;
  lossy(parameters);
  int failed = 0;
  constexpr std::uint64_t kSeeds = 6;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const auto with = [&](int threads) {
      return Traffic(seed, {.threads = threads, .parameters = parameters, .may_fail = true});
    };
    const Traffic alone = with(1);
    EXPECT_EQ(report_of(with(2)), report_of(alone)) << "seed " << seed;
    EXPECT_EQ(report_of(with(4)), report_of(alone)) << "seed " << seed;
    if (alone.error.empty()) {
      EXPECT_EQ(alone.counters.delivered_bytes, alone.counters.posted_bytes);
      continue;
    }
    ++failed;
    EXPECT_THAT(alone.error, ::testing::HasSubstr("in spite of 7 retries"));
    EXPECT_GE(alone.end, 8 * 200_us);
    EXPECT_LT(alone.end, 5_ms);
  }
  EXPECT_GT(failed, 0);
  EXPECT_LT(failed, static_cast<int>(kSeeds));
}

// The random cases meet what they are for.
TEST(WindowCases, HavePausesMarksAndLosses) {
  Counters sum;
  for (std::uint64_t seed = 1; seed < 41; ++seed) {
    const Counters one = Traffic(seed, {}).counters;
    sum.pauses += one.pauses;
    sum.marked += one.marked;
    sum.lost += one.lost;
    sum.timeouts += one.timeouts;
  }
  EXPECT_GT(sum.pauses, 100U);
  EXPECT_GT(sum.marked, 100U);
  EXPECT_GT(sum.lost, 100U);
  EXPECT_GT(sum.timeouts, 10U);
}

}  // namespace
}  // namespace railyard::sim::packet
