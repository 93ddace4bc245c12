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

/// Fast-forward of rings: only K of the R iterations of each loop are simulated packet by packet,
/// and the end of the other iterations is computed from the times that were measured.
///
/// The transfer of iteration i at place r of a ring ends at x_r(i). It can begin when the iteration
/// before it has ended at place r - 1, and its packets follow those of the iteration before it at
/// place r on the same queue pair. With a_r, the time of a transfer after its data have arrived,
/// and b_r, the least time between the ends of two successive transfers of the place,
///
///     x_r(i) = max(x_(r-1)(i - 1) + a_r, x_r(i - 1) + b_r)
///
/// The simulated iterations give a and b of each place, including all delays of its packets. If
/// each transfer of a place is posted before the previous one has ended, b is the measured time
/// between their ends and a the time that a transfer takes alone. Otherwise b is the time of the
/// bytes on the slowest link, and a the measured time of a transfer.
///
/// In nodes of g GPUs a transfer meets the same other transfers again g iterations later
/// (`period`), so each place has g pairs (a, b), which are used in turn. They are means over four
/// parts, each a multiple of g iterations long. Not counted are the first quarter of the simulated
/// iterations, because all places start at the same time, and the last two, because no transfers
/// follow them.
///
/// combined() computes the uncertainty of the result. If it exceeds kBound of the time, K grows
/// (UncertaintyTrend). If K >= R / kLeast, all iterations are simulated.
///
/// Example: in a ring of one channel with 101 places every transfer takes 10 us, that of place 7
/// takes 30 us, and none waits for another. Then iteration R < 101 ends after R * 10 us + 20 us.
struct FastForward {
  static constexpr double kBound = 0.01;
  static constexpr std::uint64_t kFirst = 10;
  /// A loop is shortened if it has more than this many times the simulated iterations.
  static constexpr std::uint64_t kLeast = 4;

  const collectives::Schedule* whole;
  std::size_t period = 1;             ///< iterations
  std::uint64_t iterations = kFirst;  ///< K
  /// The nodes that are simulated in place of all nodes; null: all nodes are simulated.
  const RingSample* sample = nullptr;
};

/// The number of transfers of a ring from one that leaves a node to the next one that does: the
/// largest over all channels. 1 if some channel has something else than loops of one ring.
[[nodiscard]] std::size_t period_of(const topology::Cluster& cluster,
                                    const collectives::Schedule& schedule);
/// The smallest K with which times of a schedule can be measured, at least kFirst.
[[nodiscard]] std::uint64_t first_iterations(const FastForward& fast);

/// Predicts how the uncertainty, as a share of the time, falls with K: as K^-p with p between 1/2
/// (as the error of a mean of independent times) and 1.
class UncertaintyTrend {
 public:
  void add(std::uint64_t iterations, double bound);
  /// The K at which the uncertainty falls to kBound: by the power p of the last two tries, or with
  /// p = 1 after the first try. At least twice the last K.
  [[nodiscard]] std::uint64_t enough() const;
  /// The K of the next try, at most enough(). The second try doubles K, which measures p at a small
  /// cost.
  [[nodiscard]] std::uint64_t next() const;

 private:
  std::uint64_t iterations_ = 0;
  double bound_ = 0, power_ = 1;
  int count_ = 0;
};

/// The schedule with K iterations of each loop and only with the nodes of the sample. It refers to
/// the group of the whole schedule. Nothing if some channel has something else than loops of one
/// ring.
[[nodiscard]] std::optional<collectives::Schedule> shortened(const FastForward& fast);

/// A sample of nodes for K iterations. Nothing if the ring has no long runs of equal nodes, or if
/// traffic at some node of the sample differs from that in the whole ring (has_forms()).
[[nodiscard]] std::optional<RingSample> sample_of(const topology::Cluster& cluster,
                                                  const PacketOptions& options,
                                                  const RingNodes& nodes, const FastForward& fast);

/// Measured times of a transfer. `alone`: duration from its post to its end on an empty network;
/// `service`: time of its bytes on the slowest link of its path.
struct SimulatedTransfer {
  Time posted, end, alone, service;
};

/// The end of a channel, computed with the mean times of all measured iterations (`finish`) and of
/// each part alone (`parts`). `transfers`: in the order of the shortened schedule.
struct Extrapolated {
  static constexpr std::size_t kParts = 4;
  Time finish;
  std::array<Time, kParts> parts;
};
[[nodiscard]] Extrapolated extrapolated(const FastForward& fast, std::size_t channel,
                                        std::span<const SimulatedTransfer> transfers);

/// The end of a run whose channels were extrapolated, and its uncertainty.
///
/// The end of a ring is a maximum over noisy times, so its mean is too late. This error falls with
/// the number n of measured iterations: as 1 / n if one path through the ring is longer than all
/// others, and as 1 / sqrt(n) if equally long paths compete. Let f be the end computed from all
/// iterations, and m the mean of the ends computed from each of the P parts alone. Then the error
/// of f is (m - f) / (P^e - 1) with e from 1/2 to 1 (generalised jackknife: Schucany, Gray and
/// Owen, "On bias reduction in estimation", JASA 66, 1971). The mean of the errors for both values
/// of e is subtracted.
///
/// A channel that ends early leaves its share of the links to the others. So all channels together
/// end between the mean of their ends and the last end; the middle is taken.
///
///     end = (l + f) / 2 - 2/3 (m - f)     uncertainty = (l - f) / 2 + |m - f| / 3 + 2 s / sqrt(P)
///
/// with the end l of the last channel, f and m as means over the channels, and the standard
/// deviation s of the P ends whose mean is m; P = 4.
struct Extrapolation {
  Time finish, uncertainty;
};
[[nodiscard]] Extrapolation combined(std::span<const Extrapolated> channels);

}  // namespace railyard::sim::packet
