#pragma once

#include <optional>
#include <string>

#include "placement/model/processor.hpp"
#include "placement/serving/step/deployment.hpp"

namespace railyard::placement::serving {

/// Why no engine runs these formats on a GPU, by its compute capability; nothing where one does.
/// Formats that the GPU does not compute in are expanded to 16 bits, which also needs kernels.
[[nodiscard]] std::optional<std::string> why_not_on(const Processor& gpu, const Formats& formats);

}  // namespace railyard::placement::serving
