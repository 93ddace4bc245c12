#pragma once

#include <span>
#include <string>

#include "hw/diagnose/diagnosis.hpp"
#include "hw/diagnose/search.hpp"

namespace railyard::hw {

/// "1.85" below 10, "15" above.
[[nodiscard]] std::string ratio_text(double ratio);
/// "1 GPU", "8 GPUs".
[[nodiscard]] std::string gpus_text(int count);

/// How the slowdown depends on size, and which cause that suggests; "" if it is not clear.
[[nodiscard]] std::string size_dependence(std::span<const SizeEffect> sizes);

/// The test that tells a component from its best alternative, or confirms it if there is none.
[[nodiscard]] std::string next_test(const Accepted& accepted, const Samples& samples);

}  // namespace railyard::hw
