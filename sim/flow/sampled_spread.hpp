#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/id.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::sim {

/// Loads that a sample of the transfers of an all-to-all puts on links between switches.
struct SpreadSample {
  double part = 1;                ///< sample / all transfers
  std::vector<double> crossings;  ///< by link, from the first between switches on
  std::vector<double> even;       ///< likewise, if the same transfers were spread evenly
};

/// The crossings of all transfers, from those of a part f of them. Let c(l) be the crossings of a
/// link and e(l) those of even spreading, which is the mean over all hashes. Then
///
///     C(l) = e(l) / f + (c(l) - e(l)) f^-a
///
/// with a = 1/2 where each path is an independent choice: the deviation of a sum of n such choices
/// grows like its square root. Where paths depend on earlier ones (balanced, adaptive) it grows
/// more slowly, on links that the choice looks at not at all (Berenbrink, Czumaj, Steger and
/// Voecking, "Balanced allocations: the heavily loaded case", SIAM Journal on Computing 35(6),
/// 2006). Then `early`, an early part of the sample, shows by how much: for each kind of link
///
///     a = log(rms(c - e) / rms(c_early - e_early)) / log(f / f_early), between 0 and 1/2
///
/// Example: 100 hashed transfers of 10,000 load a link with 8 where even spreading has 4. All load
/// it with 4 * 100 + 4 * 10 = 440.
[[nodiscard]] std::vector<double> scaled_up(const topology::Cluster& cluster, LinkId first,
                                            const SpreadSample& sample,
                                            const std::optional<SpreadSample>& early);

/// A substitute for `even`: the mean of all loaded links of the same rate between the same kinds of
/// switches.
[[nodiscard]] std::vector<double> means_of_kinds(const topology::Cluster& cluster, LinkId first,
                                                 const std::vector<double>& crossings);

}  // namespace railyard::sim
