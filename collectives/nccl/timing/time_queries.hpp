#pragma once

#include <optional>
#include <string_view>

#include "collectives/nccl/timing/time_model.hpp"
#include "collectives/nccl/tuning/tuning_choice.hpp"

/// Queries of the time model for NCCL's choices and for the algorithms of Railyard's schedules.
namespace railyard::collectives::nccl {

/// The query of NCCL's choice for a collective, ready for collective_time(); empty if NCCL's
/// environment excludes every algorithm. Does not allocate.
[[nodiscard]] std::optional<TimeQuery> chosen_query(const TuningModel& model,
                                                    const Machine& machine,
                                                    const TuningQuery& query);

/// Whether NCCL has a kernel for a collective by an algorithm, on any machine.
[[nodiscard]] bool has_kernel(Kind kind, TuningAlgorithm algorithm);

/// A collective with the algorithm of one of Railyard's schedules.
struct NamedAlgorithm {
  Collective collective;
  std::string_view algorithm;
  Protocol protocol = Protocol::simple;
  int channels = 0;  ///< number of channels to launch; 0: NCCL's own number
};

/// The query of an algorithm that NCCL supports: as a kernel or, for all_to_all and send_recv, as a
/// rule by which NCCL sends ("direct", "rail_pxn", "rail_direct", "neighbour"). Otherwise empty.
[[nodiscard]] std::optional<TimeQuery> named_query(const TuningModel& model, const Machine& machine,
                                                   const NamedAlgorithm& named);

}  // namespace railyard::collectives::nccl
