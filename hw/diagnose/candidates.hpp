#pragma once

#include <cstdint>
#include <vector>

#include "hw/diagnose/cluster_view.hpp"
#include "hw/diagnose/explanation.hpp"
#include "hw/diagnose/hypothesis.hpp"

namespace railyard::hw {

/// A hypothesis with the runs that it exposes.
struct Candidate {
  Hypothesis hypothesis{};
  std::vector<std::uint32_t> runs{};
};

/// Every node, GPU of a node, group of GPUs of a node, place of a GPU, leaf and tested pair. The
/// prior of a kind is 1 / number of kinds, shared equally by its candidates; a guessed group of
/// GPUs has a quarter of that of a GPU.
[[nodiscard]] std::vector<Candidate> single_candidates(const Explanation& explanation,
                                                       const ClusterView& view);

/// Cuts and islands: the sets of nodes that explain most of the runs without an explanation, for
/// all places, each group of places and each place. Ascends from several sets, a node at a time, in
///
///     sum over exposed runs of Explanation::weight + log prior
///
/// The prior of a set of k of n nodes is 1 / (n C(n, k)) of that of its places.  The prior of a set
/// of k of n nodes is that of its places / (n C(n, k)).
[[nodiscard]] std::vector<Candidate> node_set_candidates(const Explanation& explanation,
                                                         const ClusterView& view);

}  // namespace railyard::hw
