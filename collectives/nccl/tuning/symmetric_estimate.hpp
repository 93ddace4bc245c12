#pragma once

#include <string>
#include <string_view>

namespace railyard::collectives::nccl {

/// NCCL's estimate for one kernel on registered buffers and one query (symmetric_model.hpp,
/// gin_model.hpp, copy_engine_model.hpp).
struct SymmetricEstimate {
  std::string_view name{};  ///< as in NCCL_SYM_KERNEL
  int blocks = 0;           ///< thread blocks, NCCL's choice
  float time_us = 0;        ///< NCCL's own estimate
  float latency_us = 0;     ///< the part of time_us that is independent of the size
  float selection_us = 0;   ///< NCCL's criterion: time_us * (1 + cost per block)
  std::string why_not{};    ///< empty: available
  bool chosen = false;
  bool multicast = false;    ///< the NVSwitches copy and reduce; otherwise each GPU does
  bool low_latency = false;  ///< LL lines: each has flags with its data
};

}  // namespace railyard::collectives::nccl
