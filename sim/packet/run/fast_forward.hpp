#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "collectives/schedule/schedule.hpp"
#include "core/units.hpp"
#include "sim/packet/run/ring_sample.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::sim::packet {

/// Fast-forward of rings. Iteration i of a ring ends at x_r(i) for the transfer of place r. It
/// begins when the one before has ended at place r - 1, and its packets follow those of the one
/// before at place r on the same queue pair. So with the time a of a transfer from there, and the
/// least time b between the ends of two transfers of a place,
///
///     x_r(i) = max(x_(r-1)(i - 1) + a_r, x_r(i - 1) + b_r)
///
/// K of the R iterations of each loop are simulated packet by packet. They give a and b of each
/// place with all that its packets met: at a place whose transfers always wait for each other b is
/// the time between their ends and a that of a transfer alone, else b is the time of the bytes and
/// a what a transfer took. In nodes of g GPUs a transfer meets the same others again g iterations
/// later (`period`), so each place has g pairs (a, b) that take turns, means over four parts of a
/// multiple of g iterations each. The first quarter of the simulated iterations, in which all
/// places start together, and the last two, which nothing follows, do not count. The other
/// iterations follow from the formula (combined() says how certain they are). Where the uncertainty
/// exceeds kBound of the time, K grows (UncertaintyTrend); where K is not below R / kLeast, all
/// iterations are simulated.
///
/// Example: in a ring of one channel every transfer takes 10 us, that of place 7 takes 30 us, and
/// none waits for another. Then iteration R < 101 of 101 places ends after R * 10 us + 20 us.
struct FastForward {
  static constexpr double kBound = 0.01;
  static constexpr std::uint64_t kFirst = 10;
  /// A loop is shortened where it has more iterations than this multiple of those simulated.
  static constexpr std::uint64_t kLeast = 4;

  const collectives::Schedule* whole;
  std::size_t period = 1;             ///< iterations
  std::uint64_t iterations = kFirst;  ///< K
  /// Nodes that are simulated for all; null: all are.
  const RingSample* sample = nullptr;
};

/// Transfers of a ring from one that leaves a node to the next, over all channels at most. 1 where
/// a channel is anything but loops of one ring.
[[nodiscard]] std::size_t period_of(const topology::Cluster& cluster,
                                    const collectives::Schedule& schedule);
/// The least K of a schedule with a period.
[[nodiscard]] std::uint64_t first_iterations(const FastForward& fast);

/// Uncertainties over the time with growing K. They fall as a power of K between 1/2, as the error
/// of a mean of independent times does, and 1.
class UncertaintyTrend {
 public:
  void add(std::uint64_t iterations, double bound);
  /// The K at which the uncertainty is kBound by the power of the last two tries, or by the power 1
  /// after the first one; at least twice the last K.
  [[nodiscard]] std::uint64_t enough() const;
  /// The K of the next try, at most enough(): the second try tells the power, so that it costs
  /// little where the power says that enough() is too many.
  [[nodiscard]] std::uint64_t next() const;

 private:
  std::uint64_t iterations_ = 0;
  double bound_ = 0, power_ = 1;
  int count_ = 0;
};

/// The schedule with K iterations of each loop, and with the nodes of the sample, which refers to
/// the group of the whole one. Nothing where a channel is anything but loops of one ring.
[[nodiscard]] std::optional<collectives::Schedule> shortened(const FastForward& fast);

/// The sample of nodes for K iterations. Nothing where the ring has no long runs of equal nodes, or
/// where the hops over the gaps of the sample do not look like those that they replace.
[[nodiscard]] std::optional<RingSample> sample_of(const topology::Cluster& cluster,
                                                  const PacketOptions& options,
                                                  const RingNodes& nodes, const FastForward& fast);

/// What was simulated of a transfer. alone: from its post to its end on an empty network; service:
/// the time of its bytes on the slowest link of its path.
struct SimulatedTransfer {
  Time posted, end, alone, service;
};

/// When a channel would have ended, by all times of its transfers and by those of each part.
/// `transfers`: in the order of the shortened schedule.
struct Extrapolated {
  static constexpr std::size_t kParts = 4;
  Time finish;
  std::array<Time, kParts> parts;
};
[[nodiscard]] Extrapolated extrapolated(const FastForward& fast, std::size_t channel,
                                        std::span<const SimulatedTransfer> transfers);

/// Of a run whose channels were extrapolated.
///
/// The maximum of few noisy times ends too late. The error falls with their number n, as 1 / n
/// where one path through the ring is longer than all others, and as 1 / sqrt(n) where equal ones
/// compete. So where the rest is computed from each of the P parts alone, the ends m are later than
/// the ends f of all by P^e - 1 times the error of those, with e from 1/2 to 1 (generalised
/// jackknife: Schucany, Gray and Owen, "On bias reduction in estimation", JASA 66, 1971). The mean
/// over both is taken off. A channel that ends early leaves its share of links to the others: they
/// all end between the mean over the channels and the last one, and the middle is taken.
///
///     end = (l + f) / 2 - 2/3 (m - f)     uncertainty = (l - f) / 2 + |m - f| / 3 + 2 s / sqrt(P)
///
/// with the end l of the last channel, the means f and m over channels, and the standard deviation
/// s of the P ends whose mean m is; P = 4.
struct Extrapolation {
  Time finish, uncertainty;
};
[[nodiscard]] Extrapolation combined(std::span<const Extrapolated> channels);

}  // namespace railyard::sim::packet
