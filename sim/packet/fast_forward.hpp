#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "collectives/schedule/schedule.hpp"
#include "core/units.hpp"

namespace railyard::sim::packet {

/// Fast-forward of rings. Iteration i of a ring ends at x_r(i) for the transfer of place r. It
/// begins when the one before has ended at place r - 1, so x(i) is a function f of x(i - 1) that is
/// monotone and adds what is added to all its arguments. For such functions all later differences
/// lie between the least and the largest one (Gunawardena, "From max-plus algebra to nonexpansive
/// mappings", Theoretical Computer Science 293, 2003):
///
///     min_r d_r <= x_r(i + p) - x_r(i) <= max_r d_r   with d_r = x_r(i) - x_r(i - p)
///
/// So K of the R iterations of a loop are simulated, p is chosen among 1 .. K - 2 such that the
/// spread of d over p is least, and the loop ends (R - K) / p * (min + max) / 2 later than what was
/// simulated, give or take (R - K) / p * (max - min) / 2. Where R - K is no multiple of p, the
/// iterations beyond whole periods take what they took in the last period. In a ring over nodes of
/// g GPUs mostly p = g. The formula is exact where packets of different places do not compete.
/// Where the uncertainty exceeds kBound of the time, K grows (Tries); where K is not below R /
/// kLeast, all iterations are simulated.
///
/// Example: 1,023 turns of a ring; 10 are simulated, and turn 8 ends 800 us after turn 0
/// everywhere: the loop ends 1,013 * 100 us after what was simulated.
struct FastForward {
  static constexpr double kBound = 0.01;
  static constexpr std::uint64_t kFirst = 10;
  /// A loop is shortened where it has more iterations than this multiple of those simulated.
  static constexpr std::uint64_t kLeast = 4;

  const collectives::Schedule* whole;
  std::uint64_t iterations = kFirst;  ///< K
};

/// Uncertainties over the time with growing K. They fall as a power of K: where transfers of
/// different places do not compete as 1 / K, elsewhere more slowly, or not at all.
class Tries {
 public:
  void add(std::uint64_t iterations, double bound);
  /// The K at which the uncertainty is kBound by the power of the last two tries (at most 1), or by
  /// the power 1 after the first one; at least twice the last K.
  [[nodiscard]] std::uint64_t enough() const;
  /// The K of the next try, at most enough(): the second try tells the power, so that it costs
  /// little where the power says that enough() is too many.
  [[nodiscard]] std::uint64_t next() const;

 private:
  std::uint64_t iterations_ = 0;
  double bound_ = 0, power_ = 1;
  int count_ = 0;
};

/// The schedule with K iterations of each loop, which refers to the group of the whole one. Nothing
/// where a channel is anything but loops of one ring.
[[nodiscard]] std::optional<collectives::Schedule> shortened(const FastForward& fast);

/// When a channel would have ended, and by how much that is uncertain. `ends`: of its transfers, in
/// the order of the shortened schedule.
struct Extrapolated {
  Time finish, uncertainty;
};
[[nodiscard]] Extrapolated extrapolated(const FastForward& fast, std::size_t channel,
                                        std::span<const Time> ends);

}  // namespace railyard::sim::packet
