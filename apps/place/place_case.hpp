#pragma once

#include <optional>
#include <string>

#include "apps/cli/flag_groups.hpp"
#include "apps/output/rows.hpp"
#include "collectives/schedule/measurement.hpp"

namespace railyard::apps {

/// A job to place, as a case of a suite.
struct PlaceCase {
  ClusterFlags cluster;
  FabricFlags fabric;
  std::string job, fix;
  std::optional<int> batch, verify;
  bool mapping = false;
  std::string fidelity = "flow";
  std::optional<std::uint64_t> seed{};
};

/// The step of the best strategy as a row: collective "training_step", the strategy as algorithm,
/// and the simulated time (by formula, with fidelity "formula", if it was not simulated). Adds the
/// files that it reads to `provenance`. Throws InputError if no strategy fits.
[[nodiscard]] collectives::Measurement place_step(const PlaceCase& one, Provenance& provenance);

}  // namespace railyard::apps
