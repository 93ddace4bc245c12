#pragma once

#include <optional>
#include <string_view>

#include "collectives/nccl/timing/time_model.hpp"
#include "collectives/nccl/tuning/tuning_choice.hpp"

/// From what is asked, or from a schedule of ours, to what the time model is asked.
namespace railyard::collectives::nccl {

/// What NCCL chooses for a collective, ready for collective_time(); nothing where its environment
/// leaves it no way. Allocates nothing.
[[nodiscard]] std::optional<TimeQuery> chosen_way(const TuningModel& model, const Machine& machine,
                                                  const TuningQuery& query);

/// Whether NCCL has a kernel that does a collective by an algorithm, whatever the machine.
[[nodiscard]] bool has_kernel(Kind kind, TuningAlgorithm algorithm);

/// One way to do a collective by the names of our schedules.
struct NamedWay {
  Collective collective;
  std::string_view algorithm;
  Protocol protocol = Protocol::simple;
  int channels = 0;  ///< that are to be launched; 0: NCCL's own number
};

/// That way, if it is one of NCCL's: its kernels, and for all_to_all and send_recv the ways that
/// its sends take ("direct", "rail_pxn", "rail_direct", "neighbour").
[[nodiscard]] std::optional<TimeQuery> named_way(const TuningModel& model, const Machine& machine,
                                                 const NamedWay& way);

}  // namespace railyard::collectives::nccl
