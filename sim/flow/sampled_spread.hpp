#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/id.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::sim {

/// The loads of links between switches by a sample of the transfers of an all-to-all.
struct SpreadSample {
  double part = 1;                ///< number of sampled transfers / number of all transfers
  std::vector<double> crossings;  ///< by link, beginning with the first link between switches
  std::vector<double> even;       ///< the same, if these transfers were spread evenly over all
                                  ///< paths
};

/// Estimates the crossings of all transfers from those of a sample, which is the fraction f of
/// them. Let c(l) be the sample's crossings of link l, and e(l) those with even spreading (the mean
/// over all hashes). Then
///     C(l) = e(l) / f + (c(l) - e(l)) f^-a
///
/// If each path is an independent random choice, a = 1/2, because the deviation of a sum of n such
/// choices grows like its square root. If paths depend on earlier ones (balanced, adaptive) the
/// deviation grows more slowly, and not at all on links that the choice considers (Berenbrink,
/// Czumaj, Steger and Voecking, "Balanced allocations: the heavily loaded case", SIAM Journal on
/// Computing 35(6), 2006). The exponent is then measured for each kind of link, with an early part
/// of the sample, `early`:
///
///     a = log(rms(c - e) / rms(c_early - e_early)) / log(f / f_early), between 0 and 1/2
///
/// Example: of 10,000 hashed transfers 100 are sampled. They load a link with 8 crossings, where
/// even spreading has 4. The estimate for all transfers is 4 * 100 + 4 * 10 = 440.
[[nodiscard]] std::vector<double> scaled_up(const topology::Cluster& cluster, LinkId first,
                                            const SpreadSample& sample,
                                            const std::optional<SpreadSample>& early);

/// A substitute for SpreadSample::even if it is not known: the mean over all loaded links of the
/// same rate between the same kinds of switches.
[[nodiscard]] std::vector<double> means_of_kinds(const topology::Cluster& cluster, LinkId first,
                                                 const std::vector<double>& crossings);

}  // namespace railyard::sim
