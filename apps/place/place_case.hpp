#pragma once

#include <optional>
#include <string>

#include "apps/cli/flag_groups.hpp"
#include "apps/output/rows.hpp"
#include "collectives/schedule/measurement.hpp"

namespace railyard::apps {

/// A job that is placed, for a suite.
struct PlaceCase {
  ClusterFlags cluster;
  FabricFlags fabric;
  std::string job, fix;
  std::optional<int> batch, verify;
  bool mapping = false;
  std::string fidelity = "flow";
  std::optional<std::uint64_t> seed{};
};

/// The best strategy's step as a row: collective "training_step", the strategy as algorithm, time
/// as simulated where it was, and by formula (fidelity "formula") else. Adds what was read to
/// `provenance`. Throws InputError where nothing fits.
[[nodiscard]] collectives::Measurement place_step(const PlaceCase& one, Provenance& provenance);

}  // namespace railyard::apps
