#pragma once

namespace railyard::placement {

/// Training tokens with which a model of this size reaches its loss with the least compute: the fit
/// of approach 1 of Hoffmann et al. (arXiv 2203.15556, table 3),
///   tokens = 20.2e9 (parameters / 1e9)^1.007,
/// a power law through its rows of 1 B (20.2 B tokens) and 1 T parameters (21.2 T tokens).
[[nodiscard]] double compute_optimal_tokens(double parameters);

}  // namespace railyard::placement
