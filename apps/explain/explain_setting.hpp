#pragma once

#include <memory>
#include <string>

#include "apps/explain/explain_flags.hpp"
#include "apps/output/rows.hpp"
#include "collectives/nccl/choice/chooser.hpp"
#include "collectives/nccl/timing/fitted_pace.hpp"
#include "collectives/schedule/executor.hpp"
#include "sim/engine.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::apps {

/// The cluster of `railyard explain`, the choices on it, and the requested collective.
struct ExplainSetting {
  /// The flags must outlive it. Adds the files that it reads and their facts to `provenance`.
  /// Throws InputError.
  ExplainSetting(const ExplainFlags& flags, Provenance& provenance);
  ExplainSetting(const ExplainSetting&) = delete;
  ExplainSetting& operator=(const ExplainSetting&) = delete;

  /// Options of an engine with the routing and faults of the flags, and nominal times.
  [[nodiscard]] sim::EngineOptions engine_options(std::string fidelity = "analytic") const;
  [[nodiscard]] bool has_faults() const {
    return !fabric.failures.empty() || !fabric.degradations.empty();
  }

  const ExplainFlags& flags;
  collectives::nccl::NcclEnvironment environment;
  FabricFlags fabric;
  topology::Cluster cluster;
  std::unique_ptr<collectives::Executor> analytic;
  collectives::nccl::Chooser chooser;
  std::shared_ptr<collectives::nccl::FittedPace> timing;  ///< nullptr: nominal
  collectives::nccl::ChoiceRequest asked;
};

}  // namespace railyard::apps
