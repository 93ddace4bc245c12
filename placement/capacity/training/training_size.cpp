#include "placement/capacity/training/training_size.hpp"

#include <fmt/format.h>

#include "placement/capacity/goodput/checkpoint.hpp"
#include "placement/model/flops.hpp"

namespace railyard::placement {

std::string training_size_text(const Job& job) {
  const double flops = training_flops(job);
  if (!(flops > 0)) return {};
  // 1 ZFLOP = 1e21; 1 PFLOP-day = 1e15 a second for 86,400 s.
  return fmt::format(
      "{}: the training needs {:.4g} ZFLOP ({:.4g} PFLOP-days), attention and head included; a "
      "checkpoint has {:.0f} GB",
      job.name, flops / 1e21, flops / 8.64e19, checkpoint_bytes(job) / 1e9);
}

}  // namespace railyard::placement
