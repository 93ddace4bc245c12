#include "placement/strategy/nearest_interleave.hpp"

#include <fmt/format.h>

#include "placement/strategy/strategy_check.hpp"

namespace railyard::placement {

std::string make_chunks_divide(const Job& job, Strategy& s) {
  const int layers = job.model.layers, asked = s.interleave;
  if (asked <= 1 || s.pp <= 1 || s.even_ends || !s.layers.empty()) return "";
  if (layers % (s.pp * asked) == 0) return "";
  if (layers % s.pp == 0) {
    s.interleave = nearest_divisor(layers / s.pp, asked);
  } else if ((layers + 2) % s.pp == 0) {
    s.even_ends = true;
    s.interleave = nearest_divisor((layers + 2) / s.pp, asked);
  } else {
    s.interleave = 1;
  }
  if (s.interleave == 1 && s.schedule == PipelineSchedule::interleaved)
    s.schedule = PipelineSchedule::one_f_one_b;
  return fmt::format(
      "{} layers are not divisible by pp {} x interleave {}, so interleave {} is used{}", layers,
      s.pp, asked, s.interleave, s.even_ends ? ", embedding and head count as layers" : "");
}

}  // namespace railyard::placement
