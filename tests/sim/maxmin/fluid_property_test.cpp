#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <vector>

#include "sim/maxmin/fluid.hpp"
#include "tests/sim/oracle_fluid.hpp"

namespace railyard::sim {
namespace {

/// What makes random fabrics and flows hard: each option is one that the engine treats apart.
struct Shape {
  bool weights = false, caps = false, equal_bytes = false, arrivals = false, faults = false,
       symmetric = false;
  Shortcut folding = Shortcut::automatic, levels = Shortcut::automatic,
           pruning = Shortcut::automatic;
  bool cuts = false;  ///< faults may leave a link without capacity, for a while
  /// Nearly every link is reached over one of its own that is as wide or wider.
  bool buses = false;
  bool all_capped = false;  ///< with caps: every stream has one, from far below to above its links
};

class Scenario {
 public:
  Scenario(unsigned seed, Shape shape)
      : random_(seed),
        shape_(shape),
        capacities_(make_capacities()),
        fluid_(capacities_, {.certify = true,
                             .folding = shape.folding,
                             .levels = shape.levels,
                             .pruning = shape.pruning}),
        oracle_(capacities_) {}

  void run() {
    const int first = pick(1, shape_.symmetric ? 12 : 60);
    for (int i = 0; i < first; ++i) add();
    for (int event = 0; event < 400 && !by_stream_.empty(); ++event) {
      step();
      if (::testing::Test::HasFatalFailure()) return;
    }
    ASSERT_TRUE(by_stream_.empty()) << "streams never ended";
    for (std::size_t link = 0; link < capacities_.size(); ++link) {
      const double expected = sent_[link];
      EXPECT_NEAR(fluid_.carried(LinkId(link)), expected, 1e-6 * (1 + expected)) << "link " << link;
      EXPECT_NEAR(oracle_.carried[link], expected, 1e-6 * (1 + expected));
    }
  }

 private:
  int pick(int low, int high) { return std::uniform_int_distribution(low, high)(random_); }

  std::vector<double> make_capacities() {
    const int links = pick(1, 30);
    std::vector<double> capacities;
    for (int i = 0; i < links; ++i)
      capacities.push_back(shape_.symmetric ? 100.0 : 10.0 * pick(1, 10));
    if (shape_.buses) {
      for (int i = 0; i < links; ++i)
        capacities.push_back(capacities[static_cast<std::size_t>(i)] * pick(1, 2));
    }
    return capacities;
  }

  std::vector<topology::Hop> random_hops() {
    std::vector<topology::Hop> hops;
    const std::size_t links = shape_.buses ? capacities_.size() / 2 : capacities_.size();
    const int length = pick(1, std::min<int>(20, static_cast<int>(links)));
    std::vector<std::uint32_t> order(links);
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), random_);
    for (int i = 0; i < length; ++i) {
      const double share =
          shape_.weights ? std::vector{0.25, 0.5, 1.0, 3.0}[static_cast<std::size_t>(pick(0, 3))]
                         : 1.0;
      const std::uint32_t link = order[static_cast<std::size_t>(i)];
      if (shape_.buses && pick(0, 49) > 0) hops.push_back({LinkId(link + links), share});
      if (!shape_.buses || pick(0, 49) > 0) hops.push_back({LinkId(link), share});
    }
    if (hops.empty()) hops.push_back({LinkId(order[0]), 1.0});
    return hops;
  }

  void add() {
    const auto hops = random_hops();
    const double bytes = shape_.equal_bytes ? 1000.0 : pick(0, 9) == 0 ? 0.0 : 10.0 * pick(1, 500);
    const double cap = shape_.caps && (shape_.all_capped || pick(0, 2) == 0)
                           ? 1.0 * pick(1, shape_.all_capped ? 120 : 30)
                           : std::numeric_limits<double>::infinity();
    const int copies = shape_.symmetric ? pick(1, 12) : 1;
    for (int i = 0; i < copies; ++i) {
      const auto stream = fluid_.add({hops, bytes, cap});
      FillingProblem::Stream plain{.uses = {}, .cap = cap};
      for (const auto& hop : hops) plain.uses.push_back({hop.link.value(), hop.share});
      by_stream_[stream] = {oracle_.add(plain, bytes), bytes, hops};
    }
  }

  void step() {
    const auto rates = oracle_.solve();
    for (const auto& [stream, twin] : by_stream_) {
      ASSERT_NEAR(fluid_.rate(stream), rates[twin.oracle], 1e-9 * (1 + rates[twin.oracle]));
    }
    if (pick(0, 1) == 0) mend();
    const bool partial = pick(0, 3) == 0;
    const double until = partial ? oracle_.now + 0.5 * pick(1, 20) + 0.00137
                                 : std::numeric_limits<double>::infinity();
    const auto expected = oracle_.advance(until);
    const auto span = fluid_.advance(until);
    const std::vector<StreamId> ended(span.begin(), span.end());
    ASSERT_NEAR(fluid_.now(), oracle_.now, 1e-9 * (1 + oracle_.now));
    ASSERT_EQ(ended.size(), expected.size());
    for (const auto stream : ended) {
      const auto& twin = by_stream_.at(stream);
      ASSERT_TRUE(std::find(expected.begin(), expected.end(), twin.oracle) != expected.end());
      for (const auto& hop : twin.hops) {
        if (!shape_.faults) sent_[hop.link.index()] += hop.share * twin.bytes;
      }
      by_stream_.erase(stream);
    }
    if (shape_.faults) {
      for (std::size_t link = 0; link < capacities_.size(); ++link)
        sent_[link] = oracle_.carried[link];
    }
    if (shape_.arrivals && arrivals_ < 80 && pick(0, 1) == 0) {
      for (int i = pick(1, 5); i > 0; --i, ++arrivals_) add();
    }
    if (shape_.faults && pick(0, 3) == 0) disturb();
  }

  void disturb() {
    const LinkId link(pick(0, static_cast<int>(capacities_.size()) - 1));
    mend();
    const double capacity = 5.0 * pick(shape_.cuts ? 0 : 1, 20);
    set_capacity(link, capacity);
    if (capacity == 0) cut_ = link;
    if (by_stream_.empty() || pick(0, 1) == 0) return;
    auto& [stream, twin] =
        *std::next(by_stream_.begin(), pick(0, static_cast<int>(by_stream_.size()) - 1));
    if (pick(0, 2) > 0) {
      twin.hops = random_hops();
    } else if (shape_.weights) {  // the same way with other weights
      for (auto& hop : twin.hops) hop.share = 0.25 * pick(1, 12);
    }
    fluid_.reroute(stream, twin.hops);
    std::vector<FillingProblem::Use> uses;
    for (const auto& hop : twin.hops) uses.push_back({hop.link.value(), hop.share});
    oracle_.reroute(twin.oracle, uses);
  }

  void set_capacity(LinkId link, double capacity) {
    fluid_.set_capacity(link, capacity);
    oracle_.set_capacity(link.value(), capacity);
  }

  void mend() {
    if (!cut_.is_none()) set_capacity(cut_, 30);
    cut_ = LinkId::none();
  }

  struct Twin {
    std::size_t oracle = 0;
    double bytes = 0;
    std::vector<topology::Hop> hops;
  };
  std::mt19937 random_;
  Shape shape_;
  std::vector<double> capacities_;
  Fluid fluid_;
  OracleFluid oracle_;
  std::map<StreamId, Twin> by_stream_;
  std::map<std::size_t, double> sent_;
  LinkId cut_ = LinkId::none();
  int arrivals_ = 0;
};

void run_many(Shape shape, unsigned count) {
  for (unsigned seed = 1; seed <= count; ++seed) {
    SCOPED_TRACE(seed);
    Scenario(seed, shape).run();
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(FluidProperty, PlainFlowsEqualTheOracle) { run_many({}, 300); }
TEST(FluidProperty, EqualStartsAndSizesEqualTheOracle) { run_many({.equal_bytes = true}, 300); }
TEST(FluidProperty, WeightsAndCapsEqualTheOracle) {
  run_many({.weights = true, .caps = true}, 300);
}
TEST(FluidProperty, SymmetricSetsEqualTheOracle) {
  run_many({.equal_bytes = true, .symmetric = true}, 300);
}
TEST(FluidProperty, SymmetricWeightedSetsEqualTheOracle) {
  run_many({.weights = true, .caps = true, .arrivals = true, .symmetric = true}, 200);
}
TEST(FluidProperty, ArrivalsEqualTheOracle) { run_many({.arrivals = true}, 300); }
TEST(FluidProperty, EqualSizesWithArrivalsEqualTheOracle) {
  run_many({.equal_bytes = true, .arrivals = true}, 300);
}
TEST(FluidProperty, FaultsInMidRunEqualTheOracle) {
  run_many({.weights = true, .caps = true, .arrivals = true, .faults = true}, 300);
}
TEST(FluidProperty, FaultsAmongSymmetricSetsEqualTheOracle) {
  run_many({.equal_bytes = true, .arrivals = true, .faults = true, .symmetric = true}, 300);
}

TEST(FluidProperty, CutsInMidRunEqualTheOracle) {
  run_many({.arrivals = true, .faults = true, .cuts = true}, 300);
}

// The same with rates kept by link from the first completion on, which else only large coupled sets
// are.
constexpr Shortcut kAlways = Shortcut::always;
TEST(FluidLevels, PlainFlowsEqualTheOracle) { run_many({.levels = kAlways}, 300); }
TEST(FluidLevels, WeightedFlowsEqualTheOracle) {
  run_many({.weights = true, .levels = kAlways}, 300);
}
TEST(FluidLevels, SymmetricSetsEqualTheOracle) {
  run_many({.symmetric = true, .folding = Shortcut::never, .levels = kAlways}, 300);
}
TEST(FluidLevels, ArrivalsEqualTheOracle) { run_many({.arrivals = true, .levels = kAlways}, 300); }
TEST(FluidLevels, WeightedArrivalsEqualTheOracle) {
  run_many({.weights = true, .arrivals = true, .levels = kAlways}, 300);
}
TEST(FluidLevels, FaultsInMidRunEqualTheOracle) {
  run_many({.arrivals = true, .faults = true, .levels = kAlways}, 300);
}
TEST(FluidLevels, CutsInMidRunEqualTheOracle) {
  run_many({.weights = true, .arrivals = true, .faults = true, .levels = kAlways, .cuts = true},
           300);
}
TEST(FluidLevels, LinksThatNeverFillEqualTheOracle) {
  run_many({.weights = true, .levels = kAlways, .buses = true}, 300);
}
TEST(FluidLevels, LinksThatCeaseToBeSuchEqualTheOracle) {
  run_many({.arrivals = true, .faults = true, .levels = kAlways, .buses = true}, 300);
}
TEST(FluidLevels, CapsEqualTheOracle) {
  run_many({.caps = true, .arrivals = true, .levels = kAlways}, 300);
}
TEST(FluidLevels, CapsOnEveryStreamEqualTheOracle) {
  run_many({.weights = true, .caps = true, .levels = kAlways, .all_capped = true}, 300);
}
TEST(FluidLevels, CapsWithFaultsAndOtherWeightsInMidRunEqualTheOracle) {
  run_many({.weights = true,
            .caps = true,
            .arrivals = true,
            .faults = true,
            .levels = kAlways,
            .cuts = true},
           300);
}
TEST(FluidLevels, CapsBehindBusesEqualTheOracle) {
  run_many({.caps = true, .arrivals = true, .levels = kAlways, .buses = true, .all_capped = true},
           300);
}

// Without the links that cannot fill, wherever there are any, in every way of solving. The oracle
// knows of all links, and what each has carried.
TEST(FluidPruning, BusesEqualTheOracle) {
  run_many({.weights = true, .pruning = kAlways, .buses = true}, 300);
}
TEST(FluidPruning, ArrivalsEqualTheOracle) {
  run_many({.weights = true, .arrivals = true, .pruning = kAlways, .buses = true}, 300);
}
TEST(FluidPruning, ArrivalsAmongAnyLinksEqualTheOracle) {
  run_many({.arrivals = true, .symmetric = true, .pruning = kAlways}, 300);
}
TEST(FluidPruning, FaultsEqualTheOracle) {
  run_many({.arrivals = true, .faults = true, .pruning = kAlways, .cuts = true, .buses = true},
           300);
}
TEST(FluidPruning, CapsEqualTheOracle) {
  run_many({.weights = true,
            .caps = true,
            .arrivals = true,
            .faults = true,
            .pruning = kAlways,
            .cuts = true,
            .buses = true,
            .all_capped = true},
           300);
}
TEST(FluidPruning, LevelsByLinkEqualTheOracle) {
  run_many({.weights = true,
            .caps = true,
            .arrivals = true,
            .faults = true,
            .levels = kAlways,
            .pruning = kAlways,
            .buses = true},
           300);
}
TEST(FluidPruning, LevelsOfAllLinksEqualTheOracle) {
  run_many({.arrivals = true,
            .faults = true,
            .levels = kAlways,
            .pruning = Shortcut::never,
            .buses = true},
           300);
}

// Rate caps, solved by filling and by local mends.
TEST(FluidCaps, OnEveryStreamEqualTheOracle) { run_many({.caps = true, .all_capped = true}, 300); }
TEST(FluidCaps, WithTiesEqualTheOracle) {
  run_many({.caps = true, .equal_bytes = true, .symmetric = true, .all_capped = true}, 300);
}
TEST(FluidCaps, WithArrivalsAndCutsEqualTheOracle) {
  run_many({.weights = true,
            .caps = true,
            .arrivals = true,
            .faults = true,
            .cuts = true,
            .all_capped = true},
           300);
}

}  // namespace
}  // namespace railyard::sim
