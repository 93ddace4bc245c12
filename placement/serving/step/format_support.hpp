#pragma once

#include <optional>
#include <string>

#include "placement/model/processor.hpp"
#include "placement/serving/step/deployment.hpp"

namespace railyard::placement::serving {

/// The reason why no engine supports these formats on a GPU, by its compute capability; empty if
/// one does. Formats without hardware support are expanded to 16 bits, which also requires kernels.
[[nodiscard]] std::optional<std::string> why_not_on(const Processor& gpu, const Formats& formats);

}  // namespace railyard::placement::serving
