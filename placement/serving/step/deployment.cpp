#include "placement/serving/step/deployment.hpp"

#include <fmt/format.h>

namespace railyard::placement::serving {

std::string split_text(const Deployment& d) {
  std::string text = fmt::format("tp {}", d.tp);
  if (d.pp > 1) text += fmt::format(" pp {}", d.pp);
  if (d.attention_dp > 1) text += fmt::format(" dp {}", d.attention_dp);
  if (d.ep > 1) text += fmt::format(" ep {}", d.ep);
  if (d.redundant_experts > 0) text += fmt::format(" redundant {}", d.redundant_experts);
  return text;
}

}  // namespace railyard::placement::serving
