#include "core/random.hpp"

#include <gtest/gtest.h>

#include <set>

namespace railyard::core {
namespace {

TEST(RandomStream, HasTheMomentsOfItsDistributions) {
  RandomStream random(1);
  constexpr int kCount = 200'000;
  double uniform = 0, exponential = 0, normal = 0, squares = 0;
  for (int i = 0; i < kCount; ++i) {
    uniform += random.uniform() / kCount;
    exponential += random.exponential() / kCount;
    const double x = random.normal();
    normal += x / kCount;
    squares += x * x / kCount;
  }
  // Five standard errors: 0.2887, 1 and 1.41 over sqrt(200,000).
  EXPECT_NEAR(uniform, 0.5, 0.0033);
  EXPECT_NEAR(exponential, 1, 0.0112);
  EXPECT_NEAR(normal, 0, 0.0112);
  EXPECT_NEAR(squares, 1, 0.0158);
}

TEST(RandomStream, DiffersByStreamAndRepeatsItself) {
  std::set<std::uint64_t> firsts;
  for (std::uint64_t stream = 0; stream < 1000; ++stream)
    firsts.insert(RandomStream(7, stream).next());
  EXPECT_EQ(firsts.size(), 1000U);
  RandomStream a(7, 3), b(7, 3);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(a.next(), b.next());
}

TEST(RandomStream, BelowStaysBelow) {
  RandomStream random(2);
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(random.below(7));
  EXPECT_EQ(seen.size(), 7U);
  EXPECT_EQ(*seen.rbegin(), 6U);
}

}  // namespace
}  // namespace railyard::core
