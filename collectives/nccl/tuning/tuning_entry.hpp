#pragma once

#include <string>

namespace railyard::collectives::nccl {

/// The limit of a bandwidth in the model.
enum class Limit { intra, inter, protocol };

/// One entry: time = latency + bytes / bandwidth, before the corrections that depend on the size.
struct TuningEntry {
  float latency = 0;    ///< us
  float bandwidth = 0;  ///< GB/s of the message (algbw); 0: NCCL's table has no entry
  Limit limit = Limit::intra;
  std::string why_not;  ///< reason why NCCL does not use the entry; empty: allowed
};

}  // namespace railyard::collectives::nccl
