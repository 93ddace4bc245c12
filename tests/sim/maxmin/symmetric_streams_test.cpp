#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <stdexcept>
#include <vector>

#include "sim/maxmin/fluid.hpp"

namespace railyard::sim {
namespace {

using Hops = std::vector<topology::Hop>;

/// Streams and the sets that they are told of as: legs are places on the way.
struct Told {
  std::uint64_t streams = 0;
  double bytes = 0;
  std::vector<Crossing> crossings;
  std::vector<std::uint32_t> leg_ends;

  /// All must have as many hops.
  Told(const std::vector<Hops>& members, double size) : streams(members.size()), bytes(size) {
    for (std::size_t leg = 0; leg < members.front().size(); ++leg) {
      std::map<std::pair<std::uint32_t, double>, std::uint32_t> count;
      for (const Hops& hops : members) ++count[{hops.at(leg).link.value(), hops[leg].share}];
      for (const auto& [at, n] : count) crossings.push_back({LinkId(at.first), n, at.second});
      leg_ends.push_back(static_cast<std::uint32_t>(crossings.size()));
    }
  }
  [[nodiscard]] SymmetricStreams set() const { return {streams, bytes, crossings, leg_ends}; }
};

std::vector<SymmetricStreams> sets_of(const std::vector<Told>& told) {
  std::vector<SymmetricStreams> sets;
  for (const Told& t : told) sets.push_back(t.set());
  return sets;
}

/// Two leaves of two hosts each with two up-links: hosts up 0-3, down 4-7, leaves up 8-11, down
/// 12-15. A message goes up by its destination's number modulo 2.
Hops way(std::uint32_t from, std::uint32_t to) {
  Hops hops{{LinkId(from), 1.0}};
  if (from / 2 != to / 2) {
    hops.push_back({LinkId(8 + from / 2 * 2 + to % 2), 1.0});
    hops.push_back({LinkId(12 + to / 2 * 2 + to % 2), 1.0});
  }
  hops.push_back({LinkId(4 + to), 1.0});
  return hops;
}

std::vector<Told> all_to_all(double bytes) {
  std::vector<Hops> within, across;
  for (std::uint32_t from = 0; from < 4; ++from) {
    for (std::uint32_t to = 0; to < 4; ++to) {
      if (from != to) (from / 2 == to / 2 ? within : across).push_back(way(from, to));
    }
  }
  return {Told(within, bytes), Told(across, bytes)};
}

TEST(SymmetricStreams, AnAllToAllRunsAsTwoSets) {
  Fluid fluid(std::vector<double>(16, 12.0), {.certify = true});
  const auto told = all_to_all(4.0);
  const auto first = fluid.add_symmetric(sets_of(told));
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(fluid.active(), 2U);
  // Three streams cross each host's links: 4 B/s each, so all 4 B are there after 1 s. Leaf links
  // carry two streams each.
  EXPECT_DOUBLE_EQ(fluid.rate(*first), 4.0);
  EXPECT_DOUBLE_EQ(fluid.rate(StreamId(1)), 4.0);
  EXPECT_EQ(fluid.bottleneck(StreamId(1)), LinkId(0));
  const auto ended = fluid.advance();
  ASSERT_EQ(ended.size(), 2U);
  EXPECT_DOUBLE_EQ(fluid.now(), 1.0);
  for (std::uint32_t link = 0; link < 8; ++link)
    EXPECT_DOUBLE_EQ(fluid.carried(LinkId(link)), 12.0);
  for (std::uint32_t link = 8; link < 16; ++link)
    EXPECT_DOUBLE_EQ(fluid.carried(LinkId(link)), 8.0);
  EXPECT_EQ(fluid.active(), 0U);
  EXPECT_NE(fluid.describe().find("12 streams folded into 2 classes (in 2 symmetric sets)"),
            std::string::npos)
      << fluid.describe();
}

TEST(SymmetricStreams, ALinkThatIsSlowerIsNoEquivalent) {
  auto capacities = std::vector<double>(16, 12.0);
  capacities[9] = 11.0;
  Fluid fluid(capacities);
  EXPECT_FALSE(fluid.add_symmetric(sets_of(all_to_all(4.0))).has_value());
  EXPECT_EQ(fluid.active(), 0U);
  // Nothing was left behind: one stream has the way to itself.
  const StreamId stream = fluid.add({way(0, 3), 24.0});
  EXPECT_DOUBLE_EQ(fluid.rate(stream), 11.0);
}

TEST(SymmetricStreams, TrafficThatIsUnevenIsRefused) {
  // Three streams over two links of one leg, two on one and one on the other: 6, 6 and 12 B/s.
  const Told told({Hops{{LinkId(0), 1.0}}, Hops{{LinkId(0), 1.0}}, Hops{{LinkId(1), 1.0}}}, 1.0);
  Fluid fluid({12.0, 12.0});
  EXPECT_FALSE(fluid.add_symmetric(std::vector{told.set()}).has_value());
}

TEST(SymmetricStreams, ALegWhoseLinksHaveOtherSharesIsRefused) {
  const Told told({Hops{{LinkId(0), 1.0}}, Hops{{LinkId(1), 2.0}}}, 1.0);
  Fluid fluid({12.0, 12.0});
  EXPECT_FALSE(fluid.add_symmetric(std::vector{told.set()}).has_value());
}

TEST(SymmetricStreams, NothingMayChangeWhileTheyRun) {
  Fluid fluid(std::vector<double>(16, 12.0));
  const StreamId alone = fluid.add({way(0, 1), 12.0});
  EXPECT_FALSE(fluid.add_symmetric(sets_of(all_to_all(4.0))).has_value()) << "another stream runs";
  fluid.advance();
  EXPECT_FALSE(fluid.rate(alone) > 0);
  ASSERT_TRUE(fluid.add_symmetric(sets_of(all_to_all(4.0))).has_value());
  EXPECT_THROW(fluid.add({way(0, 1), 1.0}), std::logic_error);
  EXPECT_THROW(fluid.set_capacity(LinkId(0), 1.0), std::logic_error);
  fluid.advance();
  EXPECT_DOUBLE_EQ(fluid.now(), 2.0);
  EXPECT_DOUBLE_EQ(fluid.rate(fluid.add({way(0, 1), 1.0})), 12.0);
}

TEST(SymmetricStreams, ASetThatContradictsItselfIsAnError) {
  Fluid fluid({12.0, 12.0});
  const std::vector<Crossing> crossings{{LinkId(0), 1, 1.0}, {LinkId(1), 1, 1.0}};
  const std::vector<std::uint32_t> one_leg{2}, beyond{3}, too_short{1};
  const SymmetricStreams three{3, 1.0, crossings, one_leg};
  EXPECT_THROW((void)fluid.add_symmetric(std::vector{three}), std::logic_error);
  const SymmetricStreams past{2, 1.0, crossings, beyond};
  EXPECT_THROW((void)fluid.add_symmetric(std::vector{past}), std::logic_error);
  const SymmetricStreams left_over{1, 1.0, crossings, too_short};
  EXPECT_THROW((void)fluid.add_symmetric(std::vector{left_over}), std::logic_error);
}

/// Random traffic that a cyclic group maps to itself: link kinds with a link for each of its
/// `order` elements, streams with all their translates. Sometimes the symmetry is broken.
struct Cyclic {
  explicit Cyclic(unsigned seed) : random(seed) {
    order = static_cast<std::uint32_t>(pick(2, 9));
    const int kinds = pick(1, 5);
    std::vector<double> shares;
    for (int kind = 0; kind < kinds; ++kind) {
      const double capacity = 10.0 * pick(1, 10);
      shares.push_back(seed % 2 == 0 ? 1.0 : 0.25 * pick(1, 6));
      for (std::uint32_t i = 0; i < order; ++i) capacities.push_back(capacity);
    }
    for (int base = pick(1, 6); base > 0; --base) add_orbit(kinds, shares);
    const int broken = pick(0, 5);
    if (broken == 0) capacities[index(capacities.size())] *= 0.75;
    if (broken == 1 && members.front().size() > 1) members.front().pop_back();
  }
  int pick(int low, int high) { return std::uniform_int_distribution(low, high)(random); }
  std::size_t index(std::size_t size) {
    return static_cast<std::size_t>(pick(0, static_cast<int>(size) - 1));
  }

  void add_orbit(int kinds, const std::vector<double>& shares) {
    std::vector<std::pair<int, std::uint32_t>> steps;  // kind of link, place in the group
    for (int kind = 0; kind < kinds; ++kind) {
      if (pick(0, 2) > 0) steps.emplace_back(kind, static_cast<std::uint32_t>(index(order)));
    }
    if (steps.empty()) steps.emplace_back(0, 0U);
    const double size = 10.0 * pick(1, 3);
    std::vector<int> kinds_of;
    for (const auto& step : steps) kinds_of.push_back(step.first);
    // Orbits over the same kinds of links are one set, whether or not that is right.
    std::size_t set = 0;
    while (set < members.size() && (set_kinds[set] != kinds_of || bytes[set] != size)) ++set;
    if (set == members.size()) {
      members.emplace_back();
      set_kinds.push_back(kinds_of);
      bytes.push_back(size);
    }
    for (std::uint32_t shift = 0; shift < order; ++shift) {
      Hops hops;
      for (const auto& [kind, place] : steps) {
        const auto k = static_cast<std::uint32_t>(kind);
        hops.push_back({LinkId(k * order + (place + shift) % order), shares[k]});
      }
      members[set].push_back(hops);
    }
  }

  std::mt19937 random;
  std::uint32_t order = 0;
  std::vector<double> capacities;
  std::vector<std::vector<Hops>> members;  // by set
  std::vector<std::vector<int>> set_kinds;
  std::vector<double> bytes;
};

/// Runs the streams as sets and one by one: completions, rates on the way and link loads must
/// agree. False where the sets were refused.
bool agrees(const Cyclic& traffic) {
  std::vector<Told> told;
  for (std::size_t s = 0; s < traffic.members.size(); ++s)
    told.emplace_back(traffic.members[s], traffic.bytes[s]);
  Fluid sets(traffic.capacities, {.certify = true});
  if (!sets.add_symmetric(sets_of(told))) return false;
  Fluid single(traffic.capacities, {.certify = true, .folding = Shortcut::never});
  std::vector<std::vector<StreamId>> streams(told.size());
  for (std::size_t s = 0; s < told.size(); ++s)
    for (const Hops& hops : traffic.members[s])
      streams[s].push_back(single.add({hops, traffic.bytes[s]}));
  while (sets.active() > 0) {
    for (std::size_t s = 0; s < told.size(); ++s) {
      const double rate = sets.rate(StreamId(s));
      for (const StreamId stream : streams[s])
        EXPECT_NEAR(single.rate(stream), rate, 1e-9 * rate) << "set " << s;
    }
    std::size_t expected = 0;
    for (const StreamId set : sets.advance()) expected += streams[set.index()].size();
    EXPECT_EQ(single.advance().size(), expected);
    EXPECT_NEAR(single.now(), sets.now(), 1e-9 * sets.now());
    for (std::uint32_t link = 0; link < traffic.capacities.size(); ++link) {
      const double carried = single.carried(LinkId(link));
      EXPECT_NEAR(sets.carried(LinkId(link)), carried, 1e-9 * (1 + carried)) << "link " << link;
    }
    if (::testing::Test::HasFailure()) return true;
  }
  EXPECT_EQ(single.active(), 0U);
  return true;
}

TEST(SymmetricStreams, SetsThatAreAcceptedRunAsTheirStreamsDoOneByOne) {
  int accepted = 0;
  int refused = 0;
  for (unsigned seed = 0; seed < 2000; ++seed) {
    ++(agrees(Cyclic(seed)) ? accepted : refused);
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
  EXPECT_GT(accepted, 500);
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace railyard::sim
